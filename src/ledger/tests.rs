//! A ledger in a folder, what crashes leave of it, and what somebody could do to it.
#![expect(clippy::disallowed_methods, reason = "a test damages the ledger")]

use std::fs;
use std::path::{Path, PathBuf};

use super::record::{Record, Transport};
use super::write::SEGMENT_BYTES;
use super::{Asked, Book, Client, FaultKind, Filter, Health, Ledger, Report, look, select, verify};
use crate::ops::shown::Shown;
use crate::vault::Profile;

/// A folder with a ledger in small segments.
struct Case {
    folder: tempfile::TempDir,
    segment_bytes: u64,
}

impl Case {
    fn new(segment_bytes: u64) -> Case {
        Case { folder: tempfile::tempdir().unwrap(), segment_bytes }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("ledger")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn open(&self) -> Ledger {
        Ledger::with_segments_of(&self.path(), self.segment_bytes).unwrap()
    }

    /// Another process appends records about these notes.
    fn append(&self, notes: &[&str]) {
        let ledger = self.open();
        for note in notes {
            ledger.append(record(note));
        }
    }

    fn verify(&self) -> Report {
        verify(&self.path()).unwrap()
    }

    /// The one segment of a case with large ones.
    fn segment(&self) -> Vec<u8> {
        fs::read(self.file("00000001.jsonl")).unwrap()
    }

    fn put_segment(&self, bytes: &[u8]) {
        fs::write(self.file("00000001.jsonl"), bytes).unwrap();
    }

    fn lines(&self) -> Vec<Vec<u8>> {
        self.segment().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    }

    fn shown(&self) -> Vec<String> {
        let records = select(&self.path(), &Filter::default(), 1000).unwrap();
        records.into_iter().map(|record| record.notes[0].path.clone()).collect()
    }

    #[track_caller]
    fn assert_whole(&self, what: &str) {
        assert_eq!(self.verify().fault, None, "{what}: {}", String::from_utf8_lossy(&self.segment()));
    }
}

fn record(note: &str) -> Record {
    let mut shown = Shown::default();
    shown.lines(note, 1, 3);
    Record {
        number: 0,
        time: super::record::now(),
        client: "test".to_owned(),
        client_version: "1".to_owned(),
        transport: Transport::Stdio,
        call: "read_note".to_owned(),
        profile: "public".to_owned(),
        vault: "Notes".to_owned(),
        notes: shown.into_notes(),
        previous: String::new(),
    }
}

const NAMES: [&str; 6] = ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"];

#[test]
fn records_are_chained_through_all_segments() {
    let case = Case::new(700);
    assert_eq!(look(&case.path()).unwrap(), Health::Absent);
    case.append(&NAMES[..4]);
    case.append(&NAMES[4..]);
    let report = case.verify();
    assert_eq!((report.records, report.torn, report.unrecorded, &report.fault), (6, 0, 0, &None));
    assert!(report.segments > 1, "{report:?}");
    assert_eq!(
        (case.shown(), look(&case.path()).unwrap()),
        (NAMES.map(str::to_owned).to_vec(), Health::Well)
    );
    let newest: Vec<u64> =
        select(&case.path(), &Filter::default(), 2).unwrap().iter().map(|record| record.number).collect();
    assert_eq!(newest, [5, 6]);
}

#[test]
fn files_are_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let case = Case::new(SEGMENT_BYTES);
    case.append(&NAMES);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&case.path()), 0o700);
    assert_eq!([mode(&case.file("head")), mode(&case.file("00000001.jsonl"))], [0o600; 2]);
}

