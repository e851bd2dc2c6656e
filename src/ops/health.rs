//! Health: what a keeper of notes would mend: notes nothing leads to, links and anchors that lead nowhere, titles that
//! stand twice, empty notes, tags in two spellings.
//!
//! Made of a census of the notes that may be seen: a link to any other note leads nowhere, and no other name is near.

mod nearest;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::census::{self, Facts, Resolver};
use super::search::shortened;
use super::shown::{Shown, Shows};
use super::{Caller, OpError, Service};
use crate::note::link::Anchors;
use crate::note::{Anchor, Link, fold};
use crate::reply::Reply;

/// What can be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// Notes without a link to or from another one.
    Orphans,
    /// Links to no note, but for embeds.
    Links,
    /// Embeds of no note.
    Embeds,
    /// Links to headings and blocks that are not in their note.
    Anchors,
    /// Titles of several notes.
    Titles,
    /// Notes without text below their properties.
    Empty,
    /// Tags that differ in case or number only.
    Tags,
}

/// All of them, in the order of findings.
pub const CHECKS: [(&str, Check); 7] = [
    ("orphans", Check::Orphans),
    ("links", Check::Links),
    ("embeds", Check::Embeds),
    ("anchors", Check::Anchors),
    ("titles", Check::Titles),
    ("empty", Check::Empty),
    ("tags", Check::Tags),
];

/// A look at the vault's health.
#[derive(Debug, Clone)]
pub struct HealthRequest {
    /// Names of checks, see [`CHECKS`]; none = all.
    pub checks: Vec<String>,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// Findings on a page, 1 to 1000.
    pub limit: usize,
}

impl Default for HealthRequest {
    fn default() -> Self {
        HealthRequest { checks: Vec::new(), cursor: None, limit: 60 }
    }
}

/// Something to mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked for.
    pub check: Check,
    /// The note it is in, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line it is in, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The link as written, the title or the tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What was probably meant: the path of a note, a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// The other notes of that title, the other spellings of that tag; at most ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

/// How many findings a check has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// What was looked for.
    pub check: Check,
    /// Findings on all pages.
    pub findings: usize,
}

/// A page of findings.
#[derive(Debug, Clone, Serialize)]
pub struct HealthAnswer {
    /// Notes that were looked at.
    pub notes: usize,
    /// For each check that ran.
    pub counts: Vec<Count>,
    /// By check, then by path.
    pub findings: Vec<Finding>,
    /// Ask again with it for the next page; none on the last.
    pub next_cursor: Option<String>,
}

impl Shows for HealthAnswer {
    fn tell(&self, shown: &mut Shown) {
        for finding in &self.findings {
            if let Some(path) = &finding.path {
                shown.lines(path, finding.line.unwrap_or(0), finding.line.unwrap_or(0));
            }
            match finding.check {
                Check::Titles => finding.others.iter().for_each(|path| shown.name(path)),
                Check::Links | Check::Embeds => finding.nearest.iter().for_each(|path| shown.name(path)),
                Check::Orphans | Check::Anchors | Check::Empty | Check::Tags => {}
            }
        }
    }
}

/// Names listed beside a finding.
const MOST_OTHERS: usize = 10;
/// Marks a cursor.
const CURSOR: &str = "finding:";

pub(super) fn run(
    service: &Service,
    request: &HealthRequest,
    caller: &Caller<'_>,
) -> Result<Reply<HealthAnswer>, OpError> {
    if !(1..=1000).contains(&request.limit) {
        return Err(OpError::InvalidArgument("limit goes from 1 to 1000"));
    }
    let checks = checks(&request.checks)?;
    let start = position(request.cursor.as_deref())?;
    service.request(caller, |session, tree| {
        let census = census::take(session, tree)?;
        Ok(Reply::new(census.map(|facts| page(&facts, &checks, start, request.limit))))
    })
}

fn checks(names: &[String]) -> Result<Vec<Check>, OpError> {
    let check_of = |name: &String| CHECKS.iter().find(|(known, _)| known == name).map(|(_, check)| *check);
    let mut checks: Vec<Check> = names.iter().map(check_of).collect::<Option<_>>().ok_or(
        OpError::InvalidArgument("checks are orphans, links, embeds, anchors, titles, empty and tags"),
    )?;
    if checks.is_empty() {
        checks.extend(CHECKS.map(|(_, check)| check));
    }
    checks.sort_unstable();
    checks.dedup();
    Ok(checks)
}

fn position(cursor: Option<&str>) -> Result<usize, OpError> {
    let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(0) };
    let number = cursor.strip_prefix(CURSOR).and_then(|number| number.parse().ok());
    number.ok_or(OpError::InvalidArgument("this is no cursor of a page before; leave it out"))
}

