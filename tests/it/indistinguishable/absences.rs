//! The kinds of what is not there for a client, as a table.
#![expect(clippy::disallowed_methods, reason = "a test puts odd things into the vault")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use crate::common::Home;

/// Something that is not there, and names it might be asked by.
pub(super) struct Absence {
    pub(super) what: &'static str,
    pub(super) make: fn(&Home),
    pub(super) names: &'static [&'static str],
}

const TEXT: &str =
    "---\ntitle: Hidden title\naliases: [Hidden alias]\n---\n# Hidden heading\n\n## Part\n\nText. ^block\n";

pub(super) fn note(home: &Home, path: &str, change: impl Fn(&str) -> String) {
    home.write_note(path, &change(TEXT));
}

fn bytes(home: &Home, path: &str, bytes: &[u8]) {
    home.write_note(path, "");
    fs::write(in_vault(home, path), bytes).unwrap();
}

pub(super) fn in_vault(home: &Home, path: &str) -> PathBuf {
    home.vault().join(path)
}

pub(super) const ABSENCES: &[Absence] = &[
    Absence {
        what: "missing",
        make: |_| {},
        names: &["Nope.md", "Nope", "[[Nope]]", "work/Nope.md", "nowhere/at/all.md"],
    },
    Absence { what: "missing in a private folder", make: |_| {}, names: &["journal/Nope.md", "people/Nope"] },
    Absence {
        what: "private folder",
        make: |home| note(home, "journal/Day.md", str::to_owned),
        names: &[
            "journal/Day.md",
            "journal/Day",
            "Day",
            "[[Day]]",
            "[[journal/Day|x]]",
            "JOURNAL/DAY.MD",
            "./journal/Day.md",
        ],
    },
    Absence {
        what: "private folder by a glob",
        make: |home| note(home, "work/deep/closed/Deal.md", str::to_owned),
        names: &["work/deep/closed/Deal.md", "Deal"],
    },
    Absence {
        what: "folder below a private folder",
        make: |home| note(home, "people/x/y/Ann.md", str::to_owned),
        names: &["people/x/y/Ann.md", "Ann", "x/y/Ann"],
    },
    Absence {
        what: "tag",
        make: |home| note(home, "Tagged.md", |text| text.replace("title:", "tags: [Secret]\ntitle:")),
        names: &["Tagged.md", "Tagged", "tagged", "[[Tagged#Part]]"],
    },
    Absence {
        what: "nested tag",
        make: |home| note(home, "Nested.md", |text| text.replace("title:", "tags: secret/x\ntitle:")),
        names: &["Nested.md", "Nested#^block"],
    },
    Absence {
        what: "inline tag",
        make: |home| note(home, "Inline.md", |text| format!("{text}\n#secret")),
        names: &["Inline.md", "Inline"],
    },
    Absence {
        what: "tag in code",
        make: |home| note(home, "Code.md", |text| format!("{text}\n`#secret`")),
        names: &["Code.md", "Code"],
    },
    Absence {
        what: "flag",
        make: |home| note(home, "Flag.md", |text| text.replace("title:", "Private: 1\ntitle:")),
        names: &["Flag.md", "Flag"],
    },
    Absence {
        what: "nested flag",
        make: |home| note(home, "Deep flag.md", |text| text.replace("title:", "m: {private: y}\ntitle:")),
        names: &["Deep flag.md", "Deep flag"],
    },
    Absence {
        what: "flag in malformed properties",
        make: |home| note(home, "Broken.md", |text| text.replace("title:", "private: [\nx: {{y}}\ntitle:")),
        names: &["Broken.md", "Broken"],
    },
    Absence {
        what: "tag in another encoding",
        make: |home| {
            let units =
                format!("{TEXT}\n#secret\n").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
            bytes(home, "Wide.md", &[&[0xFF, 0xFE], &*units].concat());
        },
        names: &["Wide.md", "Wide"],
    },
    Absence {
        what: "title, alias, heading and block of private notes",
        make: |_| {},
        names: &[
            "Hidden title",
            "Hidden alias",
            "[[Hidden alias]]",
            "Hidden heading",
            "Day#Part",
            "Day#^block",
            "Hidden alias#Part",
        ],
    },
    Absence {
        what: "ignored folder",
        make: |home| note(home, "templates/T.md", str::to_owned),
        names: &["templates/T.md", "T"],
    },
    Absence {
        what: "hidden folder",
        make: |home| note(home, ".obsidian/Set.md", str::to_owned),
        names: &[".obsidian/Set.md", "Set", ".obsidian/workspace.json"],
    },
    Absence {
        what: "too large",
        make: |home| note(home, "Large.md", |text| text.repeat(60)),
        names: &["Large.md", "Large"],
    },
    Absence {
        what: "zero byte",
        make: |home| bytes(home, "Nul.md", b"text\0text"),
        names: &["Nul.md", "Nul"],
    },
    Absence {
        what: "UTF-32",
        make: |home| bytes(home, "Utf32.md", b"\xFF\xFE\0\0t\0\0\0"),
        names: &["Utf32.md", "Utf32"],
    },
    Absence {
        what: "attachment",
        make: |home| bytes(home, "photo.png", b"\x89PNG"),
        names: &["photo.png", "photo", "[[photo.png]]"],
    },
    Absence {
        what: "canvas and base",
        make: |home| {
            bytes(home, "Map.canvas", b"{}");
            bytes(home, "All.base", b"x: 1");
        },
        names: &["Map.canvas", "Map", "All.base"],
    },
    Absence {
        what: "drawing",
        make: |home| note(home, "Sketch.excalidraw.md", str::to_owned),
        names: &["Sketch.excalidraw.md", "Sketch.excalidraw", "Sketch"],
    },
    Absence {
        what: "link to a private note",
        make: |home| symlink("journal/Day.md", in_vault(home, "Way.md")).unwrap(),
        names: &["Way.md", "Way"],
    },
    Absence {
        what: "link to a private folder",
        make: |home| symlink("journal", in_vault(home, "through")).unwrap(),
        names: &["through/Day.md", "through/Nope.md"],
    },
    Absence {
        what: "link to a public note",
        make: |home| symlink("Public.md", in_vault(home, "Same.md")).unwrap(),
        names: &["Same.md", "Same"],
    },
    Absence {
        what: "link out of the vault",
        make: |home| {
            home.write("outside.md", TEXT);
            symlink("../outside.md", in_vault(home, "Out.md")).unwrap();
        },
        names: &["Out.md", "Out"],
    },
    Absence {
        what: "another name of a private note",
        make: |home| {
            note(home, "people/Hard.md", str::to_owned);
            fs::hard_link(in_vault(home, "people/Hard.md"), in_vault(home, "Soft.md")).unwrap();
        },
        names: &["Soft.md", "Soft", "people/Hard.md"],
    },
    Absence {
        what: "another name outside the vault",
        make: |home| {
            note(home, "Half.md", str::to_owned);
            fs::hard_link(in_vault(home, "Half.md"), home.path("other half.md")).unwrap();
        },
        names: &["Half.md", "Half"],
    },
    Absence {
        what: "link in a private folder leads to it",
        make: |home| {
            note(home, "Led to.md", str::to_owned);
            symlink("../Led to.md", in_vault(home, "journal/lead.md")).unwrap();
        },
        names: &["Led to.md", "Led to", "journal/lead.md"],
    },
    Absence {
        what: "way out and absolute path",
        make: |_| {},
        names: &[
            "../outside.md",
            "work/../journal/Day.md",
            "/etc/passwd",
            "/journal/Day.md",
            "..",
            "../../../../etc/passwd",
            "....//journal/Day.md",
        ],
    },
    Absence {
        what: "folder with the name of a note",
        make: |home| fs::create_dir(in_vault(home, "Box.md")).unwrap(),
        names: &["Box.md", "Box", "Box.md/", "Box.md/Nope.md"],
    },
    Absence { what: "pipe", make: |home| pipe(home, "Pipe.md"), names: &["Pipe.md", "Pipe"] },
    Absence {
        what: "socket",
        make: |home| drop(UnixListener::bind(in_vault(home, "Socket.md")).unwrap()),
        names: &["Socket.md"],
    },
    Absence {
        what: "placeholder of a cloud service",
        make: |home| {
            bytes(home, "Cloud.md", b"");
            fs::File::options().write(true).open(in_vault(home, "Cloud.md")).unwrap().set_len(3_999).unwrap();
        },
        names: &["Cloud.md"],
    },
    Absence {
        what: "name that is not UTF-8",
        make: |home| fs::write(home.vault().join(OsStr::from_bytes(b"bad\xFFname.md")), TEXT).unwrap(),
        names: &["bad\u{fffd}name.md", "bad\u{fffd}name", "badname"],
    },
    Absence {
        what: "names that no note has",
        make: |_| {},
        names: &[
            "a\u{0}b.md",
            "a\nb.md",
            "journal\\Day.md",
            "journal%2FDay.md",
            "Day.md::$DATA",
            "C:\\x.md",
            "con.md",
            "COM¹.md",
            "Day.md.",
            "Day.md ",
            "file:///journal/Day.md",
            "obsidian://open?file=Day",
            "[[",
            "]]",
            "[[|]]",
            "^block",
            "|",
            ".",
            "\u{202e}dm.yaD",
            "~/Notes/journal/Day.md",
            "*.md",
            "journal/*",
        ],
    },
];

fn pipe(home: &Home, path: &str) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, in_vault(home, path), rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// Puts all of them into a vault.
pub(super) fn make_all(home: &Home) {
    for absence in ABSENCES {
        (absence.make)(home);
    }
}