/// Of every file, a closed-off torn line among them.
#[test]
fn no_byte_can_change() {
    let case = Case::new(1200);
    case.append(&NAMES[..2]);
    let torn = [case.segment(), b"{\"number\":3,\"ti".to_vec()].concat();
    case.put_segment(&torn);
    case.append(&NAMES[2..]);
    let report = case.verify();
    assert_eq!((report.records, report.torn, &report.fault), (6, 1, &None));
    assert!(report.segments > 1);
    for entry in fs::read_dir(case.path()).unwrap() {
        let file = entry.unwrap().path();
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= [1, 0x20, 0x80][at % 3];
            fs::write(&file, &bytes).unwrap();
            assert!(case.verify().fault.is_some(), "{} at {at}", file.display());
        }
        fs::write(&file, &whole).unwrap();
    }
    case.assert_whole("put back");
}

/// What was done, the lines then, and what is told of it.
type Damage = (String, Vec<Vec<u8>>, Option<(FaultKind, u64)>);

/// Before and after a server goes on with it.
#[test]
fn lines_that_are_taken_away_moved_or_put_in_are_found() {
    let case = Case::new(SEGMENT_BYTES);
    case.append(&NAMES);
    let (lines, head) = (case.lines(), fs::read(case.file("head")).unwrap());
    let forged: Vec<u8> = String::from_utf8(lines[5].clone())
        .unwrap()
        .replace("f.md", "x.md")
        .replace(":6,", ":7,")
        .into_bytes();
    let mut changed: Vec<Damage> = Vec::new();
    for at in 0..lines.len() {
        let mut without = lines.clone();
        without.remove(at);
        changed.push((format!("without {at}"), without, Some((FaultKind::Removed, at as u64 + 1))));
        let mut twice = lines.clone();
        twice.insert(at, lines[at].clone());
        changed.push((format!("twice {at}"), twice, Some((FaultKind::Inserted, at as u64 + 1))));
        if at > 0 {
            let mut swapped = lines.clone();
            swapped.swap(at - 1, at);
            changed.push((format!("swapped {at}"), swapped, Some((FaultKind::Moved, at as u64))));
        }
        let mut other = lines.clone();
        other[at] = String::from_utf8(other[at].clone()).unwrap().replace("test", "best").into_bytes();
        changed.push((format!("changed {at}"), other, Some((FaultKind::Changed, at as u64 + 1))));
    }
    changed.push(("forged".to_owned(), [lines.clone(), vec![forged]].concat(), None));
    changed.push(("emptied".to_owned(), vec![], Some((FaultKind::Removed, 1))));
    for (what, lines, expected) in changed {
        case.put_segment(&lines.concat());
        fs::write(case.file("head"), &head).unwrap();
        let fault = case.verify().fault.unwrap_or_else(|| panic!("{what} is not found"));
        if let Some(expected) = expected {
            assert_eq!((fault.kind, fault.record), expected, "{what}");
            case.append(&["later.md"]);
            let fault = case.verify().fault.unwrap_or_else(|| panic!("{what} is not found later"));
            assert_eq!((fault.kind, fault.record), expected, "{what}, later");
        }
    }
}

#[test]
fn what_is_cut_off_is_missed_wherever_it_is_cut() {
    let case = Case::new(SEGMENT_BYTES);
    case.append(&NAMES[..3]);
    let (whole, head) = (case.segment(), fs::read(case.file("head")).unwrap());
    for end in 0..whole.len() {
        case.put_segment(&whole[..end]);
        fs::write(case.file("head"), &head).unwrap();
        assert!(case.verify().fault.is_some(), "cut at {end}");
        case.append(&["later.md"]);
        assert!(case.verify().fault.is_some(), "cut at {end}, later");
    }
    fs::remove_file(case.file("00000001.jsonl")).unwrap();
    assert_eq!(case.verify().fault.map(|fault| fault.kind), Some(FaultKind::Removed));
}

