//! What the server asks of the system, as `strace` sees it: a request for a private name makes the same
//! calls as one for a missing name; the full trees are never touched, nothing is written outside the
//! store of the public profile and the ledger, and no connection is made.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{fs, thread};

use regex::Regex;
use serde_json::{Value, json};

use crate::ask::ask_all;
use crate::common::Home;
use crate::server::Server;

/// Names of the same length: private ones, each by another rule, and missing ones; a word of private
/// notes, and a word of none.
const PRIVATE: [&str; 6] =
    ["journal/Sun.md", "work/Tagged.md", "work/Flagge.md", "work/Linked.md", "work/Harder.md", "quelmbrick"];
const MISSING: [&str; 6] =
    ["journal/Sux.md", "work/Taxxed.md", "work/Flaxxe.md", "work/Lixxed.md", "work/Haxxer.md", "quelmbrack"];

fn home() -> Home {
    let notes = [
        ("Public.md", "# Public\n\nA kettle, see [[Other]].\n"),
        ("work/Other.md", "# Other\n\nA lamp. #fruit\n"),
        ("journal/Sun.md", "# Sun\n\nquelmbrick\n"),
        ("work/Tagged.md", "quelmbrick #secret\n"),
        ("work/Flagge.md", "---\nprivate: 1\n---\nquelmbrick\n"),
        ("work/Linked.md", "quelmbrick\n"),
        ("work/Harder.md", "quelmbrick\n"),
    ];
    let home = Home::words_only(
        &notes,
        "folders = [\"journal\"]\ntags = [\"secret\"]\nfrontmatter_flag = \"private\"",
    );
    std::os::unix::fs::symlink("../work/Linked.md", home.path("Notes/journal/way.md")).unwrap();
    fs_hard_link(&home.path("Notes/work/Harder.md"), &home.path("Notes/journal/other.md"));
    home.write("tmp/.keep", "");
    home
}

#[expect(clippy::disallowed_methods, reason = "a test prepares the vault")]
fn fs_hard_link(from: &Path, to: &Path) {
    fs::hard_link(from, to).unwrap();
}

/// `strace`, if there is one and it may trace.
#[expect(clippy::disallowed_methods, reason = "a test asks whether it can trace")]
fn strace() -> Option<PathBuf> {
    let found = ["/usr/bin/strace", "/bin/strace", "/usr/local/bin/strace"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.exists());
    let can_trace = |path: &PathBuf| {
        let mut command = Command::new(path);
        let quiet = command.args(["-o", "/dev/null", "/bin/true"]).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    let usable = found.filter(can_trace);
    if usable.is_none() {
        eprintln!("skipped: there is no strace that may trace; install it, and allow ptrace");
    }
    usable
}

/// A server under `strace`, which writes to `trace` in the home.
#[expect(clippy::disallowed_methods, reason = "a test starts the binary")]
fn start_traced(home: &Home, strace: &Path) -> Server {
    let serve = home.command(&["serve", "--profile", "public"]);
    let mut command = Command::new(strace);
    command.args(["-f", "-y", "-s", "300", "-e", "trace=%file,%desc,%network", "-o"]);
    command.arg(home.path("trace")).arg(serve.get_program()).args(serve.get_args()).env_clear();
    command.envs(serve.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("TMPDIR", home.path("tmp")).current_dir(home.path(""));
    Server::greet(&mut command)
}

/// A system call, put together where another thread interrupted its line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    /// Of the thread that made it; nothing where calls are compared.
    thread: String,
    name: String,
    /// Arguments and result as `strace` writes them: handles by their files, no addresses, no blanks.
    rest: String,
}

/// The calls in the order in which they ended: a thread may wait for the next request long before it comes.
fn parse(trace: &str) -> Vec<Call> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(\d+) +(?:(\w+)\((.*)|<\.\.\. \w+ resumed>(.*))$").unwrap());
    let mut calls: Vec<Call> = Vec::new();
    let mut unfinished: HashMap<&str, (&str, &str)> = HashMap::new();
    for line in trace.lines() {
        let Some(found) = LINE.captures(line) else { continue };
        let part = |number| found.get(number).map(|part| part.as_str());
        let thread = part(1).unwrap();
        match (part(2), part(3), part(4)) {
            (Some(name), Some(rest), _) => match rest.strip_suffix("<unfinished ...>") {
                Some(begun) => drop(unfinished.insert(thread, (name, begun))),
                None => calls.push(call(thread, name, rest)),
            },
            (_, _, Some(rest)) => {
                let Some((name, begun)) = unfinished.remove(thread) else { continue };
                calls.push(call(thread, name, &format!("{begun}{rest}")));
            }
            _ => {}
        }
    }
    calls
}

fn call(thread: &str, name: &str, rest: &str) -> Call {
    static NOISE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"0x[0-9a-f]+|AT_FDCWD<[^>]*>|\b\d+(<)| ").unwrap());
    let rest = NOISE.replace_all(rest, "$1").into_owned();
    Call { thread: thread.to_owned(), name: name.to_owned(), rest }
}

