//! What an evaluation looks like, in a terminal and on a page.

use expect_test::expect;

use super::*;
use crate::eval::{FORMAT, Outcome, Question, Scores, compare};

fn outcome(id: &str, ranked: &[&str], kind: &str) -> Outcome {
    let question = Question { expected_sources: vec!["right.md".to_owned()], ..Question::default() };
    let rank = ranked.iter().position(|path| *path == "right.md");
    Outcome {
        id: id.to_owned(),
        query: format!("<b>{id}</b> & \u{202e}co"),
        kind: Some(kind.to_owned()),
        expected: question.expected_sources.clone(),
        ranks: rank.map(|index| index + 1).into_iter().collect(),
        first: ranked.first().map(|path| (*path).to_owned()),
        answered: true,
        right_heading: Some(rank == Some(0)),
        scores: Some(Scores::of(&question, ranked, 5)),
        milliseconds: 2.0,
    }
}

fn run(ranked: &[&[&str]]) -> Run {
    let mut outcomes: Vec<Outcome> =
        ranked.iter().zip(["a", "b", "c"]).map(|(ranked, id)| outcome(id, ranked, "exact")).collect();
    outcomes.push(Outcome { scores: None, right_heading: None, ..outcome("d", &["x.md"], "unanswerable") });
    let keyword = ModeRun::of(Way::Keyword, outcomes, 5);
    Run {
        format: FORMAT,
        asked: Asked {
            questions_from: "q.jsonl".to_owned(),
            answerable: 3,
            unanswerable: 1,
            missing_sources: vec!["gone.md".to_owned()],
            vault: "Notes".to_owned(),
            profile: "public".to_owned(),
            notes: 7,
            passages: 12,
            model: None,
        },
        k: 5,
        modes: vec![keyword, ModeRun::impossible(Way::Semantic, "no vectors".to_owned())],
    }
}

fn before_and_now() -> (Run, Run) {
    let before = run(&[&["right.md"], &["x.md"], &["x.md", "right.md"]]);
    let now = run(&[&["right.md"], &["x.md", "right.md"], &["x.md", "y.md", "right.md"]]);
    (before, now)
}

#[test]
fn the_table_and_the_differences() {
    let (before, now) = before_and_now();
    let comparison = compare(&before, &now).unwrap();
    let mut out = Vec::new();
    report(&mut out, &now, Some(&comparison)).unwrap();
    let text = String::from_utf8(out).unwrap();
    let plain = text.replace(&style::HEADING.to_string(), "").replace("\u{1b}[0m", "");
    let plain: Vec<&str> = plain.lines().map(str::trim_end).collect();
    expect![[r"
        4 questions from q.jsonl (1 of them without an answer), over Notes (public): 7 notes, 12 passages, model none
        1 expected note is not among the notes of this profile: gone.md
        semantic cannot run: no vectors

                                       keyword
        hit@1                          0.333 [0.000, 1.000]
        hit@5                          1.000 [1.000, 1.000]
        recall@5                       1.000 [1.000, 1.000]
        MRR@10                         0.611 [0.333, 1.000]
        nDCG@5                         0.710 [0.500, 1.000]
        nDCG@10                        0.710 [0.500, 1.000]
          hit@1, exact (3)             0.333 [0.000, 1.000]
        first under right heading (3)  0.333 [0.000, 1.000]
        false answers (1)              1.000 [1.000, 1.000]
        p50 / p95 ms                   2.0 / 2.0

        keyword against the former run: 4 questions in both, 1 better, 1 worse
          hit@1      +0.000 [+0.000, +0.000]
          hit@5      +0.333 [+0.000, +1.000]
          recall@5   +0.333 [+0.000, +1.000]
          MRR@10     +0.111 [-0.167, +0.500]
          nDCG@5     +0.167 [-0.131, +0.631]
          nDCG@10    +0.167 [-0.131, +0.631]
          better not found -> 2           b: <b>b</b> & \u{202e}co
          worse  2 -> 3                   c: <b>c</b> & \u{202e}co"]].assert_eq(&plain.join("\n"));
}

#[test]
fn the_page_needs_nothing_from_elsewhere_and_runs_nothing() {
    let (before, now) = before_and_now();
    let page = page(&now, Some(&compare(&before, &now).unwrap()));
    for forbidden in ["http://", "https://", "<script", "src=", "href=", "url(", "@import", "<b>", "\u{202e}"]
    {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let expected = [
        "default-src 'none'",
        "prefers-color-scheme: dark",
        "width=device-width",
        "&lt;b&gt;c&lt;/b&gt; &amp; \\u{202e}co",
        "semantic</strong> cannot run: no vectors",
        "gone.md",
        "Since the former run: keyword",
    ];
    for text in expected {
        assert!(page.contains(text), "{text}");
    }
    let count = |text: &str| page.matches(text).count();
    assert_eq!(count("<svg"), 8, "six measures, ranks and latency of the one mode that ran");
    for tag in ["div", "table", "tr", "td", "th", "details", "svg", "g", "p"] {
        let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
        assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
    }
}