/// A writer is stopped at any byte of its line, before it wrote the head; and so is the one after it.
#[test]
fn a_torn_line_is_closed_off_and_told_as_torn() {
    let case = Case::new(SEGMENT_BYTES);
    case.append(&NAMES[..2]);
    let (start, head) = (case.segment(), fs::read(case.file("head")).unwrap());
    case.append(&["lost.md"]);
    let whole = case.segment();
    for end in start.len()..=whole.len() {
        case.put_segment(&whole[..end]);
        fs::write(case.file("head"), &head).unwrap();
        let torn = u64::from(end > start.len() && end < whole.len());
        let report = case.verify();
        assert_eq!((report.torn, &report.fault), (torn, &None), "stopped at {end}");
        case.append(&["later.md"]);
        let report = case.verify();
        assert_eq!((report.torn, &report.fault), (torn, &None), "stopped at {end}, later");
        let expected: &[&str] = if end == whole.len() {
            &["a.md", "b.md", "lost.md", "later.md"]
        } else {
            &["a.md", "b.md", "later.md"]
        };
        assert_eq!(case.shown(), expected, "stopped at {end}");
        let second = case.segment();
        // Not every one after every one, for the sake of time.
        for again in (end..second.len()).step_by(if end % 16 == 0 { 7 } else { 211 }) {
            case.put_segment(&second[..again]);
            fs::write(case.file("head"), &head).unwrap();
            case.assert_whole(&format!("stopped at {end} and {again}"));
            case.append(&["last.md"]);
            case.assert_whole(&format!("stopped at {end} and {again}, later"));
            assert_eq!(case.shown().last().unwrap(), "last.md");
        }
    }
}

#[test]
fn a_head_that_is_lost_is_told_for_good() {
    for damage in [None, Some(&b"{}"[..]), Some(b"")] {
        let case = Case::new(SEGMENT_BYTES);
        case.append(&NAMES[..3]);
        match damage {
            None => fs::remove_file(case.file("head")).unwrap(),
            Some(bytes) => fs::write(case.file("head"), bytes).unwrap(),
        }
        assert_eq!(look(&case.path()).unwrap(), Health::Headless);
        assert_eq!(case.verify().fault.map(|fault| fault.kind), Some(FaultKind::Head));
        case.append(&NAMES[3..]);
        let fault = case.verify().fault.unwrap();
        assert_eq!((fault.kind, fault.record), (FaultKind::Head, 4));
        assert_eq!(case.shown(), NAMES);
    }
}

#[test]
fn a_running_server_knows_when_older_files_take_the_place_of_its_own() {
    let case = Case::new(SEGMENT_BYTES);
    let ledger = case.open();
    for note in &NAMES[..2] {
        ledger.append(record(note));
    }
    let (segment, head) = (case.segment(), fs::read(case.file("head")).unwrap());
    ledger.append(record("hidden.md"));
    case.put_segment(&segment);
    fs::write(case.file("head"), &head).unwrap();
    case.assert_whole("nobody could know");
    ledger.append(record("later.md"));
    let fault = case.verify().fault.unwrap();
    assert_eq!((fault.kind, fault.record), (FaultKind::Removed, 3));
    fs::remove_dir_all(case.path()).unwrap();
    ledger.append(record("later.md"));
    assert_eq!(case.verify().fault.map(|fault| (fault.record, fault.to)), Some((1, 4)));
}

#[test]
fn answers_that_could_not_be_recorded_are_counted() {
    let case = Case::new(1);
    let ledger = case.open();
    ledger.append(record("a.md"));
    // The next segment cannot be opened.
    fs::create_dir(case.file("00000002.jsonl")).unwrap();
    (0..3).for_each(|_| ledger.append(record("b.md")));
    fs::remove_dir(case.file("00000002.jsonl")).unwrap();
    assert_eq!(look(&case.path()).unwrap(), Health::Failing { unrecorded: 3 });
    assert_eq!((case.verify().unrecorded, case.verify().fault), (3, None));
    ledger.append(record("c.md"));
    assert_eq!(look(&case.path()).unwrap(), Health::Well);
    assert_eq!((case.verify().unrecorded, case.verify().records, case.verify().fault), (3, 2, None));
}