fn page(facts: &[Facts], checks: &[Check], start: usize, limit: usize) -> HealthAnswer {
    let resolver = Resolver::new(facts);
    let (mut all, mut counts) = (Vec::new(), Vec::new());
    for check in checks {
        let before = all.len();
        all.extend(findings(facts, &resolver, *check));
        counts.push(Count { check: *check, findings: all.len() - before });
    }
    let end = start.saturating_add(limit);
    let next_cursor = (end < all.len()).then(|| format!("{CURSOR}{end}"));
    let mut findings: Vec<Finding> = all.into_iter().skip(start).take(limit).collect();
    nearest::add(&mut findings, facts);
    HealthAnswer { notes: facts.len(), counts, findings, next_cursor }
}

fn findings(facts: &[Facts], resolver: &Resolver<'_>, check: Check) -> Vec<Finding> {
    match check {
        Check::Orphans => {
            let alone = facts.iter().zip(resolver.degrees()).filter(|(_, degree)| *degree == 0);
            alone.map(|(note, _)| Finding::of(check, note)).collect()
        }
        Check::Links | Check::Embeds => in_links(facts, check, |from, link| {
            link.embed == (check == Check::Embeds) && resolver.target(link, from).is_none()
        }),
        Check::Anchors => anchors(facts, resolver),
        Check::Titles => titles(facts),
        Check::Empty => {
            facts.iter().filter(|note| note.is_empty).map(|note| Finding::of(check, note)).collect()
        }
        Check::Tags => tags(facts),
    }
}

impl Finding {
    fn of(check: Check, note: &Facts) -> Finding {
        Finding {
            check,
            path: Some(note.path.clone()),
            line: None,
            name: None,
            nearest: None,
            others: Vec::new(),
        }
    }
}

fn anchors(facts: &[Facts], resolver: &Resolver<'_>) -> Vec<Finding> {
    let mut of_notes: HashMap<usize, Anchors<'_>> = HashMap::new();
    in_links(facts, Check::Anchors, |from, link| {
        let Some(anchor) = &link.anchor else { return false };
        let Some(target) = resolver.target(link, from) else { return false };
        let anchors = of_notes.entry(target).or_insert_with(|| Anchors::new(&facts[target].parts));
        anchors.find(anchor).is_none()
    })
}

fn in_links(facts: &[Facts], check: Check, mut is_bad: impl FnMut(usize, &Link) -> bool) -> Vec<Finding> {
    let of_note = |(from, note): (usize, &Facts)| -> Vec<Finding> {
        let bad = note.links.iter().filter(|(link, _)| is_bad(from, link));
        bad.map(|(link, line)| Finding {
            line: Some(*line),
            name: Some(shortened(&written(link))),
            ..Finding::of(check, note)
        })
        .collect()
    };
    facts.iter().enumerate().flat_map(of_note).collect()
}

/// `Target#Heading#Part`
fn written(link: &Link) -> String {
    match &link.anchor {
        None => link.target.clone(),
        Some(Anchor::Block(id)) => format!("{}#^{id}", link.target),
        Some(Anchor::Heading(names)) => format!("{}#{}", link.target, names.join("#")),
    }
}

fn titles(facts: &[Facts]) -> Vec<Finding> {
    let mut by_title: BTreeMap<String, Vec<&Facts>> = BTreeMap::new();
    for note in facts {
        by_title.entry(fold(&note.title)).or_default().push(note);
    }
    let several = by_title.into_values().filter(|notes| notes.len() > 1);
    several
        .map(|notes| Finding {
            name: Some(shortened(&notes[0].title)),
            others: notes[1..].iter().take(MOST_OTHERS).map(|note| note.path.clone()).collect(),
            ..Finding::of(Check::Titles, notes[0])
        })
        .collect()
}

fn tags(facts: &[Facts]) -> Vec<Finding> {
    let mut by_form: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for tag in facts.iter().flat_map(|note| &note.tags) {
        *by_form.entry(in_the_singular(&fold(tag))).or_default().entry(tag).or_default() += 1;
    }
    let several = by_form.into_values().filter(|spellings| spellings.len() > 1);
    several
        .map(|spellings| {
            let mut spellings: Vec<(&str, usize)> = spellings.into_iter().collect();
            // The most common one first; of several, in order.
            spellings.sort_by_key(|(_, notes)| std::cmp::Reverse(*notes));
            let shown = |(tag, notes): &(&str, usize)| format!("{} ({notes})", shortened(tag));
            Finding {
                check: Check::Tags,
                path: None,
                line: None,
                name: spellings.first().map(shown),
                nearest: None,
                others: spellings[1..].iter().take(MOST_OTHERS).map(shown).collect(),
            }
        })
        .collect()
}

