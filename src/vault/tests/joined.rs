//! Rules for every vault joined with those of one: what is added never shows anything.

use super::*;

fn tags(tags: &[&str]) -> RuleText {
    RuleText { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..RuleText::default() }
}

fn masks(patterns: &[&str], text: RuleText) -> RuleText {
    RuleText { redact_patterns: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(), ..text }
}

fn shown(rules: &Rules, text: &str) -> Option<String> {
    public_version(rules, text.as_bytes())
}

#[test]
fn a_mark_that_the_other_section_takes_out_still_hides_the_note() {
    let (general, own) = (tags(&["private"]), tags(&["work"]));
    let inside = "# T\n\n## A #work\n\nsecret #private\n\n## B\n\nrest\n";
    let thrown_together = Rules::compile(&tags(&["private", "work"])).unwrap();
    assert!(shown(&thrown_together, inside).is_some(), "which is why lists are not thrown together");
    for (first, second) in [(&general, &own), (&own, &general)] {
        assert_eq!(shown(&Rules::joined(first, second).unwrap(), inside), None);
    }
}

#[test]
fn parts_and_masks_of_either_section_are_taken_out() {
    let joined = |general, own| Rules::joined(&general, &own).unwrap();
    let text = "# T\n\n## A #work\n\none\n\n## B #private\n\ntwo\n\n## C\n\nthree 1234\n";
    let rules = joined(masks(&["12"], tags(&["private"])), masks(&["34"], tags(&["work"])));
    assert_eq!(shown(&rules, text).as_deref(), Some("# T\n\n## C\n\nthree ****\n"));
    // The first masks what meets once its own part is gone, though the second takes half of it along.
    let text = "a 12%%private%%x%%/private%%34 b\n";
    let rules = joined(masks(&["1234"], tags(&["private"])), tags(&["work"]));
    assert_eq!(shown(&rules, text).as_deref(), Some("a **** b\n"));
}

#[test]
fn the_fingerprint_tells_who_says_what() {
    let (a, b, both) = (tags(&["a"]), tags(&["b"]), tags(&["a", "b"]));
    let prints = [
        Rules::joined(&a, &b).unwrap(),
        Rules::joined(&b, &a).unwrap(),
        Rules::joined(&both, &RuleText::default()).unwrap(),
        Rules::compile(&both).unwrap(),
    ];
    let distinct: std::collections::BTreeSet<&str> = prints.iter().map(|rules| rules.fingerprint()).collect();
    assert_eq!(distinct.len(), 4);
}

#[test]
fn every_ground_of_either_section_is_told() {
    let vault = TestVault::of(&[("x.md", "## A #work\n\n#private\n\n## B\n\n#work\n")]);
    let rules = Rules::joined(&tags(&["other", "private"]), &tags(&["work"])).unwrap();
    let gate = Vault::open(&vault.root(), Box::new(FixedRules(Arc::new(rules)))).unwrap();
    let grounds = gate.request(Profile::Full, |session| session.explain(&note("x.md")).grounds).unwrap();
    let tag = |rule: &str, line| Ground::Tag { rule: rule.to_owned(), line };
    assert_eq!(grounds, [tag("private", 3), tag("work", 7)]);
}

/// Texts put together of pieces, under rules put together of words: a joined rule shows what each of the two
/// shows, less what the other takes out.
#[test]
fn joining_shows_nothing_that_one_of_the_two_hides() {
    let pieces = [
        "---\ntags: [a]\n---\n",
        "---\nflag: true\n---\n",
        "# T\n",
        "## A #a\n",
        "## B #b\n",
        "### C #a\n",
        "## D\n",
        "> [!a]\n> x\n",
        "> [!b] t\n",
        "> [!flag]\n",
        "\n",
        "#a\n",
        "#b\n",
        "```\n",
        "%%private%%\n",
        "%%/private%%\n",
        "words 1",
        "2 words\n",
        "12\n",
        "%%\n",
        "$$\n",
    ];
    let rules = |tag: &str, flag: Option<&str>, mask: &str| {
        let text = RuleText { frontmatter_flag: flag.map(str::to_owned), ..tags(&[tag]) };
        masks(&[mask], text)
    };
    let choices = [
        (rules("a", Some("flag"), "12"), rules("b", None, "words")),
        (rules("b", None, "1"), rules("a", Some("flag"), "2\n")),
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % bound
    };
    let mut seen = [0; 2];
    for _ in 0..20_000 {
        let text: String = (0..=below(9)).map(|_| pieces[below(pieces.len())]).collect();
        let (general, own) = &choices[below(2)];
        let alone = [general, own].map(|text| Rules::compile(text).unwrap());
        let joined = shown(&Rules::joined(general, own).unwrap(), &text);
        seen[usize::from(joined.is_some())] += 1;
        for rules in &alone {
            let by_one = shown(rules, &text);
            if let Some(joined) = &joined {
                let by_one = by_one.unwrap_or_else(|| panic!("one of the two hides {text:?}"));
                assert!(is_less(joined, &by_one), "{text:?}: {joined:?} of {by_one:?}");
            }
        }
    }
    assert!(seen.iter().all(|times| *times > 500), "{seen:?}");
}

/// Is the first text the second with letters left out or masked?
fn is_less(less: &str, more: &str) -> bool {
    let mut rest = more.chars();
    less.chars().all(|letter| rest.any(|other| other == letter || letter == '*'))
}
