//! Which names and tags rules cover, and which rules are refused.

use super::*;

fn folders(rules: &[&str]) -> Rules {
    Rules::compile(&RuleText {
        folders: rules.iter().map(|rule| (*rule).to_owned()).collect(),
        ..RuleText::default()
    })
    .unwrap()
}

#[test]
fn a_folder_rule_covers_what_it_names_and_all_below() {
    let table: &[(&str, &[&str], &[&str])] = &[
        (
            "journal",
            &["journal/a.md", "Journal/2024/a.md", "x/JOURNAL/a.md"],
            &["journals/a.md", "journal.md", "a-journal/b.md"],
        ),
        ("journal/", &["journal/a.md", "x/journal/y.md"], &["journal.md"]),
        ("journal/*", &["journal/a.md", "journal/b/c.md"], &["journalist/a.md"]),
        ("journal/**", &["journal/a.md", "journal/b/c.md"], &["journal.md"]),
        ("people/*", &["people/a.md", "people/a/b.md"], &["person/a.md"]),
        ("/people", &["people/a.md"], &["x/people/a.md"]),
        ("a/b", &["a/b/c.md", "A/B/c/d.md"], &["x/a/b/c.md", "a/bc/d.md", "a/x/b/c.md"]),
        ("a/**/b", &["a/b/c.md", "a/x/b/c.md", "a/x/y/b/c.md"], &["b/c.md", "x/a/b/c.md"]),
        ("**/b", &["b/c.md", "a/b/c.md"], &["ab/c.md"]),
        ("20??", &["2024/a.md", "x/1999/2001/a.md"], &["202/a.md", "20245/a.md"]),
        ("secret*", &["secrets/a.md", "Secret plan.md", "x/secret"], &["my secret/a.md"]),
        ("people/jane.md", &["people/Jane.md"], &["people/jane doe.md"]),
        ("journ?e", &["Journée/a.md", "journ\u{e9}e/b.md", "JOURNE\u{301}E/a.md"], &["journ/a.md"]),
        ("journ[eé]e", &["Journée/a.md", "journee/a.md"], &["journ/a.md"]),
        ("{tagebuch,日記}", &["Tagebuch/a.md", "日記/a.md"], &["日/a.md"]),
        ("Journée", &["Journe\u{301}e/a.md", "JOURNÉE/a.md"], &["Journee/a.md"]),
        ("journal", &["journal./a.md", "journal /a.md", "jour\u{200b}nal/a.md"], &[]),
    ];
    for (rule, private, public) in table {
        let rules = folders(&[rule]);
        for path in *private {
            assert!(rules.hides_name(path), "{rule} should hide {path}");
        }
        for path in *public {
            assert!(!rules.hides_name(path), "{rule} should not hide {path}");
        }
    }
}

#[test]
fn rules_that_cannot_be_understood_are_refused() {
    for rule in ["", "/", "*/..", "a/../b", "./a", "a//b", "[a", "{a", "a**b", "a\\b"] {
        let text = RuleText { folders: vec![rule.to_owned()], ..RuleText::default() };
        assert!(Rules::compile(&text).is_err(), "{rule:?}");
    }
    for tag in ["", "#", "a b", "a,b", "priv*"] {
        assert!(
            Rules::compile(&RuleText { tags: vec![tag.to_owned()], ..RuleText::default() }).is_err(),
            "{tag:?}"
        );
    }
    for flag in ["", " ", "a b", "private:", "\"private\""] {
        let text = RuleText { frontmatter_flag: Some(flag.to_owned()), ..RuleText::default() };
        assert!(Rules::compile(&text).is_err(), "{flag:?}");
    }
}

#[test]
fn a_tag_rule_covers_nested_tags_and_no_others() {
    let rules =
        Rules::compile(&RuleText { tags: vec!["#Private".into(), "a/b".into()], ..RuleText::default() })
            .unwrap();
    for tag in ["private", "private/x", "a/b", "a/b/c"] {
        assert!(rules.hiding_tag(tag).is_some(), "{tag}");
    }
    for tag in ["privateer", "a", "a/bc", "x/private", ""] {
        assert!(rules.hiding_tag(tag).is_none(), "{tag}");
    }
}

#[test]
fn the_fingerprint_follows_the_rules() {
    let one = RuleText::default();
    let two = RuleText { tags: vec!["private".into()], ..RuleText::default() };
    assert_eq!(one.fingerprint(), RuleText::default().fingerprint());
    assert_ne!(one.fingerprint(), two.fingerprint());
}