/// The ledger grows with every request, and what is written there has its time and the hash of what was before. Its text
/// is held against that of another vault in `ledger.rs`.
fn without_what_grows(call: &Call) -> Call {
    static GROWS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#""\{(?:[^"\\]|\\.)*"(?:\.\.\.)?|\d+"#).unwrap());
    let is_of_ledger = call.rest.contains("/obsearch/ledger");
    let rest = if is_of_ledger { GROWS.replace_all(&call.rest, "#").into_owned() } else { call.rest.clone() };
    Call { thread: String::new(), name: call.name.clone(), rest }
}

/// The calls on files between the arrival of each request and its answer; requests come one by one.
fn by_request(home: &Home, calls: &[Call], ids: &[u64]) -> Vec<Vec<Call>> {
    let holds = |call: &Call, id: u64| call.rest.contains(&format!("\\\"id\\\":{id},"));
    let place = |name: &str, id: u64| {
        let found = calls
            .iter()
            .position(|call| call.name == name && call.rest.starts_with("<pipe:") && holds(call, id));
        found.unwrap_or_else(|| panic!("no {name} of request {id} in the trace"))
    };
    // Stacks and arenas of threads come and go as they like.
    let root = home.path("").to_string_lossy().trim_end_matches('/').to_owned();
    // A server that could not write its index tries again after some seconds, whatever is asked meanwhile.
    let own_runs: HashSet<&str> =
        calls.iter().filter(|call| is_at_the_lock(call)).map(|call| &*call.thread).collect();
    let is_on_a_file = |call: &&Call| call.rest.contains(&root) && !own_runs.contains(&*call.thread);
    ids.iter()
        .map(|id| {
            let during = &calls[place("read", *id)..place("write", *id)];
            during.iter().filter(is_on_a_file).map(without_what_grows).collect()
        })
        .collect()
}

/// A try to write the public index.
fn is_at_the_lock(call: &Call) -> bool {
    call.name == "flock" && call.rest.contains("/public/lock>")
}

#[expect(clippy::disallowed_methods, reason = "the trace is no note")]
fn trace_of(home: &Home) -> Vec<Call> {
    parse(&fs::read_to_string(home.path("trace")).unwrap())
}

/// Waits until the run that a server begins after a second has ended at the lock.
fn await_own_run(home: &Home) {
    let began = Instant::now();
    let has_ended = || trace_of(home).iter().any(|call| is_at_the_lock(call) && call.rest.contains("EAGAIN"));
    while !has_ended() {
        assert!(began.elapsed() < Duration::from_secs(30), "no run tries to begin");
        thread::sleep(Duration::from_millis(100));
    }
}

/// What is asked, with a name or word in place of `@`.
fn questions(name: &str) -> Vec<(&'static str, Value)> {
    let folder = name.rsplit_once('/').map_or(name, |(folder, _)| folder);
    let stem = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".md");
    let call = |tool, arguments| ("tools/call", json!({ "name": tool, "arguments": arguments }));
    let template = json!({ "type": "ref/resource", "uri": "obsearch://note/{path}" });
    let complete = json!({ "ref": template, "argument": { "name": "path", "value": stem } });
    vec![
        call("read_note", json!({ "path": name })),
        call("read_note", json!({ "path": format!("[[{stem}#Part]]") })),
        ("resources/read", json!({ "uri": format!("obsearch://note/{name}") })),
        call("note_links", json!({ "path": name })),
        call("list_notes", json!({ "folder": name })),
        call("list_notes", json!({ "folder": folder.replace("work", "journal") })),
        call("search_vault", json!({ "query": stem, "mode": "keyword" })),
        call("context_pack", json!({ "question": stem })),
        call("list_tags", json!({ "prefix": stem })),
        ("completion/complete", complete),
    ]
}

#[test]
fn a_request_for_a_private_name_makes_the_calls_of_one_for_a_missing_name() {
    let Some(strace) = strace() else { return };
    let home = home();
    home.index();
    compare_calls(&home, &strace, questions, Order::AsMade);
}

#[test]
fn it_makes_the_same_calls_before_there_is_an_index() {
    let Some(strace) = strace() else { return };
    let home = home();
    home.json(&["index", "--profile", "full"]);
    compare_calls(&home, &strace, |name| questions(name).into_iter().take(3).collect(), Order::Any);
}

/// Whether the order of calls counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    AsMade,
    /// Many threads make them at once.
    Any,
}

