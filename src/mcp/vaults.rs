//! The vaults that a server offers, and which of them a request is for. Where there is one, nothing shows of it.
//! Where there are several, each request names its vault, and each answer too; this is the one place that
//! knows how. A vault that is not among them looks like one that does not exist.
//!
//! Invariant: a request reaches the operations of the vault that it names and of no other.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use super::account::{Account, Accounted};
use super::answer::Answer;
use super::arguments::BadArguments;
use super::operations::Operations;
use super::parameters::Described;
use super::tools::INSTRUCTIONS;
use super::uri;
use crate::ops::OpError;
use crate::ops::catalogue::Catalogue;

/// The argument that names a vault.
pub(super) const ARGUMENT: &str = "vault";
const DESCRIPTION: &str = "Which of the user's vaults.";

/// Opens a vault; none while it cannot be opened.
pub type Opening<O> = Box<dyn Fn() -> Option<Arc<O>> + Send + Sync>;

/// What a server offers: one vault, or several by name.
pub struct Vaults<O>(Arc<[Member<O>]>);

impl<O> Clone for Vaults<O> {
    fn clone(&self) -> Self {
        Vaults(Arc::clone(&self.0))
    }
}

struct Member<O> {
    /// None for the only one.
    name: Option<String>,
    opened: Mutex<Option<Arc<O>>>,
    open: Opening<O>,
}

/// The vault that a request is for.
pub(super) struct Chosen<O> {
    vaults: Vaults<O>,
    number: usize,
}

impl<O> Vaults<O> {
    /// A single vault.
    pub fn one(operations: Arc<O>) -> Vaults<O> {
        let opened = Mutex::new(Some(operations));
        Vaults([Member { name: None, opened, open: Box::new(|| None) }].into())
    }

    /// Vaults by name. One that is not open yet is opened when it is asked for.
    pub fn several(vaults: Vec<(String, Option<Arc<O>>, Opening<O>)>) -> Vaults<O> {
        let member = |(name, opened, open)| Member { name: Some(name), opened: Mutex::new(opened), open };
        Vaults(vaults.into_iter().map(member).collect())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Their names; none where there is one without.
    pub(super) fn names(&self) -> Vec<&str> {
        self.0.iter().filter_map(|member| member.name.as_deref()).collect()
    }

    /// Do requests name their vault?
    pub(super) fn are_named(&self) -> bool {
        self.0.iter().any(|member| member.name.is_some())
    }

    /// Each of them, in the order of the names.
    pub(super) fn each(&self) -> impl Iterator<Item = Chosen<O>> {
        (0..self.len()).map(|number| Chosen { vaults: self.clone(), number })
    }

    /// The vault of this name, or the only one where none is named.
    pub(super) fn named(&self, name: Option<&str>) -> Option<Chosen<O>> {
        self.each().find(|vault| vault.name() == name)
    }

    /// Takes the vault out of a call's arguments.
    pub(super) fn take(&self, arguments: &mut Option<JsonObject>) -> Result<Chosen<O>, BadArguments> {
        let given = arguments.as_mut().filter(|_| self.are_named()).and_then(|given| given.remove(ARGUMENT));
        let name = given.filter(|name| !name.is_null());
        let problem = match (&name, self.are_named()) {
            (None, true) => "is missing: give",
            _ => "must be",
        };
        let chosen = match &name {
            None => self.named(None),
            Some(name) => name.as_str().and_then(|name| self.named(Some(name))),
        };
        chosen
            .ok_or_else(|| BadArguments(format!("`{ARGUMENT}` {problem} one of {}", self.names().join(", "))))
    }

    /// The vault and the path in an address of a note, judged by its form alone: whether there is such a vault
    /// or note is another question.
    pub(super) fn address<'a>(&self, address: &'a str) -> Option<(Option<&'a str>, String)> {
        let (vault, path) = uri::note_in(address)?;
        (vault.is_some() == self.are_named()).then_some((vault, path))
    }