#[test]
fn writers_take_turns() {
    let case = Case::new(20_000);
    let ledgers: Vec<Ledger> = (0..4).map(|_| case.open()).collect();
    std::thread::scope(|scope| {
        for ledger in &ledgers {
            scope.spawn(|| (0..100).for_each(|_| ledger.append(record("a.md"))));
        }
    });
    let report = case.verify();
    assert_eq!((report.records, report.torn, report.unrecorded, report.fault), (400, 0, 0, None));
    assert!(report.segments > 1);
}

#[test]
fn a_writer_that_is_stopped_holds_up_no_answer_for_long() {
    let case = Case::new(SEGMENT_BYTES);
    let ledger = case.open();
    let head = fs::File::open(case.file("head")).unwrap();
    head.lock().unwrap();
    let began = std::time::Instant::now();
    ledger.append(record("a.md"));
    assert!(began.elapsed() < std::time::Duration::from_secs(2), "{:?}", began.elapsed());
    drop(head);
    ledger.append(record("b.md"));
    assert_eq!((case.verify().unrecorded, case.shown()), (1, vec!["b.md".to_owned()]));
}

#[test]
fn an_answer_costs_less_than_a_millisecond() {
    let case = Case::new(SEGMENT_BYTES);
    let ledger = case.open();
    let began = std::time::Instant::now();
    (0..2000).for_each(|_| ledger.append(record("Projects/Some boat.md")));
    let each = began.elapsed() / 2000;
    eprintln!("{each:?} for each record");
    assert!(each < std::time::Duration::from_millis(1), "{each:?}");
}

#[test]
fn clients_cannot_write_what_they_like() {
    let case = Case::new(SEGMENT_BYTES);
    let book = Book::new(Some(std::sync::Arc::new(case.open())), Profile::Public, vec!["Notes".to_owned()]);
    let hostile = format!(" a\u{1b}[2J\u{202e}\n{{\"number\":1}}{} ", "x".repeat(100));
    let asked =
        Asked { client: Client::new(&hostile, "1\n2"), transport: Transport::Http, call: "list_tags" };
    book.enter(asked, 0, Shown::default());
    let record = select(&case.path(), &Filter::default(), 1).unwrap().remove(0);
    assert!(record.client.starts_with("a\u{fffd}[2J\u{fffd}\u{fffd}{\"number\":1}x"), "{}", record.client);
    assert_eq!((record.client.chars().count(), &*record.client_version), (64, "1\u{fffd}2"));
    let told = (&*record.call, &*record.profile, &*record.vault, record.notes);
    assert_eq!(told, ("list_tags", "public", "Notes", vec![]));
    case.assert_whole("hostile");
    Book::default().enter(
        Asked { client: Client::default(), transport: Transport::Sse, call: "x" },
        0,
        Shown::default(),
    );
}

#[test]
fn records_are_found_by_note_time_and_client() {
    let case = Case::new(500);
    let ledger = case.open();
    for (number, note) in ["work/a.md", "work/b.md", "works.md", "work"].iter().enumerate() {
        let time = format!("2031-04-0{}T10:00:00.000Z", number + 1);
        ledger.append(Record { time, client: format!("Client{number}"), ..record(note) });
    }
    let filter = |note: &str, since: &str, client: &str| {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Filter { note: given(note), since: given(since), client: given(client), vaults: Vec::new() }
    };
    let table: [(Filter, usize, &[u64]); 9] = [
        (filter("", "", ""), 9, &[1, 2, 3, 4]),
        (filter("", "", ""), 2, &[3, 4]),
        (filter("", "", ""), 0, &[]),
        (filter("work", "", ""), 9, &[1, 2, 4]),
        (filter("work/", "", ""), 1, &[4]),
        (filter("work/b.md", "", ""), 9, &[2]),
        (filter("", "2031-04-03", ""), 9, &[3, 4]),
        (filter("", "", "client1"), 9, &[2]),
        (filter("x", "", ""), 9, &[]),
    ];
    for (filter, most, expected) in table {
        let found = select(&case.path(), &filter, most).unwrap();
        assert_eq!(found.iter().map(|record| record.number).collect::<Vec<_>>(), expected, "{filter:?}");
    }
}
