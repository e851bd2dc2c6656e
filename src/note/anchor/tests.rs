//! Which heading or block an anchor means.
use crate::note::{Anchor, link, parse};

const NOTE: &str = "\
# Top

## Foo & bar (2.0)

## 📚 Modules

## **Bold** `title`

## Parent

### Child

## Other: part | two

### Child

#### Leaf

## Child

## C# and ^caret too

## See [[Note|label]]

## naïve

Text ^b1
";

/// The heading line at which the section begins that `[[#anchor]]` means.
fn found(anchor: &str) -> Option<String> {
    let document = parse(NOTE);
    let written = parse(&format!("[x](<#{anchor}>)")).links.remove(0);
    let range = link::find_anchor(&document, &written.anchor?)?;
    let line = NOTE[range].lines().next()?.to_owned();
    Some(line)
}

#[test]
fn headings_by_text_and_by_slug() {
    for (anchor, expected) in [
        ("Foo & bar (2.0)", Some("## Foo & bar (2.0)")),
        ("foo bar 2 0", Some("## Foo & bar (2.0)")),
        ("foo--bar-20", Some("## Foo & bar (2.0)")),
        ("📚 Modules", Some("## 📚 Modules")),
        ("-modules", Some("## 📚 Modules")),
        ("Bold title", Some("## **Bold** `title`")),
        ("**Bold** `title`", Some("## **Bold** `title`")),
        ("bold-title", Some("## **Bold** `title`")),
        ("PARENT", Some("## Parent")),
        ("Other part two", Some("## Other: part | two")),
        ("C and caret too", Some("## C# and ^caret too")),
        ("See label", Some("## See [[Note|label]]")),
        ("NAI\u{308}VE", Some("## naïve")),
        ("missing", None),
        ("Foo", None),
        ("&", None),
    ] {
        assert_eq!(found(anchor).as_deref(), expected, "{anchor}");
    }
}

#[test]
fn the_first_of_equal_headings_unless_parents_or_numbers_tell() {
    let document = parse(NOTE);
    let lines = |anchor: &str| {
        let link = parse(&format!("[[#{anchor}]]")).links.remove(0);
        let range = link::find_anchor(&document, &link.anchor.unwrap())?;
        document.headings.iter().find(|heading| heading.section == range).map(|heading| heading.line)
    };
    for (anchor, expected) in [
        ("Child", Some(11)),
        ("Parent#Child", Some(11)),
        ("Other part two#Child", Some(15)),
        ("Other part two#Leaf", Some(17)),
        ("Top#Child", Some(11)),
        ("Top#Other part two#Child#Leaf", Some(17)),
        ("Child#Parent", None),
        ("Parent#Leaf", None),
        ("child-1", Some(15)),
        ("child-2", Some(19)),
        ("child-3", None),
    ] {
        assert_eq!(lines(anchor), expected, "{anchor}");
    }
}

#[test]
fn many_anchors_of_many_headings_are_found_in_no_time() {
    let part = |number: usize| format!("# Part {number}\n\n## Notes\n\n### Same\n\nText ^b{number}\n\n");
    let text: String = (0..10_000).map(part).collect();
    let document = parse(&text);
    let mut anchors = link::Anchors::new(&document);
    let began = std::time::Instant::now();
    for number in 0..10_000 {
        let heading = |names: &[&str]| Anchor::Heading(names.iter().map(|name| (*name).to_owned()).collect());
        let outer = format!("part {number}");
        let section = anchors.find(&heading(&[&outer, "Same"])).unwrap();
        assert!(text[..section.start].ends_with(&format!("# Part {number}\n\n## Notes\n\n")));
        assert!(anchors.find(&Anchor::Block(format!("B{number}"))).is_some());
        assert_eq!(anchors.find(&heading(&["Same", &outer])), None);
        assert_eq!(anchors.find(&heading(&["Notes", "Same", "None"])), None);
        assert_eq!(anchors.find(&heading(&[&format!("none {number}")])), None);
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn blocks_by_id() {
    assert_eq!(found("^b1").as_deref(), Some("Text ^b1"));
    assert_eq!(found("^B1").as_deref(), Some("Text ^b1"));
    assert_eq!(found("^b2"), None);
    assert_eq!(found("Parent#^b1").as_deref(), Some("Text ^b1"));
}
