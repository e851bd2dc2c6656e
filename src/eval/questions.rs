//! Questions whose answers are known: one JSON object a line. Pure.
//!
//! `{"id", "query", "expectedSources": [paths], "grades"?: {path: gain}, "type"?, "expectedHeadings"?: [names]}`;
//! other members are left alone. A question without an expected source is one that the notes cannot answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// A question, and what is right.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Tells it from the others, also in another run.
    #[serde(default)]
    pub id: String,
    /// What is asked.
    pub query: String,
    /// Paths of the notes that answer it; none: nothing does.
    pub expected_sources: Vec<String>,
    /// How much each of them is worth, above 0; those that are not named here, 1.
    #[serde(default)]
    pub grades: BTreeMap<String, f64>,
    /// What kind of question it is.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// The headings the answer stands under: `Heading`, or `path#Heading`; empty: not known.
    #[serde(default)]
    pub expected_headings: Vec<String>,
    /// Notes that are neither right nor wrong, and do not count in a ranking.
    #[serde(skip)]
    pub neutral_sources: Vec<String>,
}

/// A line that is no question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadLine {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
    /// What to do about it, in one sentence.
    pub fix: &'static str,
}

const FORM_OF_A_LINE: &str =
    r#"A line is one JSON object, such as {"id": "1", "query": "…", "expectedSources": ["Folder/Note.md"]}."#;

impl Question {
    /// What a note is worth as an answer; 0 for a wrong one.
    pub fn gain(&self, path: &str) -> f64 {
        if self.expected_sources.iter().any(|expected| expected == path) {
            self.grades.get(path).copied().unwrap_or(1.0)
        } else {
            0.0
        }
    }

    /// Is there an answer in the notes?
    pub fn is_answerable(&self) -> bool {
        !self.expected_sources.is_empty()
    }
}

/// Reads questions, one a line; empty lines are passed over. Ids that are missing become numbers of lines.
pub fn read_questions(text: &str) -> Result<Vec<Question>, BadLine> {
    let mut ids = BTreeSet::new();
    let lines =
        text.trim_start_matches('\u{feff}').lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(text, line)| {
            let mut question: Question =
                serde_json::from_str(text).map_err(|error| not_json(line, &error))?;
            if question.id.is_empty() {
                question.id = format!("line {line}");
            }
            check(&question).map_err(|(problem, fix)| BadLine { line, problem, fix })?;
            if !ids.insert(question.id.clone()) {
                let problem = format!("the id \"{}\" stands on an earlier line too", question.id);
                return Err(BadLine { line, problem, fix: "Give every question an id of its own." });
            }
            question.expected_sources.sort();
            question.expected_sources.dedup();
            Ok(question)
        })
        .collect()
}

/// The parser counts lines within the one line it saw; its column is worth keeping.
fn not_json(line: usize, error: &serde_json::Error) -> BadLine {
    let text = error.to_string();
    let (what, column) = text.split_once(" at line 1 column ").unwrap_or((&text, ""));
    let problem = if column.is_empty() { what.to_owned() } else { format!("{what} (column {column})") };
    BadLine { line, problem, fix: FORM_OF_A_LINE }
}

fn check(question: &Question) -> Result<(), (String, &'static str)> {
    if question.query.trim().is_empty() {
        return Err(("the query is empty".to_owned(), "Write a question, or take the line out."));
    }
    let bad = question.grades.iter().find(|(_, gain)| !(gain.is_finite() && **gain >= 0.0));
    if let Some((path, gain)) = bad {
        return Err((format!("the grade of {path} is {gain}"), "A grade is a number from 0 on."));
    }
    let is_worth_something = |path: &String| question.gain(path) > 0.0;
    if question.is_answerable() && !question.expected_sources.iter().any(is_worth_something) {
        let fix = "Give one of them a grade above 0, or leave `expectedSources` empty if nothing answers it.";
        return Err(("every expected source has the grade 0".to_owned(), fix));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_questions() {
        let text = "\u{feff}{\"id\":\"a\",\"query\":\"q\",\"expectedSources\":[\"n.md\",\"m.md\",\"n.md\"],\
                    \"grades\":{\"m.md\":3},\"type\":\"exact\",\"answer\":\"x\",\"expectedHeadings\":[\"H\"]}\n\n\
                    {\"query\":\"r\",\"expectedSources\":[]}\r\n";
        let read = read_questions(text).unwrap();
        let [first, second] = &read[..] else { panic!("{read:?}") };
        assert_eq!(first.expected_sources, ["m.md", "n.md"]);
        assert_eq!((first.kind.as_deref(), &*first.expected_headings[0]), (Some("exact"), "H"));
        for (path, gain) in [("m.md", 3.0), ("n.md", 1.0), ("o.md", 0.0)] {
            assert!((first.gain(path) - gain).abs() < f64::EPSILON, "{path}");
        }
        assert_eq!((&*second.id, second.is_answerable()), ("line 3", false));
    }

    #[test]
    fn a_bad_line_is_told_with_its_number() {
        let good = r#"{"id":"1","query":"q","expectedSources":[]}"#;
        let rows = [
            ("{", "EOF while parsing an object (column 1)"),
            ("[1]", "invalid type: integer `1`, expected a string (column 2)"),
            (r#"{"query":"q"}"#, "missing field `expectedSources` (column 13)"),
            (r#"{"expectedSources":[]}"#, "missing field `query` (column 22)"),
            (r#"{"query":" ","expectedSources":[]}"#, "the query is empty"),
            (r#"{"query":"q","expectedSources":["a"],"grades":{"a":-1}}"#, "the grade of a is -1"),
            (
                r#"{"query":"q","expectedSources":["a"],"grades":{"a":0}}"#,
                "every expected source has the grade 0",
            ),
            (good, "the id \"1\" stands on an earlier line too"),
        ];
        for (line, problem) in rows {
            let bad = read_questions(&format!("{good}\n\n{line}\n")).unwrap_err();
            assert_eq!((bad.line, &*bad.problem), (3, problem), "{line}");
            assert!(bad.fix.ends_with('.'), "{line}");
        }
    }
}
