//! Missing, private, ignored, too large, not text, not a file: one answer for all of them, to the byte;
//! and what is private stands in nobody's way and changes no overview.
#![expect(clippy::disallowed_methods, reason = "a test puts odd things into the vault")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::ask::tools;
use crate::common::{Home, is_root};
use crate::server::Server;

const SETTINGS: &str = "[vault]\npath = \"~/Notes\"\nmax_note_bytes = 4000\nignore_patterns = [\"templates\"]\n\
    [privacy]\nfolders = [\"journal\", \"people/*\", \"work/*/closed\"]\ntags = [\"secret\"]\n\
    frontmatter_flag = \"private\"\n[embeddings]\nbackend = \"none\"\n";

/// Something that is not there, and names it might be asked by.
struct Absence {
    what: &'static str,
    make: fn(&Home),
    names: &'static [&'static str],
}

const TEXT: &str =
    "---\ntitle: Hidden title\naliases: [Hidden alias]\n---\n# Hidden heading\n\n## Part\n\nText. ^block\n";

fn note(home: &Home, path: &str, change: impl Fn(&str) -> String) {
    home.write_note(path, &change(TEXT));
}

fn bytes(home: &Home, path: &str, bytes: &[u8]) {
    home.write_note(path, "");
    fs::write(in_vault(home, path), bytes).unwrap();
}

fn in_vault(home: &Home, path: &str) -> PathBuf {
    home.vault().join(path)
}

const ABSENCES: &[Absence] = &[
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

fn home() -> Home {
    let home = Home::with_vault(
        &[("Public.md", "# Public\n\n## Part\n\nA kettle. ^block\n"), ("work/Other.md", "[[Public]]")],
        "",
    );
    home.configure(SETTINGS);
    fs::create_dir(in_vault(&home, "journal")).unwrap();
    home
}

/// Asks for every absence, by every tool that takes a path, in several ways.
#[track_caller]
fn assert_all_alike(server: &mut Server, when: &str) {
    let takes_path = |tool: &&Value| tool["inputSchema"]["properties"]["path"]["type"] == "string";
    let tools: Vec<Value> = tools(server).iter().filter(takes_path).cloned().collect();
    assert!(tools.len() >= 2, "{tools:?}");
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let has = |parameter: &str| tool["inputSchema"]["properties"][parameter].is_object();
        let ways = [
            json!({}),
            json!({ "outline": true }),
            json!({ "section": "Part" }),
            json!({ "block": "block" }),
            json!({ "offset": 2, "limit": 1 }),
        ];
        for way in ways.iter().filter(|way| way.as_object().unwrap().keys().all(|parameter| has(parameter))) {
            let mut ask = |path: &str| {
                let mut arguments = way.clone();
                arguments["path"] = json!(path);
                server.call(name, &arguments)
            };
            let expected = ask("Nothing at all.md");
            assert_eq!(expected["result"]["isError"], json!(true), "{when}, {name} {way}: {expected}");
            let is_told_apart = ask("Public.md") != expected;
            for Absence { what, names, .. } in ABSENCES {
                for path in *names {
                    assert_eq!(ask(path), expected, "{when}, {name} {way}: {what}: {path:?}");
                }
            }
            assert!(
                is_told_apart || expected["result"]["content"][0]["text"] != "note not found",
                "{when}, {name} {way}"
            );
        }
    }
}

#[test]
fn whatever_is_not_there_gets_the_same_answer() {
    assert!(ABSENCES.len() >= 30);
    for is_made_first in [true, false] {
        let home = home();
        if is_made_first {
            ABSENCES.iter().for_each(|absence| (absence.make)(&home));
            let (mut server, _lock) = locked_server(&home);
            assert_all_alike(&mut server, "no index");
        }
        home.index();
        let (mut server, _lock) = locked_server(&home);
        if !is_made_first {
            // The index is older than all of them.
            ABSENCES.iter().for_each(|absence| (absence.make)(&home));
        }
        assert_all_alike(&mut server, if is_made_first { "fresh index" } else { "older index" });
        let missing = [home.run(&["read", "Nope"]), home.run(&["links", "Nope"])];
        for path in ABSENCES.iter().flat_map(|absence| absence.names).filter(|path| !path.contains('\0')) {
            let answers = [home.run(&["read", "--", path]), home.run(&["links", "--", path])];
            assert_eq!(answers, missing, "{path:?}");
        }
    }
}

/// A server that nothing happens behind: while the lock is held, no run changes the index.
fn locked_server(home: &Home) -> (Server, fs::File) {
    // There is a lock to hold once there is a store.
    home.json(&["index", "--profile", "full"]);
    let lock = home.hold_writer_lock("public");
    let mut server = Server::start(home, &[]);
    while server.call("index_status", &json!({}))["result"]["structuredContent"]["state"] == "indexing" {}
    (server, lock)
}

