//! The query language as tables, and against a real FTS5 table.

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::text::{FTS5_TOKENIZER, MAX_TERM_BYTES, index_text};

fn expression(query: &str) -> String {
    Query::parse(query).match_expression().unwrap_or_default()
}

#[test]
fn every_text_has_an_expression() {
    for (query, expected) in [
        ("", ""),
        (" \t\n\0", ""),
        ("\"", ""),
        ("''''", ""),
        ("\"\" \"--\" * ( ) : ^", ""),
        ("kettle", r#""kettle""#),
        ("Kettle KETTLE kettle", r#""kettle""#),
        ("kettle -shipped", r#""kettle" OR "shipped""#),
        ("-4471", r#""4471""#),
        (
            "a OR b NEAR(c) title:d e*",
            r#""a" OR "or" OR "b" OR "near" OR "c" OR "title d" OR "title" OR "d" OR "e""#,
        ),
        ("ORD-4471", r#""ord 4471" OR "ord" OR "4471""#),
        ("a,b;c", r#""a" OR "b" OR "c""#),
        ("38.101", r#""38 101" OR "38" OR "101""#),
        ("don't lend", r#""dont" OR "lend""#),
        ("O’Brien", r#""o brien" OR "o" OR "brien" OR "obrien""#),
        ("fileHasTag", r#""filehastag" OR "file" OR "has" OR "tag""#),
        ("C++", r#""c++" OR "c""#),
        (".NET", r#""net" OR ".net""#),
        ("2031 2031-04", r#""2031" OR "2031 04" OR "04""#),
        ("a-a", r#""a a" OR "a""#),
        ("\"slow steady\"", r#""slow steady""#),
        ("\"slow steady\" turtle", r#"("slow steady") AND (("slow steady") OR "turtle")"#),
        ("“slow steady” \"turtle\"", r#""slow steady" AND "turtle""#),
        ("\"slow and steady", r#""slow" OR "and" OR "steady""#),
        ("5\" pipe 6\"", r#""5" OR "pipe" OR "6""#),
        ("a\0b", r#""a" OR "b""#),
        ("鉴", r#""鉴"*"#),
        ("照片", r#""照片""#),
        ("图书馆", r#""图书 书馆" OR "图书" OR "书馆""#),
        ("\"图书馆 学\"", r#""图书 书馆 馆 学"*"#),
        ("\"图书馆 学生\"", r#""图书 书馆 馆 学生""#),
        ("rsync同步", r#""rsync 同步" OR "rsync" OR "同步""#),
        ("4月9日", r#""4 月 9 日"* OR "4" OR "月"* OR "9" OR "日"*"#),
        ("👍🏽 done", r#""👍" OR "done""#),
    ] {
        assert_eq!(expression(query), expected, "{query:?}");
    }
}

#[test]
fn all_words_must_stand_in_the_note() {
    for (query, expected) in [
        ("", None),
        ("kettle shipped", Some(r#""kettle" AND "shipped""#)),
        ("ORD-4471 \"red brick\"", Some(r#"("ord 4471" OR ("ord" AND "4471")) AND "red brick""#)),
    ] {
        assert_eq!(Query::parse(query).all_words_expression().as_deref(), expected, "{query:?}");
    }
}

#[test]
fn terms_are_distinct() {
    assert_eq!(Query::parse("the ORD-4471 \"the kettle\"").terms(), ["the", "ord", "4471", "kettle"]);
}

#[test]
fn long_queries_are_cut() {
    let words: Vec<String> = (0..10_000).map(|number| format!("w{number}")).collect();
    assert_eq!(Query::parse(&words.join(" ")).terms().len(), MAX_QUERY_TERMS);
    assert_eq!(Query::parse(&words[..200].join("-")).terms().len(), MAX_QUERY_TERMS);
    assert_eq!(Query::parse(&format!("\"{}\"", words[..200].join(" "))).terms().len(), MAX_QUERY_TERMS);
    let late = format!("{}late", " ".repeat(MAX_QUERY_BYTES));
    assert!(Query::parse(&late).is_empty());
    assert_eq!(Query::parse(&"é".repeat(MAX_QUERY_BYTES)).terms(), ["e".repeat(MAX_TERM_BYTES)]);
}

/// A contentless table, as the index has it, filled with (name, body) notes.
pub(super) fn table(notes: &[(String, String)]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let columns = format!(r#"title, body, content='', contentless_delete=1, tokenize="{FTS5_TOKENIZER}""#);
    connection.execute(&format!("CREATE VIRTUAL TABLE note USING fts5({columns})"), []).unwrap();
    for (rowid, (name, body)) in (0_i64..).zip(notes) {
        let title = index_text(name.trim_end_matches(".md"));
        let insert = "INSERT INTO note (rowid, title, body) VALUES (?1, ?2, ?3)";
        connection.execute(insert, (rowid, title, index_text(body))).unwrap();
    }
    connection
}

/// Rows that match, best first; the error of FTS5 if the expression is not to its liking.
pub(super) fn matches(connection: &Connection, expression: &str) -> rusqlite::Result<Vec<i64>> {
    let select = "SELECT rowid FROM note WHERE note MATCH ?1 ORDER BY bm25(note, 2.0, 1.0), rowid";
    let mut statement = connection.prepare_cached(select)?;
    statement.query_map([expression], |row| row.get(0))?.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn fts5_accepts_every_expression(query in hostile_text()) {
        let connection = table(&[]);
        let parsed = Query::parse(&query);
        prop_assert!(parsed.terms().len() <= MAX_QUERY_TERMS);
        for expression in [parsed.match_expression(), parsed.all_words_expression()] {
            prop_assert_eq!(expression.is_none(), parsed.is_empty());
            if let Some(expression) = expression {
                prop_assert!(matches(&connection, &expression).is_ok(), "{}", expression);
            }
        }
    }

    #[test]
    fn a_quoted_stretch_of_a_note_finds_it(
        note in "[a-zA-Zé图书馆도서 .'’-]{1,40}", from in 0..40_usize, length in 1..20_usize,
    ) {
        let stretch = whole_words(&note, from, from + length);
        let connection = table(&[(String::new(), note)]);
        if let Some(expression) = Query::parse(&format!("\"{stretch}\"")).match_expression() {
            prop_assert_eq!(matches(&connection, &expression).unwrap(), [0], "{}", expression);
        }
    }
}

/// The characters `from..to` of a text, both moved on to where no word written with blanks is cut.
fn whole_words(text: &str, from: usize, to: usize) -> String {
    let in_word =
        |at: usize| text.chars().nth(at).is_some_and(|c| c.is_ascii_alphabetic() || "é.'’".contains(c));
    let end = text.chars().count();
    let cut = |at: usize| (at..=at.max(end)).find(|&at| at == 0 || !in_word(at - 1) || !in_word(at)).unwrap();
    text.chars().take(cut(to)).skip(cut(from)).collect()
}

/// Any text, and text made of what FTS5 and shells take for syntax.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\"",
        "'",
        "(",
        ")",
        "*",
        ":",
        "^",
        "-",
        "+",
        "{",
        "}",
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "a",
        "word",
        " ",
        "\0",
        "图书馆",
        "馆",
        "👩‍💻",
        "é",
        "C++",
        "fileHasTag",
        "don’t",
        "“",
        "”",
        ",",
        "\u{200b}",
        "NEAR",
        ".NET",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat())]
}
