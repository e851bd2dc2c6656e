//! What it costs to open and judge a hundred notes again, which a search does before it ranks:
//! `cargo bench --bench judge`. One thread, files in the page cache, median of many rounds; beside it
//! the same files opened, read and hashed without any rules, in turns.
#![allow(clippy::disallowed_methods, reason = "a bench makes its own vault")]
#![allow(clippy::print_stdout, reason = "figures are its result")]
#![allow(clippy::unwrap_used, reason = "a bench that cannot prepare its vault has failed")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use obsearch::vault::{FixedRules, NotePath, Profile, RuleText, Rules, Vault};

const NOTES: usize = 100;
const ROUNDS: usize = 300;
/// Bytes of a note, about: the median of the personal vaults we measured.
const NOTE_BYTES: usize = 1_500;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<NotePath> = (0..NOTES).map(|number| write_note(folder.path(), number)).collect();
    // A file that changed just now is left alone for a moment.
    std::thread::sleep(Duration::from_millis(200));
    let rules = RuleText {
        folders: vec!["journal".into(), "people/*".into()],
        tags: vec!["private".into(), "work/pay".into()],
        frontmatter_flag: Some("private".into()),
        ..RuleText::default()
    };
    let rules = Arc::new(Rules::compile(&rules).unwrap());
    let vault = Vault::open(folder.path(), Box::new(FixedRules(rules))).unwrap();
    let judge = |profile| {
        let opened = vault.request(profile, |session| {
            paths
                .iter()
                .filter(|path| session.open(path).is_ok_and(|note| note.content_hash()[0] < 255))
                .count()
        });
        assert!(opened.unwrap() > NOTES / 2);
    };
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(timed(|| judge(Profile::Public)));
        times[1].push(timed(|| judge(Profile::Full)));
        times[2].push(timed(|| read_and_hash(folder.path(), &paths)));
    }
    for (name, times) in ["opened and judged", "opened, not judged", "read and hashed"].iter().zip(&mut times)
    {
        times.sort();
        let (median, worst) = (times[ROUNDS / 2], times[ROUNDS * 95 / 100]);
        println!("{NOTES} notes {name:20} median {median:>9.1?}, 95th percentile {worst:>9.1?}");
    }
}

fn timed(run: impl FnOnce()) -> Duration {
    let began = Instant::now();
    run();
    began.elapsed()
}

fn read_and_hash(root: &Path, paths: &[NotePath]) {
    for path in paths {
        std::hint::black_box(blake3::hash(&std::fs::read(root.join(path.as_str())).unwrap()));
    }
}

/// Properties, tags, links and prose, as in a real note.
fn write_note(root: &Path, number: usize) -> NotePath {
    let name = format!("folder {}/note {number}.md", number % 10);
    let head = format!(
        "---\ntags: [project, area/{number}]\naliases: [n{number}]\ncreated: 2031-04-09\n---\n# Note {number}\n\n"
    );
    let line =
        "Some words about the kettle and the garden, see [[note 7]] and #project/alpha for the rest.\n\n";
    let text = head + &line.repeat(NOTE_BYTES / line.len());
    std::fs::create_dir_all(root.join(&name).parent().unwrap()).unwrap();
    std::fs::write(root.join(&name), text).unwrap();
    NotePath::parse(&name).unwrap()
}
