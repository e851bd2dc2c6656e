//! What must hold for any input. The fuzz targets call these with whatever they come up with, and the
//! tests of the project (`tests/it/fuzz.rs`) with the inputs in `corpus`.

use obsearch::index::Cut;
use obsearch::note;
use obsearch::vault::{NotePath, RuleText, Rules, public_version};

/// A flag that is set in properties as we read them hides the note, and so does every tag in them.
pub(crate) fn frontmatter(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let document = note::parse(&text);
    for (key, value) in document.frontmatter.properties.iter().take(8) {
        if value.as_bool() == Some(true) {
            let rules = RuleText { frontmatter_flag: Some(key.clone()), ..RuleText::default() };
            let is_set = |rest: &str| {
                let properties = note::parse(rest).frontmatter.properties;
                properties.iter().any(|(other, value)| other == key && value.as_bool() == Some(true))
            };
            assert_hidden(&rules, &text, |rest| !is_set(rest));
        }
    }
    tags_are_seen(&text, &document.frontmatter.tags);
}

/// Every tag that we show is one that the judge sees.
pub(crate) fn inline_tags(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    tags_are_seen(&text, &note::parse(&text).tags);
}

fn tags_are_seen(text: &str, tags: &[String]) {
    for tag in tags.iter().take(8) {
        let rules = RuleText { tags: vec![tag.clone()], ..RuleText::default() };
        let shown =
            |rest: &str| note::parse(rest).tags.iter().any(|found| note::fold(found) == note::fold(tag));
        assert_hidden(&rules, text, |rest| !shown(rest));
    }
}

/// Under these rules the note is private, or what is shown of it is free of what they name.
fn assert_hidden(rules: &RuleText, text: &str, is_free: impl Fn(&str) -> bool) {
    // A tag or a key that no rule can name, such as one with a quote in it.
    let Ok(rules) = Rules::compile(rules) else { return };
    if let Some(rest) = public_version(&rules, text.as_bytes()) {
        assert!(is_free(&rest), "{rules:?} let this through: {rest:?}");
    }
}

/// Parsing ends, and whatever it points at lies inside the text.
pub(crate) fn markdown(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let document = note::parse(&text);
    for link in &document.links {
        assert!(text.get(link.range.clone()).is_some(), "{link:?}");
    }
    for comment in &document.comments {
        assert!(text.get(comment.clone()).is_some(), "{comment:?}");
    }
    let cut = Cut::new(&text, "note");
    for piece in cut.pieces() {
        assert!(text.get(piece.range()).is_some());
        assert!(piece.lines().0 <= piece.lines().1);
    }
    let rules = RuleText {
        tags: vec!["private".into()],
        frontmatter_flag: Some("private".into()),
        ..RuleText::default()
    };
    let rules = Rules::compile(&rules).expect("the rules are valid");
    if let Some(rest) = public_version(&rules, data) {
        let marks = note::parse(&rest).tags;
        assert!(!marks.iter().any(|tag| note::fold(tag) == "private"), "{rest:?}");
    }
}

/// A name that is accepted stays inside the vault on every system.
pub(crate) fn note_path(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(path) = NotePath::parse(&text) else { return };
    assert_eq!(path.as_str(), text);
    let components: Vec<_> = std::path::Path::new(path.as_str()).components().collect();
    assert!(components.iter().all(|part| matches!(part, std::path::Component::Normal(_))));
    assert_eq!(components.len(), text.split('/').count());
    assert!(!text.contains(['\\', ':', '\0', '\n']) && !text.split('/').any(|part| part.starts_with('.')));
    assert!(text.to_ascii_lowercase().ends_with(".md"));
}

/// A configuration that is accepted has exactly the rules that are written in it.
pub(crate) fn config(data: &[u8]) {
    let Ok(rules) = obsearch::config::rules_of_text(data) else { return };
    let text = std::str::from_utf8(data).expect("only UTF-8 is accepted");
    let table: toml::Table =
        toml::from_str(text.trim_start_matches('\u{feff}')).expect("only TOML is accepted");
    let privacy = table.get("privacy").and_then(|section| section.as_table()).cloned().unwrap_or_default();
    let written = |key: &str| privacy.get(key).and_then(|list| list.as_array()).map_or(0, Vec::len);
    assert_eq!(rules.folders.len(), written("folders"));
    assert_eq!(rules.tags.len(), written("tags"));
    assert_eq!(rules.redact_patterns.len(), written("redact_patterns"));
    assert_eq!(rules.frontmatter_flag.is_some(), privacy.contains_key("frontmatter_flag"));
}
