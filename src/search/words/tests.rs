//! Which words of a query find passages and which only rank them.

use super::*;
use crate::index::{ChunkRecord, Header, NoteRecord, Writer};
use crate::vault::{FileStat, Profile};

/// More passages than [`LARGE_TREE`].
const PASSAGES: u64 = 6_000;

/// The words of a passage: each stands in every so many passages.
const EVERY: [(&str, u64); 6] =
    [("all", 1), ("half", 2), ("fourth", 4), ("fifth", 5), ("hundredth", 100), ("rare", 1_500)];

fn body(number: u64) -> String {
    let words = EVERY.iter().filter(|(_, every)| number.is_multiple_of(*every)).map(|(word, _)| *word);
    // Passages of several lengths, so that scores differ.
    let padding = std::iter::repeat_n("padding", usize::try_from(number % 7).unwrap());
    words.chain(padding).collect::<Vec<_>>().join(" ")
}

fn note(number: u64) -> NoteRecord {
    let chunk = ChunkRecord {
        range: 0..1,
        lines: (1, 1),
        hash: [0; 16],
        embed_key: [0; 16],
        columns: [String::new(), String::new(), String::new(), String::new(), body(number)],
    };
    NoteRecord {
        path: format!("{}/{number}.md", if number % 1_000 == 1 { "few" } else { "many" }),
        title: number.to_string(),
        aliases: Vec::new(),
        tags: Vec::new(),
        stat: FileStat { size: 0, modified_ns: 0, changed_ns: 0, inode: 0 },
        hash: [0; 16],
        chunks: vec![chunk],
    }
}

/// A tree of [`PASSAGES`], and where it is.
fn writer(folder: &tempfile::TempDir) -> Writer {
    let header = Header {
        profile: Profile::Public,
        vault_id: "test".to_owned(),
        model: None,
        dimensions: 0,
        largest_component: 0.25,
        chunker: 0,
        analyser: 0,
        rules: String::new(),
        complete: true,
        indexed_at: None,
    };
    let mut writer = Writer::create(&folder.path().join("tree.db"), &header).unwrap();
    writer
        .transaction(|writer| (1..=PASSAGES).try_for_each(|number| writer.put_note(&note(number)).map(drop)))
        .unwrap();
    writer
}

#[test]
fn words_of_many_passages_only_rank() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(&folder);
    let roles = |query: &str| {
        let roles = assign_roles(&Vocabulary::indexed(writer.tree()), &Query::parse(query)).unwrap();
        roles.map(|Roles { finding, ranking }| format!("{finding} / {ranking}"))
    };
    for (query, expected) in [
        ("all half fourth fifth hundredth rare", Some(r#""rare" OR "hundredth" OR "fifth" / "fourth""#)),
        ("rare fourth fifth", Some(r#""rare" OR "fifth" / "fourth""#)),
        // The rarest word finds, however common it is.
        ("all half", Some(r#""half" / "#)),
        ("all unknown", Some(r#""all" / "#)),
        // What is required narrows the search by itself.
        ("\"rare\" all half", None),
        ("unknown", None),
        ("", None),
    ] {
        assert_eq!(roles(query).as_deref(), expected, "{query:?}");
    }
}

#[test]
fn words_that_only_rank_count_as_they_would_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(&folder);
    let (tree, filter) = (writer.tree(), Filter::default());
    let every = tree.matching(r#""rare" OR "hundredth" OR "fifth""#, &KEYWORD_WEIGHTS, &filter, 20).unwrap();
    let among =
        tree.matching_among(r#""rare" OR "hundredth""#, r#""fifth""#, &KEYWORD_WEIGHTS, &filter, 20).unwrap();
    assert_eq!(among.len(), 20);
    for ((found, score), (expected, expected_score)) in among.iter().zip(&every) {
        assert_eq!(found, expected);
        assert!((score - expected_score).abs() < 1e-9, "{score} is not {expected_score}");
    }
}

#[test]
fn a_filter_finds_what_only_common_words_find() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(&folder);
    let filter = Filter { folders: vec!["few".to_owned()], ..Filter::default() };
    let found = find(
        &Vocabulary::indexed(writer.tree()),
        &Query::parse("all rare"),
        &filter,
        100,
        Breadth::TellingWords,
    )
    .unwrap();
    assert_eq!(found.len(), 6);
}

#[test]
fn frequencies_follow_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(&folder);
    let expected = EVERY.map(|(_, every)| PASSAGES / every);
    let frequencies =
        |writer: &Writer| EVERY.map(|(word, _)| writer.tree().document_frequency(word).unwrap());
    assert_eq!(frequencies(&writer), expected);
    writer.close().unwrap();
    let mut writer = Writer::open(&folder.path().join("tree.db")).unwrap();
    assert_eq!(frequencies(&writer), expected);
    let last = writer.tree().notes_by_path_key(&format!("many/{PASSAGES}.md")).unwrap();
    writer.remove_note(last[0].id).unwrap();
    assert_eq!(frequencies(&writer), expected.map(|count| count - 1));
}

#[test]
fn coverage_is_what_the_passage_holds() {
    let folder = tempfile::tempdir().unwrap();
    let writer = writer(&folder);
    let coverage = |query: &str, passage: ChunkId| {
        format!(
            "{:.2}",
            coverage(&Vocabulary::indexed(writer.tree()), &Query::parse(query), passage).unwrap()
        )
    };
    // Passage 100 holds all words but `rare`.
    for (query, expected) in
        [("all hundredth", "1.00"), ("hundredth rare", "0.39"), ("rare", "0.00"), ("unknown all", "0.00")]
    {
        assert_eq!(coverage(query, 100), expected, "{query:?}");
    }
}
