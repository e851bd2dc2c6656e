//! Conditions on the properties of a note: `status = done`, `rating >= 4`, `due < 2031-04-09`, `people contains Jo`,
//! `due exists`. Must not know which notes are asked.
//!
//! Names and texts are compared case-folded; `[[…]]` around a value does not count. A list equals what any of its
//! entries equals. `<` and the like compare numbers with numbers and dates with dates, and hold for nothing else; `!=`
//! also holds where the property is missing.
use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::date::Moment;
use super::fold;

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    /// Folded.
    property: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Exists,
    Contains(String),
    Compares(Comparison, String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// As written, the longer ones first.
const COMPARISONS: [(&str, Comparison); 7] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];
const CONTAINS: &str = " contains ";
const EXISTS: &str = " exists";

impl Predicate {
    /// Reads a property, a comparison and a value; `None` for anything else.
    pub fn parse(condition: &str) -> Option<Predicate> {
        let condition = condition.trim();
        let lower = condition.to_ascii_lowercase();
        let sign = condition.char_indices().find_map(|(at, _)| {
            let found = COMPARISONS.iter().find(|(sign, _)| condition[at..].starts_with(sign));
            found.map(|(sign, comparison)| (at, sign.len(), *comparison))
        });
        let word = lower.find(CONTAINS).filter(|at| sign.is_none_or(|(sign, _, _)| *at < sign));
        let (name, test) = match (word, sign) {
            (Some(at), _) => (&condition[..at], Test::Contains(value(&condition[at + CONTAINS.len()..])?)),
            (None, Some((at, length, comparison))) => {
                (&condition[..at], Test::Compares(comparison, value(&condition[at + length..])?))
            }
            (None, None) => (&condition[..lower.strip_suffix(EXISTS)?.len()], Test::Exists),
        };
        let property = fold(unquoted(name));
        (!property.is_empty()).then_some(Predicate { property, test })
    }

    /// Does it hold for a note with these properties?
    pub fn holds(&self, properties: &Map<String, Value>) -> bool {
        let named = properties.iter().filter(|(key, _)| fold(key.trim()) == self.property);
        let mut values = named.map(|(_, value)| value);
        match &self.test {
            Test::Exists => values.any(|value| !is_nothing(value)),
            Test::Contains(wanted) => values.any(|value| contains(value, wanted)),
            Test::Compares(Comparison::NotEqual, wanted) => !values.any(|value| equals(value, wanted)),
            Test::Compares(Comparison::Equal, wanted) => values.any(|value| equals(value, wanted)),
            Test::Compares(comparison, wanted) => {
                values.any(|value| order(value, wanted).is_some_and(|order| comparison.fits(order)))
            }
        }
    }
}

impl Comparison {
    fn fits(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }
}

fn value(text: &str) -> Option<String> {
    Some(unquoted(text).to_owned()).filter(|value| !value.is_empty())
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let within = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(entries) => entries.iter().all(is_nothing),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn contains(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => fold(text).contains(&fold(wanted)),
        value => equals(value, wanted),
    }
}

fn equals(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Array(entries) => entries.iter().any(|entry| equals(entry, wanted)),
        Value::Bool(flag) => wanted.eq_ignore_ascii_case(if *flag { "true" } else { "false" }),
        Value::String(text) if name(text) == name(wanted) => true,
        value => order(value, wanted) == Some(Ordering::Equal),
    }
}

/// `[[Jane|she]]` is Jane.
fn name(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    fold(inner.and_then(|inner| inner.split('|').next()).unwrap_or(text).trim())
}

/// The order of a value and a wanted one: of numbers, else of dates; none between anything else. The first entry of a
/// list that has one.
fn order(value: &Value, wanted: &str) -> Option<Ordering> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match value {
        Value::Array(entries) => entries.iter().find_map(|entry| order(entry, wanted)),
        Value::Number(found) => found.as_f64()?.partial_cmp(&number(wanted)?),
        Value::String(text) => match (number(text), number(wanted)) {
            (Some(found), Some(wanted)) => found.partial_cmp(&wanted),
            _ => Some(Moment::parse(text)?.order(&Moment::parse(wanted)?)),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold_or_not() {
        let text = "---\nStatus: Done\nrating: 4\nprice: 3.5\ndue: 2031-04-09\nat: 2031-04-09T10:30\npeople: [Jo, \"[[Ann Lee|Ann]]\"]\n\
                    flag: true\nempty:\nlist: []\nurl: a=b\ncode: \"007\"\ntwo words: x\nnested: {a: 1}\n---\n";
        let properties = super::super::parse(text).frontmatter.properties;
        let hold = [
            "status = done",
            "STATUS=\"Done\"",
            "status == 'done'",
            "status != open",
            "missing != x",
            "rating >= 4",
            "rating<5",
            "rating = 4.0",
            "price > 3",
            "due < 2031-04-10",
            "due <= 2031-04-09",
            "due = 2031-04-09",
            "at >= 2031-04-09",
            "at > 2031-04-09T10:00",
            "people contains jo",
            "people = Ann Lee",
            "people contains [[Ann Lee]]",
            "flag = True",
            "status contains on",
            "url contains a=b",
            "url = a=b",
            "code = 007",
            "code = 7",
            "\"two words\" = x",
            "two words exists",
            "Due EXISTS",
            "nested exists",
        ];
        for condition in hold {
            assert!(Predicate::parse(condition).expect(condition).holds(&properties), "{condition}");
        }
        let fail = [
            "status = open",
            "status != done",
            "missing = x",
            "missing exists",
            "empty exists",
            "list exists",
            "rating > 4",
            "rating < 2031-04-09",
            "due > 2031-04-09",
            "status < z",
            "people contains an",
            "flag = 1",
            "nested = 1",
            "at < 2031-04-09",
        ];
        for condition in fail {
            assert!(!Predicate::parse(condition).expect(condition).holds(&properties), "{condition}");
        }
    }

    #[test]
    fn what_is_no_condition() {
        for text in
            ["", "status", "= done", "status =", "contains x", "exists", "\"\" = x", "status contains "]
        {
            assert_eq!(Predicate::parse(text), None, "{text}");
        }
    }
}
