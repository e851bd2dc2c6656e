//! R13, R20: what a note says decides, in whatever encoding, at the moment it is read.

use super::*;

fn utf16(text: &str, is_big_endian: bool) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(|unit| if is_big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn flags_and_tags_are_found_in_every_encoding() {
    let marked = ["---\nprivate: true\n---\nbody", "---\ntags: [private]\n---\nbody", "body #private"];
    for text in marked {
        let with_mark = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
        let with_stray_byte = [text.as_bytes(), b" caf\xE9"].concat();
        let stray_byte_first = [b"\xE9 ", "#private".as_bytes()].concat();
        for bytes in [
            text.into(),
            with_mark,
            with_stray_byte,
            stray_byte_first,
            utf16(text, true),
            utf16(text, false),
            text.replace('\n', "\r\n").into(),
            text.replace('\n', "\r").into(),
        ] {
            let vault = TestVault::new();
            vault.write("x.md", &bytes);
            let gate = vault.guarded();
            assert_eq!(admit(&gate, Profile::Public, "x.md"), Err(Refusal::Private), "{bytes:?}");
            assert!(admit(&gate, Profile::Full, "x.md").is_ok(), "{bytes:?}");
        }
    }
}

#[test]
fn a_tag_that_only_another_reading_of_the_bytes_shows_counts() {
    // In Windows-1252 the byte before the tag is the letter é; in UTF-8 it is no letter.
    let vault = TestVault::new();
    vault.write("x.md", b"caf\xE9#private");
    assert_eq!(admit(&vault.guarded(), Profile::Public, "x.md"), Err(Refusal::Private));
}

#[test]
fn what_is_not_surely_text_is_not_served() {
    let utf32: Vec<u8> = [0xFEFF_u32, 0x61].iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let table: Vec<(Vec<u8>, Refusal)> = vec![
        (b"nul\0byte".to_vec(), Refusal::NotText),
        (utf32, Refusal::NotText),
        (utf16("a\0b", false), Refusal::NotText),
        (b"\xFF\xFEodd".to_vec(), Refusal::NotText),
        (vec![b'x'; 1001], Refusal::TooLarge),
    ];
    for (bytes, refusal) in table {
        let vault = TestVault::new();
        vault.write("x.md", &bytes);
        let gate = vault.open(RuleText { max_note_bytes: 1000, ..usual_rules() });
        for profile in [Profile::Public, Profile::Full] {
            assert_eq!(admit(&gate, profile, "x.md"), Err(refusal), "{profile:?} {:?}", &bytes[..6]);
        }
    }
}

#[test]
fn texts_that_are_served() {
    let table: Vec<(Vec<u8>, &str)> = vec![
        (Vec::new(), ""),
        (b"plain".to_vec(), "plain"),
        (b"\xEF\xBB\xBFmark".to_vec(), "mark"),
        (b"caf\xE9".to_vec(), "café"),
        (utf16("wide", true), "wide"),
        (vec![b'x'; 1000], "x"),
    ];
    for (bytes, text) in table {
        let vault = TestVault::new();
        vault.write("x.md", &bytes);
        let gate = vault.open(RuleText { max_note_bytes: 1000, ..usual_rules() });
        let served = admit(&gate, Profile::Public, "x.md").unwrap();
        assert!(served == text || (text == "x" && served.len() == 1000), "{served:?}");
    }
}

#[test]
fn an_edit_decides_from_the_next_request_on() {
    let vault = TestVault::of(&[("x.md", "open")]);
    let gate = vault.guarded();
    for (text, served) in
        [("open", true), ("a #private", false), ("open again", true), ("---\nprivate: 1\n---", false)]
    {
        vault.write("x.md", text);
        assert_eq!(is_served(&gate, "x.md"), served, "{text}");
        // Moving a note decides too.
        vault.mkdir("journal");
        vault.rename("x.md", "journal/x.md");
        assert!(!is_served(&gate, "journal/x.md") && !is_served(&gate, "x.md"));
        vault.rename("journal/x.md", "x.md");
        assert_eq!(is_served(&gate, "x.md"), served, "{text}");
    }
}

#[test]
fn a_note_is_hashed_by_its_text() {
    let vault = TestVault::new();
    vault.write("a.md", "same");
    vault.write("b.md", utf16("same", true));
    vault.write("c.md", "other");
    vault
        .guarded()
        .request(Profile::Public, |session| {
            let hash = |name: &str| session.open(&note(name)).ok().unwrap().content_hash();
            assert_eq!(hash("a.md"), hash("b.md"));
            assert_ne!(hash("a.md"), hash("c.md"));
        })
        .unwrap();
}
