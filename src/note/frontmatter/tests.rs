//! Where the properties block lies and what obsearch takes from it.
use super::*;
use crate::note::parse;

#[test]
fn the_block_is_found_only_between_two_fences() {
    for (text, yaml, body) in [
        ("", None, ""),
        ("---", None, "---"),
        ("---\n", None, "---\n"),
        ("---\na: 1\n", None, "---\na: 1\n"),
        ("---\na: 1\n---\nbody", Some("a: 1\n"), "body"),
        ("---\na: 1\n---", Some("a: 1\n"), ""),
        ("---\n---\nbody", Some(""), "body"),
        ("--- \t\na: 1\n---  \nbody", Some("a: 1\n"), "body"),
        ("\u{feff}---\na: 1\n---\nbody", Some("a: 1\n"), "body"),
        ("\u{feff}body", None, "body"),
        ("---\r\na: 1\r\n---\r\nbody", Some("a: 1\r\n"), "body"),
        ("---\ra: 1\r---\rbody", Some("a: 1\r"), "body"),
        ("----\na: 1\n----\nbody", None, "----\na: 1\n----\nbody"),
        ("--- x\na: 1\n---\nbody", None, "--- x\na: 1\n---\nbody"),
        (" ---\na: 1\n---\n", None, " ---\na: 1\n---\n"),
        ("\n---\na: 1\n---\n", None, "\n---\na: 1\n---\n"),
        ("---\na: 1\n----\n--- x\n ---\n---\nbody", Some("a: 1\n----\n--- x\n ---\n"), "body"),
        ("---\na: 1\n...\nbody", None, "---\na: 1\n...\nbody"),
    ] {
        let head = locate(text);
        let found = head.yaml.map(|range| &text[range]);
        assert_eq!((found, &text[head.body_start..]), (yaml, body), "{text:?}");
    }
}

#[test]
fn tags_in_every_shape() {
    for (yaml, expected) in [
        ("tags: [oak, elm]", "oak elm"),
        ("tags:\n  - oak\n  - elm", "oak elm"),
        ("tags: oak, elm", "oak elm"),
        ("tags: oak elm", "oak elm"),
        ("tag: oak", "oak"),
        ("Tags: [Oak]", "Oak"),
        ("TAG: oak\ntags: elm", "oak elm"),
        ("tags: [\"#oak\", '##elm', \"#oak/red\"]", "oak elm oak/red"),
        ("tags:\n  - #oak\n  - elm", "elm"),
        ("tags: #oak", ""),
        ("tags:", ""),
        ("tags: []", ""),
        ("tags: [[oak, elm], {kind: ash}, null]", "oak elm"),
        ("tags: {oak: elm}", ""),
        ("tags: [2031, oak, true, 1.5, -3]", "oak true"),
        ("tags: [2031-04-09, y1984, 12ab]", "2031-04-09 y1984 12ab"),
        ("tags: [Oak, oak, OAK]", "Oak"),
        ("tags: [c++, node.js, café, 日本語, 🌱]", "c++ node.js café 日本語 🌱"),
        ("tags: [oak/, /elm]", "oak elm"),
        ("tags: \"daily, log/{{date:YYYY}}, {{date: x y}} oak\"", "daily oak"),
        ("tags: \"<% tp.date.now() %>, oak\"", "oak"),
        ("tags: \"oak {{open elm\"", "oak"),
        ("tags: [\"a\\nb\", \"(x)\", \"[[y]]\"]", "a b"),
    ] {
        assert_eq!(read(yaml).tags.join(" "), expected, "{yaml}");
    }
}

#[test]
fn titles_descriptions_and_aliases() {
    for (yaml, title, description, aliases) in [
        ("title: A note\naliases: [Big tree]", Some("A note"), None, "Big tree"),
        ("Title: 2031\nsummary: s", Some("2031"), Some("s"), ""),
        ("summary: s\ndescription: d", None, Some("s"), ""),
        ("title: \"\"\ndescription: '  '", None, None, ""),
        ("title: [a]\ndescription: {a: b}", None, None, ""),
        ("title: |\n  two\n  lines", Some("two lines"), None, ""),
        ("title: \"{{title}}\"\naliases: [\"{{date}} note\", real]", None, None, "real"),
        ("aliases: Big tree two, Bigger", None, None, "Big tree two;Bigger"),
        ("aliases: [\"Oak, red\", Elm]", None, None, "Oak, red;Elm"),
        ("alias: Lone", None, None, "Lone"),
        ("aliases: [404, null, true]", None, None, "404;true"),
        ("aliases:", None, None, ""),
        ("aliases: [Crème, CRÈME]", None, None, "Crème"),
    ] {
        let found = read(yaml);
        let described = (found.title.as_deref(), found.description.as_deref(), &*found.aliases.join(";"));
        assert_eq!(described, (title, description, aliases), "{yaml}");
        assert!(!found.malformed, "{yaml}");
    }
}

#[test]
fn a_malformed_block_leaves_nothing_but_the_body() {
    for yaml in ["a: 1\na: 2", "tags: [oak", "title: {{title}}\ntags: [oak]", "text", "tags: [#oak]"] {
        let document = parse(&format!("---\n{yaml}\n---\n# Head\n\n#elm\n"));
        assert_eq!(document.frontmatter, Frontmatter { malformed: true, ..Frontmatter::default() }, "{yaml}");
        assert_eq!(document.tags, ["elm"], "{yaml}");
        assert_eq!(document.headings[0].text, "Head", "{yaml}");
    }
}

#[test]
fn wikilinks_in_properties_are_links() {
    let text = "---\nup: \"[[Tree|the tree]]\"\nsee: [\"[[a#b]] and [[c.png]]\", [[nested]]]\n# \"[[comment]]\"\n---\n[[body]]";
    let document = parse(text);
    let written: Vec<&str> = document.links.iter().map(|link| &text[link.range.clone()]).collect();
    assert_eq!(written, ["[[Tree|the tree]]", "[[a#b]]", "[[body]]"]);
    assert_eq!(document.links[0].label.as_deref(), Some("the tree"));
}
