//! Answers as a terminal shows them, colours written as `<…>`.

use std::path::PathBuf;
use std::sync::Arc;

use expect_test::expect;

use super::*;
use crate::cli::tune::{Questions, Report, Verdict};
use crate::config::{Config, Embeddings, ModelChoice, Search, Server};
use crate::eval::{Estimate, Gain, Tried, Tuned};
use crate::ops::links::{LinkedNote, LinksAnswer};
use crate::ops::list::{ListAnswer, ListedNote};
use crate::ops::read::OutlineEntry;
use crate::ops::search::{MatchedBy, Passage, Standing};
use crate::ops::status::{IndexState, StatusAnswer};
use crate::ops::tags::TagCount;
use crate::sync::{SkipReason, Skipped, TreeSummary};
use crate::vault::{FixedRules, Profile, RuleText, Rules};

/// The output with styles made visible: `<` begins one, `>` ends it.
fn shown(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    let mut text = String::from_utf8(out).unwrap().replace("\u{1b}[0m", ">");
    for style in [style::CITATION, style::MATCH, style::DIM, style::HEADING] {
        text = text.replace(&style.to_string(), "<");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
    text
}

fn passage(path: &str, heading: Option<&str>, text: &str, query: &str) -> Passage {
    let found = text.find(query).map(|start| start..start + query.len());
    Passage {
        rank: 1,
        path: path.to_owned(),
        title: "Alpha".to_owned(),
        citation: heading.map_or(path.to_owned(), |heading| format!("{path}#{heading}")),
        heading_path: heading.map(str::to_owned).into_iter().collect(),
        line_start: 3,
        line_end: 9,
        text: text.to_owned(),
        highlights: found.into_iter().collect(),
        score: 0.5,
        matched_by: vec![MatchedBy::Keyword],
        standings: [None, Some(Standing { rank: 2, score: 0.75 })],
        via: None,
    }
}

#[test]
fn passages_are_cited_wrapped_and_marked() {
    let long = "The certificate is renewed every ninety days by the timer on the gateway.";
    let mut second = passage("Projects/Beta.md", None, "- one\n- two\n\nthree\n", "two");
    (second.rank, second.line_end) = (2, 3);
    second.title = "Beta, the second".to_owned();
    second.via = Some("Ops/Alpha\u{202e}.md".to_owned());
    let passages = [passage("Ops/Alpha.md", Some("Renewal"), long, "ninety days by"), second];
    expect![[r"
        1. <Ops/Alpha.md#Renewal>  <lines 3-9>
           The certificate is renewed every
           <ninety days by> the timer on the
           gateway.

        2. <Projects/Beta.md>  Beta, the second  <line 3, linked with Ops/Alpha\u{202e}.md>
           - one
           - <two>

           three
    "]]
    .assert_eq(&shown(|out| search::passages(out, &passages, Some(40), search::Detail::Plain)));
}

#[test]
fn without_a_terminal_lines_stay_whole() {
    let text = "word ".repeat(60);
    let shown = shown(|out| {
        search::passages(out, &[passage("a.md", None, &text, "none")], None, search::Detail::Plain)
    });
    assert_eq!(shown.lines().count(), 2);
}

#[test]
fn a_passage_cannot_reach_the_terminal() {
    let mut hostile =
        passage("a\u{202e}dm.md", Some("\u{1b}[2J"), "x\u{1b}]0;title\u{7}\r\ny\u{9b}1m", "none");
    hostile.title = "two\nlines".to_owned();
    expect![[r"
        1. <a\u{202e}dm.md#\u{1b}[2J>  two\u{a}lines  <lines 3-9>
           <score 0.5000: not by words, by meaning no. 2 (0.750)>
           x\u{1b}]0;title\u{7}
           y\u{9b}1m
    "]]
    .assert_eq(&shown(|out| search::passages(out, &[hostile], Some(80), search::Detail::Explained)));
}

#[test]
fn a_note_ends_with_a_line_end() {
    for (text, expected) in [("", ""), ("a", "a\n"), ("a\n", "a\n"), ("a\u{1b}b", "a\\u{1b}b\n")] {
        assert_eq!(shown(|out| notes::text(out, text)), expected);
    }
}

#[test]
fn an_outline_is_indented_by_level() {
    let entry = |level, heading: &str, line| OutlineEntry { level, heading: heading.to_owned(), line };
    let outline = [entry(1, "Alpha", 1), entry(2, "Next\u{7} steps", 12), entry(6, "Deep", 120)];
    expect![[r"
        <  1>  Alpha
        < 12>    Next\u{7} steps
        <120>            Deep
    "]]
    .assert_eq(&shown(|out| notes::outline(out, &outline)));
}

#[test]
fn lists_are_paths_alone() {
    let note = |path: &str| ListedNote { path: path.to_owned(), title: "Other".to_owned() };
    let answer = ListAnswer {
        notes: vec![note("a.md"), note("b/\u{1b}c.md")],
        folders: vec!["b".to_owned()],
        next_cursor: None,
    };
    assert_eq!(shown(|out| notes::list(out, &answer)), "b\na.md\nb/\\u{1b}c.md\n");
}

#[test]
fn tags_have_their_counts() {
    let tag = |tag: &str, notes| TagCount { tag: tag.to_owned(), notes };
    let tags = [tag("project", 12), tag("project/alpha", 3)];
    assert_eq!(shown(|out| notes::tags(out, &tags)), "12  project\n 3  project/alpha\n");
}

#[test]
fn links_are_grouped_by_direction() {
    let note = |path: &str, title: &str| LinkedNote { path: path.to_owned(), title: title.to_owned() };
    let mut answer = LinksAnswer {
        path: "Alpha.md".to_owned(),
        title: "Alpha".to_owned(),
        outgoing: vec![note("b/Beta.md", "Beta"), note("c.md", "Gamma rays")],
        backlinks: vec![],
        unresolved: vec!["Not there#x".to_owned()],
        near: None,
        route: None,
        truncated: false,
    };
    expect![[r"
        <Alpha.md>

        <Links to>
          <b/Beta.md>
          <c.md>  Gamma rays

        <Links to no note>
          Not there#x
    "]]
    .assert_eq(&shown(|out| notes::links(out, &answer)));
    (answer.outgoing, answer.unresolved) = (vec![], vec![]);
    assert_eq!(shown(|out| notes::links(out, &answer)), "<Alpha.md>\n");
}

#[test]
fn the_status_fits_a_screen() {
    let config = Config {
        vault: PathBuf::from("/home/ada/Notes"),
        vault_name: "Notes".to_owned(),
        chosen: None,
        other_vaults: Vec::new(),
        rules: Arc::new(FixedRules(Arc::new(Rules::compile(&RuleText::default()).unwrap()))),
        embeddings: Embeddings::Builtin(ModelChoice::Auto),
        reranking: None,
        models_are_current: Arc::new(|| true),
        search: Search { meaning_weight: Some(0.55) },
        server: Server { allow_reindex: false },
        data_dir: PathBuf::from("/d"),
        cache_dir: PathBuf::from("/c"),
        config_file: Some(PathBuf::from("/home/ada/.config/obsearch/config.toml")),
        ledger: PathBuf::from("/home/ada/.config/obsearch/ledger"),
        keeps_ledger: true,
    };
    let mut answer = StatusAnswer {
        state: IndexState::Embedding,
        notes: 1203,
        chunks: 9001,
        pending_vectors: 12,
        model: Some("multilingual".to_owned()),
        indexed_at: Some("2026-01-02T03:04:05Z".to_owned()),
        notices: vec![],
    };
    expect![[r"
        <Vault    > Notes (/home/ada/Notes)
        <Profile  > public
        <Index    > words are ready, vectors are being made
        <Notes    > 1,203
        <Passages > 9,001, 12 of them without a vector yet
        <Model    > multilingual
        <Updated  > 2026-01-02T03:04:05Z
        <Weights  > meaning counts 0.55, words the rest, as configured
        <Ledger   > as it is
        <Settings > /home/ada/.config/obsearch/config.toml
    "]]
    .assert_eq(&shown(|out| status::status(out, &config, Profile::Public, &answer, "as it is")));
    answer.state = IndexState::Missing;
    (answer.notes, answer.chunks, answer.pending_vectors) = (0, 1, 0);
    (answer.model, answer.indexed_at) = (None, None);
    expect![[r"
        <Vault    > Notes (/home/ada/Notes)
        <Profile  > full
        <Index    > none yet; run `obsearch index`
        <Weights  > meaning counts 0.55, words the rest, as configured
        <Ledger   > as it is
        <Settings > /home/ada/.config/obsearch/config.toml
    "]]
    .assert_eq(&shown(|out| status::status(out, &config, Profile::Full, &answer, "as it is")));
}

#[test]
fn an_index_run_is_a_line_for_each_tree() {
    let skipped = |reason, count, examples: &[&str]| Skipped {
        reason,
        count,
        examples: examples.iter().map(|name| (*name).to_owned()).collect(),
    };
    let public = TreeSummary {
        profile: "public",
        notes: 103,
        chunks: 1203,
        added: 3,
        changed: 1,
        removed: 0,
        skipped: vec![
            skipped(SkipReason::Private, 5, &["secret.md"]),
            skipped(SkipReason::TooLarge, 3, &["big.md", "b\u{1b}g.md"]),
        ],
        embedded: 10,
        pending_vectors: 2,
        model: None,
        model_failure: None,
        is_purge_due: false,
        rebuilt: Some("the chunker changed"),
        seconds: 1.26,
    };
    let full = TreeSummary {
        profile: "full",
        skipped: vec![],
        pending_vectors: 0,
        rebuilt: None,
        notes: 1,
        ..public.clone()
    };
    expect![[r"
        <public> 103 notes, 1,203 passages: 3 added, 1 changed, 0 removed, 8 skipped (5 private, 3 too large) in 1.3 s
               built anew: the chunker changed
               2 passages still without a vector
               <too large: big.md, b\u{1b}g.md, …>
        <full  > 1 note, 1,203 passages: 3 added, 1 changed, 0 removed, 0 skipped in 1.3 s
    "]].assert_eq(&shown(|out| index::summaries(out, &[public, full])));
}

#[test]
fn numbers_are_grouped_and_counted() {
    for (count, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(grouped(count), expected);
    }
    assert_eq!((counted(1, "note"), counted(0, "note")), ("1 note".to_owned(), "0 notes".to_owned()));
}

#[test]
fn a_tuning_shows_what_was_tried_and_what_is_held_out() {
    let measured = |name: &str, before, after, low| Gain {
        name: name.to_owned(),
        before,
        after,
        difference: Estimate { mean: after - before, low, high: 0.1, count: 120 },
    };
    let tried = [(0.4, 0.71), (0.55, 0.76)].map(|(weight, ndcg_at_10)| Tried { weight, ndcg_at_10 });
    let tuned = Tuned {
        current: 0.4,
        best: 0.55,
        tried: tried.to_vec(),
        held_out: vec![measured("hit@1", 0.6, 0.62, -0.01), measured("nDCG@10", 0.7, 0.75, 0.02)],
        is_better: true,
    };
    let report = Report {
        verdict: Verdict::Better,
        profile: "public",
        model: Some("english@0123".to_owned()),
        questions: Questions { tuning: 130, held_out: 120 },
        tuned: Some(tuned),
        written: false,
    };
    expect![[r"
        130 questions from the texts of links to choose a weight on, 120 held out; profile public, model english

        <Weight of meaning   nDCG@10>
        0.4                 0.710  now
        0.55                0.760  best

        <Held out    with 0.4    with 0.55   difference>
        hit@1       0.600       0.620       +0.020 [-0.010, +0.100]
        nDCG@10     0.700       0.750       +0.050 [+0.020, +0.100]

        Proposed: `meaning_weight = 0.55` below [search]; `obsearch tune --write` writes it.
    "]].assert_eq(&shown(|out| tune::report(out, &report)));
}
