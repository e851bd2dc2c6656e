//! Text made to be slow to read: four times the text may take at most eight times the time.
use std::time::{Duration, Instant};

use crate::note::{chunk, link, parse};

#[test]
fn time_grows_with_the_length_only() {
    let slow: Vec<String> = PATTERNS.iter().filter_map(too_slow).collect();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// A name, what is repeated, and what stands once at the end.
type Pattern = (&'static str, &'static str, &'static str);

const PATTERNS: &[Pattern] = &[
    ("open wikilinks", "[[", ""),
    ("open wikilinks with text", "[[a ", ""),
    ("embeds in embeds", "![[", "]]"),
    ("three brackets", "[[[a]]] ", ""),
    ("comment marks", "%%", ""),
    ("odd comment marks", "%%% ", ""),
    ("open comments on lines", "a %% b\n\n`c`\n", "%%"),
    ("open HTML comments", "<!--", ""),
    ("half HTML comments", "a <!-- b -- ", ""),
    ("quotes in quotes", "> ", "x"),
    ("lists in lists", "- ", "x"),
    ("stars", "*", ""),
    ("stars and letters", "*a **b ", ""),
    ("underscores", "_a__", ""),
    ("open brackets", "[", ""),
    ("brackets in brackets", "![a](", ""),
    ("backticks", "`", ""),
    ("backticks of growing length", "`a``b```c", ""),
    ("fences", "```\n~~~\n", ""),
    ("tags", "#tag ", ""),
    ("hash signs", "#", "tag"),
    ("emphasis before tags", "***#a", ""),
    ("quote marks before tags", ">#a", ""),
    ("pipes", "|", "\n|-|-|\n"),
    ("table rows", "| a | [[b\\|c]] |\n", ""),
    ("dollars", "$a ", ""),
    ("back slashes", "\\", ""),
    ("web addresses", "a://", " #b"),
    ("carets", " ^a", ""),
    ("block ids", "a ^b\n\n", ""),
    ("headings", "## a\n\n", ""),
    ("headings and text", "# a\nb\n\n", ""),
    ("deepening headings", "# a\n## b\n### c\n#### d\n##### e\n", ""),
    ("underlines", "a\n=\n", ""),
    ("footnotes", "[^a]: b\n", "[^a]"),
    ("reference definitions", "[a]: b\n", "[a]"),
    ("HTML tags", "<a ", ""),
    ("letters", "a", ""),
    ("words", "ab ", ""),
    ("carriage returns", "a\r\r", ""),
    ("white space", " \t\u{a0}", ""),
    ("one line of base64", "aB3dE5gH7", ""),
    ("many images", "aB3dE5gH7jaB3dE5gH7jaB3dE5gH7jaB3dE5gH7jaB3dE5gH7jaB3dE5gH7jaB3dE5gH7j.", ""),
    ("combining marks", "#\u{301}", ""),
    ("properties", "---\n", ""),
];

const SHORT_BYTES: usize = 32_000;
const ALLOWED_RATIO: u32 = 8;
/// Below this a ratio says nothing: the clock of a thread moves in steps of some milliseconds.
const MEASURABLE: Duration = Duration::from_millis(60);

fn too_slow(&(name, repeated, last): &Pattern) -> Option<String> {
    let time = |bytes: usize| {
        let text = repeated.repeat(bytes / repeated.len()) + last;
        (0..2).map(|_| time_once(&text)).min().unwrap_or_default()
    };
    let long = time(4 * SHORT_BYTES);
    if long < MEASURABLE {
        return None;
    }
    let short = time(SHORT_BYTES);
    (long > short * ALLOWED_RATIO)
        .then(|| format!("{name}: {short:?} for {SHORT_BYTES} bytes, {long:?} for four times as many"))
}

fn time_once(text: &str) -> Duration {
    let clock = Clock::start();
    let document = parse(text);
    let chunks = chunk::split(text, &document);
    for chunk in &chunks {
        std::hint::black_box(chunk::heading_path(&document, chunk));
        std::hint::black_box(chunk::visible_text(text, &document, chunk.range.clone()));
    }
    for anchor in document.links.iter().filter_map(|link| link.anchor.as_ref()).take(3) {
        std::hint::black_box(link::find_anchor(&document, anchor));
    }
    clock.elapsed()
}

/// Time that this thread had on a processor, where the system tells; it does not grow when other
/// work keeps the machine busy. Else the time on the wall.
struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), processor: Self::processor_time() }
    }

    fn elapsed(&self) -> Duration {
        let spent = self.processor.zip(Self::processor_time()).map(|(from, to)| to.saturating_sub(from));
        spent.unwrap_or_else(|| self.wall.elapsed())
    }

    #[expect(clippy::disallowed_methods, reason = "the clock of the thread is no vault file")]
    fn processor_time() -> Option<Duration> {
        let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        stat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
}
