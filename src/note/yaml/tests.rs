//! What the YAML of a properties block becomes.
use super::*;

#[test]
fn scalars_stay_as_written() {
    for (written, expected) in [
        ("2031-04-09", r#""2031-04-09""#),
        ("2031-04-09T07:05:00+02:00", r#""2031-04-09T07:05:00+02:00""#),
        ("00420", r#""00420""#),
        ("1.10", r#""1.10""#),
        ("1.5", "1.5"),
        ("-3", "-3"),
        ("+3", r#""+3""#),
        ("12", "12"),
        ("0", "0"),
        ("-0", r#""-0""#),
        ("1e3", r#""1e3""#),
        ("0x1F", r#""0x1F""#),
        ("1_000", r#""1_000""#),
        ("18:30", r#""18:30""#),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", r#""9223372036854775808""#),
        (".inf", r#"".inf""#),
        ("-.inf", r#""-.inf""#),
        (".nan", r#"".nan""#),
        ("NaN", r#""NaN""#),
        ("yes", r#""yes""#),
        ("on", r#""on""#),
        ("true", "true"),
        ("FALSE", "false"),
        ("null", "null"),
        ("~", "null"),
        ("", "null"),
        ("# a comment", "null"),
        (r#""12""#, r#""12""#),
        ("'true'", r#""true""#),
        ("\"\"", r#""""#),
        ("!!str 12", r#""12""#),
        ("!!int 12", r#""12""#),
        ("!!python/object:os.system rm", r#""rm""#),
        ("!!python/object/apply:os.system [\"echo hi\"]", r#"["echo hi"]"#),
        ("!ruby/object:X {}", "{}"),
        ("[1, [a, {b: c}]]", r#"[1,["a",{"b":"c"}]]"#),
        ("|\n  two\n  lines", r#""two\nlines\n""#),
        ("\"\\u0000\"", r#""\u0000""#),
    ] {
        let map = read_map(&format!("k: {written}\n")).unwrap();
        assert_eq!(map["k"].to_string(), expected, "{written}");
    }
}

#[test]
fn maps_keep_their_order_and_merge() {
    for (text, expected) in [
        ("", "{}"),
        ("# nothing\n", "{}"),
        ("b: 1\na: 2\n", r#"{"b":1,"a":2}"#),
        ("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\n", r#"{"x":{"a":1,"b":2},"y":{"b":3,"a":1}}"#),
        ("y:\n  <<: [{a: 1}, {a: 2, b: 2}]\n", r#"{"y":{"a":1,"b":2}}"#),
        ("a: &a [1]\nb: [*a, *a]\n", r#"{"a":[1],"b":[[1],[1]]}"#),
        ("? [complex, key]\n: v\n", r#"{"[\"complex\",\"key\"]":"v"}"#),
        ("1: one\nnull: none\n", r#"{"1":"one","":"none"}"#),
        ("\"<<\": text\n", r#"{"<<":"text"}"#),
    ] {
        assert_eq!(Value::from(read_map(text).unwrap()).to_string(), expected, "{text}");
    }
}

#[test]
fn what_is_no_map_of_properties_is_refused() {
    let deep = |depth: usize| format!("k: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    let bomb = (1..9).map(|i| format!("k{i}: &k{i} [{}]", format!("*k{},", i - 1).repeat(9)));
    let bomb = bomb.collect::<Vec<_>>().join("\n");
    let many_aliases = format!("a: &a 1\nb: [{}]\n", "*a,".repeat(101));
    for (text, expected) in [
        ("a: 1\na: 2\n".to_owned(), YamlError::DuplicateKey),
        ("a: {b: 1, b: 2}\n".to_owned(), YamlError::DuplicateKey),
        ("title: {{title}}\n".to_owned(), YamlError::BadKey),
        ("a: {<<: text}\n".to_owned(), YamlError::BadKey),
        ("just text\n".to_owned(), YamlError::NotAMap),
        ("- a\n- b\n".to_owned(), YamlError::NotAMap),
        ("a: [\n".to_owned(), YamlError::Syntax),
        ("a: *missing\n".to_owned(), YamlError::Syntax),
        ("a: &a [*a]\n".to_owned(), YamlError::Syntax),
        ("a: 1\n...\nb: 2\n".to_owned(), YamlError::Syntax),
        ("a: 1\n\tb: 2\n".to_owned(), YamlError::Syntax),
        (format!("k0: &k0 x\n{bomb}"), YamlError::Budget),
        (many_aliases, YamlError::Budget),
        (deep(65), YamlError::Budget),
        (deep(20_000), YamlError::Syntax),
        (format!("a: [{}]\n", "1,".repeat(10_001)), YamlError::Budget),
        (format!("a: {}\n", "x".repeat(MAX_INPUT_BYTES)), YamlError::Budget),
    ] {
        assert_eq!(read_map(&text), Err(expected), "{}", &text[..text.len().min(60)]);
    }
    assert!(read_map(&deep(60)).is_ok());
}
