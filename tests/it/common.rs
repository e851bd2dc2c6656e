//! A hermetic surrounding for the real binary: a temporary home with its XDG folders and a vault,
//! and nothing of the environment of the machine.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A home folder; it vanishes with the value.
pub(crate) struct Home {
    root: PathBuf,
    variables: Vec<(String, String)>,
    _folder: tempfile::TempDir,
}

/// What a run of the binary left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// The exit code; none if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output; the home folder is written as `~`, the binary as `[obsearch]`.
    pub(crate) stdout: String,
    /// Standard error, in the same way.
    pub(crate) stderr: String,
}

#[expect(clippy::disallowed_methods, reason = "a test prepares the vault and starts the binary")]
impl Home {
    /// An empty home folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        Home { root, variables: Vec::new(), _folder: folder }
    }

    /// Gives every command from now on these environment variables too.
    pub(crate) fn set_variables(&mut self, variables: &[(&str, &str)]) {
        let owned = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        self.variables = owned.collect();
    }

    /// A home folder with a vault in `Notes` and a configuration file that names it; `privacy` is
    /// the text of its `[privacy]` section.
    pub(crate) fn with_vault(notes: &[(&str, &str)], privacy: &str) -> Self {
        let home = Home::new();
        fs::create_dir(home.vault()).unwrap();
        home.configure(&format!("[vault]\npath = \"~/Notes\"\n[privacy]\n{privacy}\n"));
        for (name, text) in notes {
            home.write_note(name, text);
        }
        home
    }

    /// As [`Home::with_vault`], with an index of words only: no time goes into vectors.
    pub(crate) fn words_only(notes: &[(&str, &str)], privacy: &str) -> Self {
        Home::with_vault(notes, &format!("{privacy}\n[embeddings]\nbackend = \"none\""))
    }

    /// Writes the configuration file.
    pub(crate) fn configure(&self, text: &str) {
        self.write(".config/obsearch/config.toml", text);
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(self.path(".config/obsearch/config.toml"), private).unwrap();
    }

    /// Writes a note of the vault; folders are made.
    pub(crate) fn write_note(&self, name: &str, text: &str) {
        self.write(&format!("Notes/{name}"), text);
    }

    /// Writes a file below the home folder; folders are made.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// The text of a file below the home folder.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Permission bits of a file or folder below the home folder.
    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o7777
    }

    /// A path below the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The vault's folder.
    pub(crate) fn vault(&self) -> PathBuf {
        self.path("Notes")
    }

    /// The binary with these arguments in this home, ready to be started: no terminal, no
    /// environment but the home, the XDG folders and what [`Home::set_variables`] added.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obsearch"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", &self.root)
            .env("XDG_CONFIG_HOME", self.path(".config"))
            .env("XDG_DATA_HOME", self.path(".local/share"))
            .env("XDG_CACHE_HOME", self.path(".cache"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.root)
            .stdin(Stdio::null());
        #[cfg(feature = "failpoints")]
        command
            .envs(std::env::var(crate::mutation::VARIABLE).map(|layer| (crate::mutation::VARIABLE, layer)));
        command
    }

    /// The binary as a user whom permissions stop, which they do not stop root; the home then
    /// belongs to that user. `None`, with a message, where that is impossible.
    pub(crate) fn command_of_plain_user(&self, arguments: &[&str]) -> Option<Command> {
        let mut command = self.command(arguments);
        if !is_root() {
            return Some(command);
        }
        let _ = Command::new("chown").args(["-R", "65534:65534"]).arg(&self.root).status();
        command.uid(65534).gid(65534);
        let can_start = self.command(&["--version"]).uid(65534).gid(65534).output();
        let is_possible = can_start.is_ok_and(|output| output.status.success());
        if !is_possible {
            eprintln!("skipped: another user cannot run {}", env!("CARGO_BIN_EXE_obsearch"));
        }
        is_possible.then_some(command)
    }

    /// Gives a file or folder below the home folder these permission bits.
    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs the binary with these arguments to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.output(&mut self.command(arguments))
    }

    /// The answer of a command that has to succeed, as JSON.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.code, Some(0), "{arguments:?}: {output:?}");
        output.json()
    }

    /// Brings both trees up to date and tells what was done to the public one and the full one. Waits for a server
    /// that is doing the same.
    #[track_caller]
    pub(crate) fn index(&self) -> [Value; 2] {
        let is_locked = |output: &Output| output.stderr.contains("Another obsearch is writing this index");
        let mut output = self.run(&["index", "--json"]);
        for _ in 0..100 {
            if !is_locked(&output) {
                break;
            }
            thread::sleep(Duration::from_millis(100));
            output = self.run(&["index", "--json"]);
        }
        assert_eq!(output.code, Some(0), "{output:?}");
        let mut trees = output.json()["trees"].take();
        let both = [trees[0].take(), trees[1].take()];
        assert_eq!([&both[0]["profile"], &both[1]["profile"]], ["public", "full"]);
        both
    }

    /// Every path that a profile lists, page by page.
    #[track_caller]
    pub(crate) fn listed(&self, arguments: &[&str]) -> Vec<String> {
        let (mut paths, mut cursor) = (Vec::new(), Value::from(""));
        while let Some(after) = cursor.as_str() {
            let page = [&["list", "--json", "--limit", "5", "--cursor", after], arguments].concat();
            let page = self.run(&page).json();
            paths.extend(page["notes"].as_array().unwrap().iter().map(|note| text(&note["path"])));
            cursor = page["next_cursor"].clone();
        }
        paths
    }

    /// The paths a search by words finds, best first.
    #[track_caller]
    pub(crate) fn found(&self, query: &str, arguments: &[&str]) -> Vec<String> {
        let output =
            self.run(&[&["search", "--json", "--mode", "keyword"], arguments, &["--", query]].concat());
        assert!(matches!(output.code, Some(0 | 1)), "{query}: {output:?}");
        paths(&output.json())
    }

    /// The files of one profile's tree, with what SQLite keeps beside it.
    pub(crate) fn tree_files(&self, profile: &str) -> Vec<PathBuf> {
        let stores = self.path(".local/share/obsearch");
        let stores = names_in(&stores).into_iter().map(|name| stores.join(name).join(profile));
        let folders = stores.filter(|folder| folder.is_dir());
        folders.flat_map(|folder| names_in(&folder).into_iter().map(move |name| folder.join(name))).collect()
    }

    /// Keeps every other process from writing a profile's tree, for as long as the value lives. There
    /// must have been an index run over some profile.
    pub(crate) fn hold_writer_lock(&self, profile: &str) -> fs::File {
        self.hold_writer_locks(profile).pop().expect("there was an index run")
    }

    /// The same for the trees of all vaults.
    pub(crate) fn hold_writer_locks(&self, profile: &str) -> Vec<fs::File> {
        let stores = self.path(".local/share/obsearch");
        let stores = names_in(&stores).into_iter().map(|name| stores.join(name));
        let hold = |store: PathBuf| {
            let folder = store.join(profile);
            fs::create_dir_all(&folder).unwrap();
            let lock = fs::File::options().write(true).create(true).truncate(false).open(folder.join("lock"));
            let lock = lock.unwrap();
            lock.lock().unwrap();
            lock
        };
        stores.filter(|store| store.is_dir()).map(hold).collect()
    }

    /// The current tree of a profile.
    pub(crate) fn tree(&self, profile: &str) -> PathBuf {
        let is_tree = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "db");
        self.tree_files(profile).into_iter().rfind(is_tree).expect("there is a tree")
    }

    /// Which of these words stand in any byte of a profile's tree.
    pub(crate) fn words_in_tree<'w>(&self, profile: &str, words: &[&'w str]) -> Vec<&'w str> {
        let text = |file: &PathBuf| String::from_utf8_lossy(&fs::read(file).unwrap()).to_ascii_lowercase();
        let files: Vec<String> = self.tree_files(profile).iter().map(text).collect();
        let holds = |word: &str| files.iter().any(|text| text.contains(&word.to_ascii_lowercase()));
        words.iter().copied().filter(|word| holds(word)).collect()
    }

    /// Runs the binary with these arguments and this standard input to its end.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.command(arguments);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        // A program that ends without reading its input is no failure of the test.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        self.shown(&child.wait_with_output().unwrap())
    }

    /// Runs a prepared command to its end.
    pub(crate) fn output(&self, command: &mut Command) -> Output {
        self.shown(&command.output().unwrap())
    }

    fn shown(&self, output: &std::process::Output) -> Output {
        let shown = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).expect("the output is UTF-8");
            let binary = env!("CARGO_BIN_EXE_obsearch");
            text.replace(binary, "[obsearch]").replace(&*self.root.to_string_lossy(), "~")
        };
        Output { code: output.status.code(), stdout: shown(&output.stdout), stderr: shown(&output.stderr) }
    }
}