/// Asks all questions about a missing name, a private one and the missing one again.
fn compare_calls(
    home: &Home,
    strace: &Path,
    questions: fn(&str) -> Vec<(&'static str, Value)>,
    order: Order,
) {
    let _lock = home.hold_writer_lock("public");
    let mut server = start_traced(home, strace);
    await_own_run(home);
    // By then the configuration file counts as settled: until it does, it is read again with every request.
    thread::sleep(Duration::from_millis(3_300));
    let mut ask = |name: &str| -> Vec<u64> {
        let asked = questions(name).into_iter().map(|(method, params)| {
            let id = server.send(method, &params);
            server.answer(id).unwrap();
            id
        });
        asked.collect()
    };
    ask("Public.md");
    ask("journal/Warm.md");
    let asked: Vec<[Vec<u64>; 3]> = PRIVATE
        .iter()
        .zip(MISSING)
        .map(|(private, missing)| [missing, private, missing].map(&mut ask))
        .collect();
    assert_eq!(server.end().code, Some(0));
    let calls = trace_of(home);
    for ((private, missing), ids) in PRIVATE.iter().zip(MISSING).zip(asked) {
        let [before, of_private, after] = ids.map(|ids| by_request(home, &calls, &ids));
        for (number, question) in questions(private).iter().enumerate() {
            assert!(of_private[number].len() > 3, "{question:?} makes calls");
            assert_same_calls(
                &before[number],
                &after[number],
                order,
                &format!("{missing} twice, {question:?}"),
            );
            assert_same_calls(
                &of_private[number],
                &after[number],
                order,
                &format!("{question:?} against {missing}"),
            );
        }
    }
}

#[track_caller]
fn assert_same_calls(found: &[Call], expected: &[Call], order: Order, what: &str) {
    let lines = |calls: &[Call]| {
        let mut lines: Vec<String> =
            calls.iter().map(|call| format!("{}({}", call.name, call.rest)).collect();
        if order == Order::Any {
            lines.sort();
        }
        lines.join("\n")
    };
    let (found, expected) = (lines(found), lines(expected));
    assert!(found == expected, "{what}:\n{found}\nagainst:\n{expected}");
}

/// The comparison can fail: a name that leads to a note makes other calls.
#[test]
fn a_request_for_a_public_name_makes_other_calls() {
    let Some(strace) = strace() else { return };
    let home = home();
    home.index();
    let _lock = home.hold_writer_lock("public");
    let mut server = start_traced(&home, &strace);
    let mut ask = |name: &str| {
        let id = server.send("tools/call", &json!({ "name": "read_note", "arguments": { "path": name } }));
        server.answer(id).unwrap();
        id
    };
    ask("Public.md");
    let ids = [ask("Public.md"), ask("Missed.md")];
    assert_eq!(server.end().code, Some(0));
    let [public, missing] = <[_; 2]>::try_from(by_request(&home, &trace_of(&home), &ids)).unwrap();
    assert!(
        public.iter().any(|call| call.name == "openat2" && call.rest.contains("Public.md")),
        "{public:?}"
    );
    assert_ne!(public, missing);
}

/// Whole sessions, with an index and without, with a run behind the answers and without.
#[test]
fn the_public_server_stays_in_its_own_store() {
    let Some(strace) = strace() else { return };
    for (has_index, is_locked) in [(true, true), (true, false), (false, false)] {
        let when = format!("index: {has_index}, locked: {is_locked}");
        let home = home();
        home.json(&["index", "--profile", "full"]);
        if has_index {
            home.index();
        }
        let lock = is_locked.then(|| home.hold_writer_lock("public"));
        let mut server = start_traced(&home, &strace);
        ask_all(&mut server, &["Public.md", "journal/Sun.md", "quelmbrick", "kettle", "nothing"]);
        // Until after the run that begins a second after the start.
        thread::sleep(Duration::from_secs(2));
        ask_all(&mut server, &["Public.md", "kettle"]);
        assert_eq!(server.end().code, Some(0), "{when}");
        drop(lock);
        for call in trace_of(&home) {
            assert_is_at_home(&call, &home, is_locked, &when);
        }
    }
}

fn assert_is_at_home(call: &Call, home: &Home, is_locked: bool, when: &str) {
    let Call { name, rest, .. } = call;
    let [stores, ledger] = [".local/share/obsearch", ".config/obsearch/ledger"]
        .map(|folder| home.path(folder).to_string_lossy().into_owned());
    assert!(!rest.contains("/full/") && !rest.contains("/full\""), "{when}: the full tree: {call:?}");
    assert!(
        !["connect", "bind", "listen", "sendto", "execve"].contains(&&**name) || is_start(call),
        "{when}: {call:?}"
    );
    assert!(name != "socket", "{when}: {call:?}");
    let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TMPFILE"].iter().any(|flag| rest.contains(flag));
    let changes = [
        "mkdir",
        "mkdirat",
        "rename",
        "renameat",
        "renameat2",
        "unlink",
        "unlinkat",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
    ];
    if name.starts_with("openat") && writes || changes.contains(&&**name) {
        let is_device = rest.contains("\"/dev/null\"");
        let is_own = [&stores, &ledger].iter().any(|folder| rest.contains(&format!("\"{folder}")));
        assert!(is_own || is_device, "{when}: it writes elsewhere: {call:?}");
    }
    // While another process writes, this one only reads. (SQLite's readers share `-wal` and `-shm`.)
    let is_tree = name.starts_with("openat") && rest.contains(".db\"");
    assert!(!is_locked || !is_tree || rest.contains("O_RDONLY"), "{when}: {call:?}");
}

/// The start of the program itself.
fn is_start(call: &Call) -> bool {
    call.name == "execve" && call.rest.contains(env!("CARGO_BIN_EXE_obsearch"))
}
