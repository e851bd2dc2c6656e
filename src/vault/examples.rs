//! A name or a text that a rule covers, made up from the rule: to plant notes that it must hide.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::rules::{PathRule, compile_redaction};

/// A folder that the folder rule covers; `None` where none could be made up.
pub fn example_name(rule: &str) -> Option<String> {
    let rule = PathRule::compile(rule).ok()?;
    rule.example().filter(|name| rule.covers(name))
}

/// A text that the redaction pattern matches; `None` where none could be made up.
pub fn example_match(pattern: &str) -> Option<String> {
    let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
    let mut text = String::new();
    write_example(&hir, &mut text)?;
    let compiled = compile_redaction(pattern).ok()?;
    compiled.find(&text).is_some_and(|found| found.as_str() == text).then_some(text)
}

fn write_example(hir: &Hir, text: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            let readable = ranges.iter().find(|range| range.start().is_ascii_alphanumeric());
            text.push(readable.or(ranges.last())?.start());
        }
        HirKind::Class(Class::Bytes(_)) => return None,
        HirKind::Repetition(repetition) => {
            let times = repetition.min.max(u32::from(repetition.max != Some(0)));
            for _ in 0..times {
                write_example(&repetition.sub, text)?;
            }
        }
        HirKind::Capture(capture) => write_example(&capture.sub, text)?,
        HirKind::Concat(pieces) => pieces.iter().try_for_each(|piece| write_example(piece, text))?,
        HirKind::Alternation(choices) => write_example(choices.first()?, text)?,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_covered_by_their_rule() {
        let rules = [
            "journal",
            "people/*",
            "a/**/b",
            "**/x",
            "20??",
            "secret*",
            "journ[eé]e",
            "{tagebuch,x}",
            "[!a-c]z",
            "J*l",
        ];
        for rule in rules {
            assert!(example_name(rule).is_some(), "{rule}");
        }
        assert_eq!(example_name("people/*").as_deref(), Some("people"));
        assert_eq!(example_name("[a"), None);
    }

    #[test]
    fn examples_are_matched_by_their_pattern() {
        let table = [
            (r"\d{4}-\d{4}", "0000-0000"),
            ("(?:IBAN|BIC) [A-Z]{2}", "IBAN AA"),
            (r"\bsk-[a-z0-9]+\b", "sk-0"),
            ("Café?", "Café"),
        ];
        for (pattern, example) in table {
            assert_eq!(example_match(pattern).as_deref(), Some(example), "{pattern}");
        }
        assert_eq!(example_match("("), None);
    }
}