impl Output {
    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Refused or broken, told in one sentence and one line of what to do next; no panic, no
    /// quotation of code.
    #[track_caller]
    pub(crate) fn assert_refused(&self) {
        assert!(self.is_refused(), "{self:?}");
    }

    /// See [`Output::assert_refused`].
    pub(crate) fn is_refused(&self) -> bool {
        let begins_well = |text: &str| text.starts_with(['~', '/']) || text.starts_with(char::is_uppercase);
        let lines: Vec<&str> = self.stderr.lines().collect();
        let [sentence, hint] = lines[..] else { return false };
        (self.code, &*self.stdout) == (Some(2), "")
            && sentence.strip_prefix("error: ").is_some_and(begins_well)
            && begins_well(hint)
            && hint.ends_with(['.', '?'])
    }

    /// Everything, for a snapshot.
    pub(crate) fn transcript(&self) -> String {
        let code = self.code.map_or("ended by a signal".to_owned(), |code| format!("exit {code}"));
        format!("{}--- stderr\n{}--- {code}\n", self.stdout, self.stderr)
    }
}

/// The names in a folder, in order.
#[expect(clippy::disallowed_methods, reason = "a test looks at what the binary left behind")]
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Works on the items on so many threads: what is tested waits half of the time.
pub(crate) fn at_once<T: Send>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let items = Mutex::new(items);
    let next = || items.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = next() {
                    work(item);
                }
            });
        }
    });
}