#[test]
fn a_note_that_may_not_be_read_gets_the_same_answer() {
    let home = home();
    home.write_note("Closed.md", "# Closed\n");
    home.write_note("shut/Inside.md", "# Inside\n");
    home.set_mode("Notes/Closed.md", 0o000);
    home.set_mode("Notes/shut", 0o000);
    let Some(mut index) = home.command_of_plain_user(&["index", "--quiet"]) else { return };
    assert_eq!(home.output(&mut index).code, Some(0));
    let mut server = Server::greet(&mut home.command_of_plain_user(&["serve"]).unwrap());
    let missing = server.call("read_note", &json!({ "path": "Nothing.md" }));
    for path in ["Closed.md", "Closed", "shut/Inside.md", "Inside"] {
        assert_eq!(server.call("read_note", &json!({ "path": path })), missing, "{path}");
    }
    // So that the folder can be removed.
    home.set_mode("Notes/shut", 0o700);
    assert!(is_root() || fs::read(in_vault(&home, "Closed.md")).is_err());
}

#[test]
fn a_private_note_stands_in_no_public_notes_way() {
    let home = home();
    // The private ones are nearer to the root, shorter, older, and have the name as title and alias.
    home.write_note("journal/Jane.md", "---\ntitle: Boss\naliases: [Chief, Plan]\n---\nprivate");
    home.write_note("Jane.md", "---\ntitle: Boss\naliases: [Chief]\nprivate: true\n---\nprivate");
    home.write_note("jane.md", "#secret");
    home.write_note("Boss.md", "#secret");
    home.write_note("archive/deep/Jane.md", "---\ntitle: Boss\naliases: [Chief]\n---\npublic");
    home.write_note("archive/deep/Plan.md", "[[Jane]] [[Boss]] [[Chief]] [[jane]]");
    let names = [
        "Jane",
        "jane",
        "[[Jane]]",
        "JANE",
        "Boss",
        "boss",
        "Chief",
        "[[Chief]]",
        "deep/Jane",
        "archive/deep/Jane.md",
    ];
    home.index();
    let mut server = Server::start(&home, &[]);
    for name in names {
        let answer = server.call("read_note", &json!({ "path": name }));
        assert_eq!(answer["result"]["structuredContent"]["path"], "archive/deep/Jane.md", "{name}: {answer}");
    }
    assert_eq!(
        server.call("read_note", &json!({ "path": "Plan" }))["result"]["structuredContent"]["path"],
        "archive/deep/Plan.md"
    );
    let links = server.call("note_links", &json!({ "path": "archive/deep/Jane.md" }));
    assert_eq!(links["result"]["structuredContent"]["backlinks"][0]["path"], "archive/deep/Plan.md");
    for path in ["journal/Jane.md", "Jane.md", "jane.md", "Boss.md"] {
        let answer = server.call("read_note", &json!({ "path": path }));
        let shown = &answer["result"]["structuredContent"]["path"];
        assert!(*shown == json!(null) || *shown == json!("archive/deep/Jane.md"), "{path}: {answer}");
    }
}

#[test]
fn a_private_edit_changes_no_overview() {
    let home = home();
    note(&home, "journal/Day.md", str::to_owned);
    note(&home, "work/Tagged.md", |text| format!("{text} #secret/x #fruit"));
    home.index();
    let (mut server, _lock) = locked_server(&home);
    let mut overviews = || {
        [
            ("index_status", json!({})),
            ("list_notes", json!({})),
            ("list_notes", json!({ "folders_only": true })),
            ("list_tags", json!({})),
        ]
        .map(|(tool, arguments)| server.call(tool, &arguments))
    };
    let before = overviews();
    let edits: [(&str, fn(&Home)); 8] = [
        ("edit", |home| note(home, "journal/Day.md", |text| format!("{text} #new/tag"))),
        ("new note", |home| note(home, "journal/new/Note.md", str::to_owned)),
        ("new folder", |home| fs::create_dir(in_vault(home, "journal/empty")).unwrap()),
        ("edit of a tagged note", |home| {
            note(home, "work/Tagged.md", |text| format!("{text} #secret #other"))
        }),
        ("new tagged note in a new folder", |home| {
            note(home, "fresh/Note.md", |text| format!("{text} #secret #only/here"))
        }),
        ("rename", |home| {
            fs::rename(in_vault(home, "journal/Day.md"), in_vault(home, "journal/Night.md")).unwrap()
        }),
        ("touch", |home| {
            let file = fs::File::options().write(true).open(in_vault(home, "journal/Night.md")).unwrap();
            file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_hours(9_000)).unwrap();
        }),
        ("removal", |home| fs::remove_file(in_vault(home, "journal/Night.md")).unwrap()),
    ];
    for (what, edit) in edits {
        edit(&home);
        assert_eq!(overviews(), before, "{what}");
    }
}