/// One form for both numbers of an English word; what it does to other words does not matter, as long as it does it
/// to all of their spellings.
fn in_the_singular(tag: &str) -> String {
    let stem = |ending: &str| tag.strip_suffix(ending).filter(|stem| stem.chars().count() > 2);
    if let Some(stem) = stem("ies") {
        return format!("{stem}y");
    }
    let sibilant = ["ches", "shes", "xes", "sses"].iter().any(|ending| tag.ends_with(ending));
    let singular = if sibilant { stem("es") } else { stem("s").filter(|stem| !stem.ends_with('s')) };
    singular.unwrap_or(tag).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault() -> Vec<Facts> {
        let notes = [
            ("Alone.md", "Nothing leads here."),
            (
                "Boat.md",
                "---\naliases: [Cutter]\n---\n# Boat\n\n[[Mats]] [[Mast#Rake]] [[Mast#Height]]\n![[Sial]] [[#Nowhere]] [[Cuter]]\n#boat #Wood",
            ),
            ("Copy.md", "# boat\n\n[[Boat]] #boats #wood"),
            ("Empty.md", "---\ntags: [wood]\n---\n%% nothing %%\n"),
            (
                "Mast.md",
                "# Mast\n\n## Rake\n\nA block. ^b1\n\n[[Mast#^b1]] [[Mast#^b2]] [[Boat]] [[Zeppelin]]",
            ),
            ("Sail.md", "[[Mast]]"),
        ];
        notes.iter().map(|(path, text)| Facts::read(path, path.trim_end_matches(".md"), text)).collect()
    }

    fn shown(check: Check) -> Vec<String> {
        let facts = vault();
        let page = page(&facts, &[check], 0, 100);
        let show = |finding: &Finding| {
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            let nearest = finding.nearest.as_deref().map(|near| format!(" -> {near}")).unwrap_or_default();
            let path = finding.path.as_deref().unwrap_or_default();
            let name = finding.name.as_deref().unwrap_or_default();
            format!("{path}{line} {name}{nearest} {}", finding.others.join(", ")).trim().to_owned()
        };
        page.findings.iter().map(show).collect()
    }

    #[test]
    fn each_check_finds_what_it_should() {
        let table: [(Check, &[&str]); 7] = [
            (Check::Orphans, &["Alone.md", "Empty.md"]),
            (
                Check::Links,
                &["Boat.md:6 Mats -> Mast.md", "Boat.md:7 Cuter -> Boat.md", "Mast.md:7 Zeppelin"],
            ),
            (Check::Embeds, &["Boat.md:7 Sial -> Sail.md"]),
            (Check::Anchors, &["Boat.md:6 Mast#Height", "Boat.md:7 #Nowhere", "Mast.md:7 Mast#^b2"]),
            (Check::Titles, &["Boat.md Boat Copy.md"]),
            (Check::Empty, &["Empty.md"]),
            (Check::Tags, &["boat (1) boats (1)", "wood (2) Wood (1)"]),
        ];
        for (check, expected) in table {
            assert_eq!(shown(check), expected, "{check:?}");
        }
    }

    #[test]
    fn names_of_a_large_vault_are_compared_in_no_time() {
        let note = |number: usize| {
            let text = format!("[[Chaptre {}]] [[Nothing of the kind {number}]]", number * 7);
            Facts::read(&format!("Chapter {number}.md"), &format!("Chapter {number}"), &text)
        };
        let facts: Vec<Facts> = (0..3_000).map(note).collect();
        let began = std::time::Instant::now();
        let page = page(&facts, &[Check::Links], 0, 1000);
        let nearest = |line: usize| page.findings[line].nearest.as_deref();
        assert_eq!(
            [nearest(2), nearest(3), nearest(200)],
            [Some("Chapter 7.md"), None, Some("Chapter 700.md")]
        );
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
    }

    #[test]
    fn pages_hold_all_findings_once() {
        let facts = vault();
        let checks = CHECKS.map(|(_, check)| check);
        let whole = page(&facts, &checks, 0, 1000);
        assert_eq!(whole.counts.iter().map(|count| count.findings).sum::<usize>(), whole.findings.len());
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let next = page(&facts, &checks, position(cursor.as_deref()).unwrap(), 4);
            found.extend(next.findings);
            cursor = next.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, whole.findings);
    }

    #[test]
    fn numbers_of_words_meet() {
        for (one, other) in [
            ("boat", "boats"),
            ("box", "boxes"),
            ("story", "stories"),
            ("class", "classes"),
            ("church", "churches"),
        ] {
            assert_eq!(in_the_singular(one), in_the_singular(other), "{one}");
        }
        for (one, other) in [("as", "a"), ("class", "clas"), ("work", "word")] {
            assert_ne!(in_the_singular(one), in_the_singular(other), "{one}");
        }
    }
}