/// The seeds to try: a few, or those that `OBSEARCH_TEST_SEEDS` asks for: `2000`, or `400..800`.
#[expect(clippy::disallowed_methods, reason = "a longer run of the tests is asked for by the environment")]
pub(crate) fn seeds(few: u64) -> std::ops::Range<u64> {
    let Ok(asked) = std::env::var("OBSEARCH_TEST_SEEDS") else { return 0..few };
    let (first, end) = asked.split_once("..").unwrap_or(("0", &asked));
    let number = |text: &str| text.parse().expect("OBSEARCH_TEST_SEEDS is a number, or two with .. between");
    number(first)..number(end)
}

/// Whether no permission stops this process.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x2545_f491_4f6c_dd1d))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    /// A whole page of noise.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = u8::try_from(self.below(256)).expect("it is below 256");
        }
    }

    /// One of these.
    pub(crate) fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The paths of an answer's passages, best first.
pub(crate) fn paths(answer: &Value) -> Vec<String> {
    let passages = answer["passages"].as_array().unwrap();
    passages.iter().map(|passage| text(&passage["path"])).collect()
}

/// An answer without the mark that was drawn for it: the one thing in it that nothing can tell beforehand. Nothing
/// else is touched.
pub(crate) fn without_mark(answer: &str) -> String {
    let mark = answer.split_once("fences marked ").and_then(|(_, rest)| rest.split_once(" are note content"));
    let is_mark = |mark: &str| mark.len() == 10 && mark.bytes().all(|digit| digit.is_ascii_hexdigit());
    match mark {
        Some((mark, _)) if is_mark(mark) => answer.replace(mark, "[mark]"),
        _ => answer.to_owned(),
    }
}

/// A JSON text.
#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// A folder of the data that is shared between worktrees; `None`, with a message, where it is not.
#[expect(clippy::disallowed_methods, reason = "only tests look for test data")]
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("OBSEARCH_SHARED").map_or(beside, PathBuf::from).join(path);
    if !folder.is_dir() {
        eprintln!("skipped: there is no {}; set OBSEARCH_SHARED", folder.display());
        return None;
    }
    Some(folder)
}
