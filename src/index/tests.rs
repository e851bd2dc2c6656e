//! A tree on disk, written and read.

use std::collections::HashSet;

use rusqlite::OpenFlags;

use super::schema::immutable;
use super::{Cut, Filter, Header, NoteRecord, Tree, Writer};
use crate::vault::{FileStat, Profile};

fn header() -> Header {
    Header {
        profile: Profile::Public,
        vault_id: "0".to_owned(),
        model: None,
        dimensions: 0,
        largest_component: 0.25,
        chunker: 1,
        analyser: 1,
        rules: String::new(),
        complete: true,
        indexed_at: None,
    }
}

fn note(path: &str, text: &str) -> NoteRecord {
    let stat = FileStat { size: 0, modified_ns: 0, changed_ns: 0, inode: 0 };
    NoteRecord::new(path, path, &Cut::new(text, path), [0; 16], stat)
}

#[test]
fn a_removal_is_remembered_until_its_traces_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gen-000001.db");
    let mut writer = Writer::create(&path, &header()).unwrap();
    let id = writer.put_note(&note("a.md", "plain zebra")).unwrap();
    writer.put_note(&note("b.md", "plain horse")).unwrap();
    assert!(!writer.needs_purge().unwrap());
    writer.transaction(|writer| writer.remove_note(id)).unwrap();
    drop(writer); // as a kill would

    let mut writer = Writer::open(&path).unwrap();
    assert!(writer.needs_purge().unwrap());
    writer.purge().unwrap();
    assert!(!writer.needs_purge().unwrap());
    writer.close().unwrap();
    let bytes = file(&path);
    let stands = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    assert!(stands(b"horse") && !stands(b"zebra"));
}

#[test]
fn a_purge_that_a_reader_delays_is_still_due() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gen-000001.db");
    let mut writer = Writer::create(&path, &header()).unwrap();
    let id = writer.put_note(&note("a.md", "plain zebra")).unwrap();
    writer.tree().connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    let reader = Tree::open(&path, Profile::Public, "0").unwrap();
    let read = reader.connection.unchecked_transaction().unwrap();
    assert_eq!(reader.notes().unwrap().len(), 1);
    writer.transaction(|writer| writer.remove_note(id)).unwrap();
    writer.purge().unwrap();
    assert!(writer.needs_purge().unwrap());
    read.finish().unwrap();
    writer.purge().unwrap();
    assert!(!writer.needs_purge().unwrap());
}

#[test]
fn a_tree_on_a_read_only_disk_is_read_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gen %31?#é.db");
    let mut writer = Writer::create(&path, &header()).unwrap();
    writer.put_note(&note("a.md", "plain zebra")).unwrap();
    writer.close().unwrap();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let tree = Tree::connect(&immutable(&path), flags).unwrap();
    assert_eq!(tree.notes().unwrap().len(), 1);
}

/// Vectors of passages that come and go: what is read block by block and scanned as a whole is what sqlite-vec finds.
#[test]
fn the_nearest_are_those_that_sqlite_vec_finds_whatever_came_and_went() {
    const DIMENSIONS: usize = 32;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gen-000001.db");
    let model = Some("m".to_owned());
    let header = Header { model, dimensions: DIMENSIONS, largest_component: 0.6, ..header() };
    let mut writer = Writer::create(&path, &header).unwrap();
    let mut state = 1_u64;
    let mut unit = || {
        let mut component = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        let vector: Vec<f32> = (0..DIMENSIONS).map(|_| component()).collect();
        let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
        vector.iter().map(|component| component / length).collect::<Vec<f32>>()
    };
    let reader = Tree::open(&path, Profile::Public, "0").unwrap();
    let mut notes = Vec::new();
    for round in 0..4 {
        writer
            .transaction(|writer| {
                for number in 0..700 {
                    let path = format!("{round}-{number}.md");
                    notes.push(writer.put_note(&note(&path, &format!("word{round} word{number}")))?);
                }
                for waiting in writer.pending(0, usize::MAX >> 1)? {
                    let vector = writer.tree().quantised(&unit()).unwrap();
                    writer.put_vector(waiting.chunk, &vector)?;
                }
                // Leaves gaps in every block, which the next round fills in part.
                let gone: Vec<_> = notes.iter().copied().filter(|id| id % 3 == round).collect();
                notes.retain(|id| !gone.contains(id));
                gone.into_iter().try_for_each(|id| writer.remove_note(id))
            })
            .unwrap();
        for limit in [1, 50, 5_000] {
            let question = unit();
            let found = reader.nearest(&question, &Filter::default(), limit).unwrap();
            let expected = by_sqlite_vec(&reader, &question, limit);
            assert_eq!(found.len(), notes.len().min(limit));
            let ids: HashSet<i64> = found.iter().map(|(id, _)| *id).collect();
            // It rounds the question more coarsely: only near ties may change places.
            let common = expected.iter().filter(|(id, _)| ids.contains(id)).count();
            assert!(limit == 1 || common * 100 >= found.len() * 95, "{common} of {}", found.len());
            let differences = found.iter().zip(&expected).map(|((_, one), (_, other))| (one - other).abs());
            assert!(differences.fold(0.0, f64::max) < 0.02);
        }
    }
}

/// The passages that sqlite-vec finds, with their cosine similarity.
fn by_sqlite_vec(tree: &Tree, unit: &[f32], limit: usize) -> Vec<(i64, f64)> {
    let sql = "SELECT rowid, distance FROM vectors WHERE embedding MATCH vec_int8(?) AND k = ?";
    let mut query = tree.connection.prepare(sql).unwrap();
    let scale = 127.0 / tree.header().largest_component;
    let question = tree.quantised(unit).unwrap();
    let similarity = |distance: f64| 1.0 - (distance / scale).powi(2) / 2.0;
    let rows = query.query_map((question.as_bytes(), i64::try_from(limit.min(4096)).unwrap()), |row| {
        Ok((row.get(0)?, similarity(row.get(1)?)))
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the test looks at the bytes of a tree")]
fn file(path: &std::path::Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}
