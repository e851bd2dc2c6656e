//! A tool's parameters as one table: the input schema that clients see and the check of what they
//! send are made of the same rows, so they cannot disagree.
//!
//! Schemas hold plain scalars and arrays of strings only, without unions, formats and references:
//! every client understands those.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Longer strings are refused, in characters.
const MAX_TEXT_CHARS: usize = 4000;
/// Longer lists are refused.
const MAX_TEXTS: usize = 64;
/// Matches a text that [`str::trim`] leaves something of. Dialects disagree about `\S`, so the blanks of
/// Unicode are spelt out.
const NOT_BLANK: &str = r"[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// A parameter of a tool.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// What a model needs to use it well.
    pub(super) description: &'static str,
}

/// What values a parameter takes.
pub(super) enum Kind {
    /// Text that must be given and not be blank.
    RequiredText,
    /// Text; blank is the same as leaving it out.
    Text,
    /// Texts; blank ones are left out.
    Texts,
    /// At least one text, none of them blank.
    RequiredTexts,
    /// The same, or nothing at all.
    SomeTexts,
    /// A whole number; no default where leaving it out means something else than any number.
    Integer { minimum: u32, maximum: u32, default: Option<u32> },
    /// True or false; false if left out.
    Flag,
    /// One of these words; the first if left out.
    Choice(&'static [&'static str]),
}

/// A parameter for documents that must be exact.
#[derive(Clone)]
pub(crate) struct Described {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it means.
    pub(crate) description: &'static str,
    /// It must be given.
    pub(crate) is_required: bool,
    /// The values it takes, with every bound of the check; `null`, which is the same as leaving it out, not
    /// among them.
    pub(crate) schema: Value,
    /// Values that count as given: a blank text or a flag that is false is the same as none.
    pub(crate) given: Value,
}

/// A value that passed the check of its parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    Text(String),
    Texts(Vec<String>),
    Integer(u32),
    Flag(bool),
    Choice(&'static str),
}

impl Kind {
    /// The value, if it is one that this kind takes.
    pub(super) fn check(&self, value: &Value) -> Option<Argument> {
        match self {
            Kind::RequiredText => text(value).filter(|text| !text.is_empty()).map(Argument::Text),
            Kind::Text => text(value).map(Argument::Text),
            Kind::Texts => texts(value).map(Argument::Texts),
            Kind::RequiredTexts | Kind::SomeTexts => required_texts(value).map(Argument::Texts),
            Kind::Integer { minimum, maximum, .. } => {
                integer(value).filter(|number| (minimum..=maximum).contains(&number)).map(Argument::Integer)
            }
            Kind::Flag => value.as_bool().map(Argument::Flag),
            Kind::Choice(words) => {
                let given = value.as_str()?;
                words.iter().find(|word| **word == given).map(|word| Argument::Choice(word))
            }
        }
    }

