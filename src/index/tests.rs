//! A tree on disk, written and read.

use rusqlite::OpenFlags;

use super::schema::immutable;
use super::{Cut, Header, NoteRecord, Tree, Writer};
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

#[expect(clippy::disallowed_methods, reason = "the test looks at the bytes of a tree")]
fn file(path: &std::path::Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}