    /// The parameter that every tool has where there are several vaults.
    pub(super) fn parameter(&self) -> Option<Described> {
        self.are_named().then(|| Described {
            name: ARGUMENT,
            description: DESCRIPTION,
            is_required: true,
            schema: json!({ "type": "string", "enum": self.names() }),
            given: json!({ "type": "string" }),
        })
    }

    /// A tool as it is here.
    pub(super) fn with_parameter(&self, mut tool: Tool) -> Tool {
        let Some(parameter) = self.parameter() else { return tool };
        let mut described = parameter.schema;
        described["description"] = json!(DESCRIPTION);
        let schema = Arc::make_mut(&mut tool.input_schema);
        put_first(schema, "properties", described);
        let required = schema.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(names) = required {
            names.insert(0, json!(ARGUMENT));
        }
        if let Some(output) = &mut tool.output_schema {
            put_first(Arc::make_mut(output), "properties", json!({ "type": "string" }));
        }
        tool
    }

    /// What a client is told before anything else.
    pub(super) fn instructions(&self) -> String {
        if !self.are_named() {
            return INSTRUCTIONS.to_owned();
        }
        let names = self.names().join(", ");
        format!(
            "{INSTRUCTIONS} There are several vaults: {names}. Every tool takes one as `{ARGUMENT}`; ask each that \
             may hold the answer, and name the vault beside what you cite from it."
        )
    }
}

/// The vault among the named members of an object, before all others.
fn put_first(schema: &mut JsonObject, key: &str, described: Value) {
    if let Some(Value::Object(known)) = schema.get_mut(key) {
        let others = std::mem::take(known);
        known.insert(ARGUMENT.to_owned(), described);
        known.extend(others);
    }
}

impl<O> Clone for Chosen<O> {
    fn clone(&self) -> Self {
        Chosen { vaults: self.vaults.clone(), number: self.number }
    }
}

impl<O> Chosen<O> {
    fn member(&self) -> &Member<O> {
        &self.vaults.0[self.number]
    }

    /// Which of them it is, from 0.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Its name, where requests name their vault.
    pub(super) fn name(&self) -> Option<&str> {
        self.member().name.as_deref()
    }

    /// Its operations for one request, on its account.
    pub(super) fn operations(&self, account: &Account) -> Result<Accounted<O>, OpError>
    where
        O: Operations,
    {
        self.opened().map(|operations| Accounted::new(operations, account, self.number))
    }

    /// What it lists, for whoever follows its changes.
    pub(super) fn catalogue(&self) -> Result<Option<Catalogue>, OpError>
    where
        O: Operations,
    {
        self.opened()?.catalogue()
    }

    /// It may have to be opened first, which takes the file system's time.
    fn opened(&self) -> Result<Arc<O>, OpError> {
        let Member { opened, open, .. } = self.member();
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.is_none() {
            *opened = open();
        }
        opened.clone().ok_or_else(|| OpError::Unavailable {
            client: "the vault cannot be read; the owner must look whether it is still there",
            log: "a vault cannot be opened".to_owned(),
        })
    }

    /// An answer of this vault, which says so where there are others.
    pub(super) fn signed(&self, answer: Answer) -> Answer {
        let Some(name) = self.name() else { return answer };
        let mut structured = JsonObject::new();
        structured.insert(ARGUMENT.to_owned(), json!(name));
        if let Value::Object(fields) = answer.structured {
            structured.extend(fields);
        }
        Answer { structured: structured.into(), text: format!("vault: {name}\n{}", answer.text) }
    }

    /// The template of the addresses of its notes.
    pub(super) fn template(&self) -> String {
        uri::template(self.name())
    }

    /// The address of one of its notes.
    pub(super) fn address_of(&self, path: &str) -> String {
        uri::of_note(self.name(), path)
    }
}