    /// What it takes, in words that complete "must be …".
    pub(super) fn expected(&self) -> String {
        match self {
            Kind::RequiredText => {
                format!("a string that is not blank, of at most {MAX_TEXT_CHARS} characters")
            }
            Kind::Text => format!("a string of at most {MAX_TEXT_CHARS} characters"),
            Kind::Texts => format!("an array of at most {MAX_TEXTS} strings, such as [\"one\", \"two\"]"),
            Kind::RequiredTexts | Kind::SomeTexts => {
                format!("an array of 1 to {MAX_TEXTS} strings, none of them blank")
            }
            Kind::Integer { minimum, maximum, .. } => format!("an integer from {minimum} to {maximum}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
        }
    }

    /// The schema with every bound. Models do without the longest texts and the meaning of blank ones.
    fn exact_schema(&self) -> Value {
        let mut schema = self.schema();
        match self {
            Kind::RequiredText => {
                schema["maxLength"] = json!(MAX_TEXT_CHARS);
                schema["pattern"] = json!(NOT_BLANK);
            }
            Kind::Text => schema["maxLength"] = json!(MAX_TEXT_CHARS),
            Kind::Texts => {
                schema["maxItems"] = json!(MAX_TEXTS);
                schema["items"]["maxLength"] = json!(MAX_TEXT_CHARS);
            }
            Kind::RequiredTexts | Kind::SomeTexts => {
                schema["minItems"] = json!(1);
                schema["maxItems"] = json!(MAX_TEXTS);
                schema["items"]["maxLength"] = json!(MAX_TEXT_CHARS);
                schema["items"]["pattern"] = json!(NOT_BLANK);
            }
            _ => {}
        }
        schema
    }

    /// The values that do not mean the same as none.
    fn given(&self) -> Value {
        match self {
            Kind::RequiredText | Kind::Text => json!({ "type": "string", "pattern": NOT_BLANK }),
            Kind::Flag => json!({ "const": true }),
            kind => json!({ "type": kind.schema()["type"] }),
        }
    }

    fn schema(&self) -> Value {
        match self {
            Kind::RequiredText | Kind::Text => json!({ "type": "string" }),
            Kind::Texts | Kind::RequiredTexts | Kind::SomeTexts => {
                json!({ "type": "array", "items": { "type": "string" } })
            }
            Kind::Integer { minimum, maximum, default: None } => {
                json!({ "type": "integer", "minimum": minimum, "maximum": maximum })
            }
            Kind::Integer { minimum, maximum, default: Some(default) } => {
                json!({ "type": "integer", "minimum": minimum, "maximum": maximum, "default": default })
            }
            Kind::Flag => json!({ "type": "boolean", "default": false }),
            Kind::Choice(words) => json!({ "type": "string", "enum": words, "default": words.first() }),
        }
    }
}

/// Trimmed; too long is no text.
fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (text.chars().count() <= MAX_TEXT_CHARS).then(|| text.trim().to_owned())
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let values = value.as_array().filter(|values| values.len() <= MAX_TEXTS)?;
    let mut texts = values.iter().map(text).collect::<Option<Vec<_>>>()?;
    texts.retain(|text| !text.is_empty());
    Some(texts)
}

fn required_texts(value: &Value) -> Option<Vec<String>> {
    texts(value).filter(|texts| !texts.is_empty() && Some(texts.len()) == value.as_array().map(Vec::len))
}

/// JSON Schema counts 8.0 as an integer, and so does this; "8" is a string and stays one, so that
/// what the schema refuses is refused.
fn integer(value: &Value) -> Option<u32> {
    let whole = |number: f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
    let from_float = || value.as_f64().filter(|number| whole(*number)).map(|number| number as u32);
    value.as_u64().map_or_else(from_float, |number| u32::try_from(number).ok())
}

/// The closed object of these parameters.
pub(super) fn input_schema(parameters: &[Parameter]) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), parameters.iter().map(property).collect::<JsonObject>().into());
    let required: Vec<_> = parameters.iter().filter(|parameter| parameter.is_required()).collect();
    if !required.is_empty() {
        let names: Vec<_> = required.iter().map(|parameter| parameter.name).collect();
        schema.insert("required".to_owned(), json!(names));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Arc::new(schema)
}

impl From<&Parameter> for Described {
    fn from(parameter: &Parameter) -> Described {
        Described {
            name: parameter.name,
            description: parameter.description,
            is_required: parameter.is_required(),
            schema: parameter.kind.exact_schema(),
            given: parameter.kind.given(),
        }
    }
}

impl Parameter {
    pub(super) fn is_required(&self) -> bool {
        matches!(self.kind, Kind::RequiredText | Kind::RequiredTexts)
    }
}

fn property(parameter: &Parameter) -> (String, Value) {
    let mut schema = parameter.kind.schema();
    schema["description"] = json!(parameter.description);
    (parameter.name.to_owned(), schema)
}
