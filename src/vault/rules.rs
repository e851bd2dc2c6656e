//! Rule text -> compiled rules over names and tags. Pure; compares folded text only; one bad
//! rule refuses them all. What a note's bytes say against these rules is `judge`'s business.

mod joined;

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::exclusions::Exclusions;
use super::fold::fold;
use super::glob::SegmentGlob;
use super::path::NotePath;

/// The rules as the owner wrote them: `[privacy]` and the limits of `[vault]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// Private folders: globs per segment; with `/` anchored at the root, without at any depth.
    pub folders: Vec<String>,
    /// Private tags; nested tags match.
    pub tags: Vec<String>,
    /// The property that makes a note private.
    pub frontmatter_flag: Option<String>,
    /// Every note with a malformed properties block is private.
    pub strict: bool,
    /// What a note is that no rule speaks of.
    pub default: Standing,
    /// Where notes are private by default: folders that are public all the same.
    pub allow_folders: Vec<String>,
    /// Where notes are private by default: property tags that make a note public all the same.
    pub allow_tags: Vec<String>,
    /// Where notes are private by default: the property that makes a note public all the same.
    pub allow_flag: Option<String>,
    /// Regular expressions; what they match is masked on the public profile.
    pub redact_patterns: Vec<String>,
    /// Folders and files that do not exist for obsearch, on any profile: globs per segment.
    pub ignore_patterns: Vec<String>,
    /// Larger notes are not served.
    pub max_note_bytes: u64,
}

/// What a note is that no rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// Everybody may see it.
    #[default]
    Public,
    /// Only the owner may, unless something allows it.
    Private,
}

impl Default for RuleText {
    fn default() -> Self {
        RuleText {
            folders: Vec::new(),
            tags: Vec::new(),
            frontmatter_flag: None,
            strict: false,
            default: Standing::Public,
            allow_folders: Vec::new(),
            allow_tags: Vec::new(),
            allow_flag: None,
            redact_patterns: Vec::new(),
            ignore_patterns: [".git", ".obsidian", ".trash"].map(str::to_owned).to_vec(),
            max_note_bytes: 16 * 1024 * 1024,
        }
    }
}

/// Counts the changes to what the rules mean: which notes they hide, and what of a note is shown.
const MEANING_VERSION: u32 = 4;

impl RuleText {
    /// A number that changes when the meaning of the rules may have changed: an index built
    /// under other rules is brought up to date against all notes.
    pub fn fingerprint(&self) -> String {
        hashed(&format!("{MEANING_VERSION} {self:?}"))
    }
}

fn hashed(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// A rule that cannot be understood; nothing is served until it is mended.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("`{rule}` is not a valid rule: {reason}")]
pub struct RuleError {
    /// The rule as written.
    pub rule: String,
    /// What is wrong and what to write instead.
    pub reason: String,
}

/// The rules, compiled.
#[derive(Debug, Clone)]
pub struct Rules {
    /// As the owner wrote them; the compiled ones have the same order.
    pub(super) written: RuleText,
    folders: Vec<PathRule>,
    ignored: Vec<PathRule>,
    /// What the owner excluded in Obsidian's settings.
    excluded: Exclusions,
    /// Folded, without `#`.
    pub(super) tags: Vec<String>,
    /// Folded.
    pub(super) flag: Option<String>,
    pub(super) strict: bool,
    pub(super) default: Standing,
    allow_folders: Vec<PathRule>,
    /// Folded, without `#`.
    allow_tags: Vec<String>,
    /// Folded.
    pub(super) allow_flag: Option<String>,
    redactions: Vec<Regex>,
    pub(super) max_note_bytes: u64,
    fingerprint: String,
    /// The sections that these rules were joined of, in order; none for rules of one section.
    sections: Vec<Rules>,
}

impl Rules {
    /// What holds for every vault, and what the section of one vault adds. A note must pass each of the two by
    /// itself, and all that either takes out is gone: lists thrown together could show more, as when a heading
    /// that one makes private takes a tag along by which the other hides the note. Limits are those of `own`.
    pub fn joined(general: &RuleText, own: &RuleText) -> Result<Rules, RuleError> {
        let text = joined::text(general, own)?;
        let sections = vec![Rules::compile(general)?, Rules::compile(own)?];
        let rules = Rules::compile(&text)?;
        let of_sections: Vec<&str> = sections.iter().map(Rules::fingerprint).collect();
        let fingerprint = hashed(&format!("{} of {of_sections:?}", rules.fingerprint));
        Ok(Rules { fingerprint, sections, ..rules })
    }

    /// Compiles the rules; one bad rule refuses them all.
    pub fn compile(text: &RuleText) -> Result<Rules, RuleError> {
        refuse_idle_permissions(text)?;
        let each =
            |rules: &[String]| rules.iter().map(|rule| PathRule::compile(rule)).collect::<Result<_, _>>();
        let tags = |rules: &[String]| rules.iter().map(|tag| compile_tag(tag)).collect::<Result<_, _>>();
        Ok(Rules {
            folders: each(&text.folders)?,
            ignored: each(&text.ignore_patterns)?,
            excluded: Exclusions::default(),
            tags: tags(&text.tags)?,
            flag: text.frontmatter_flag.as_deref().map(compile_flag).transpose()?,
            strict: text.strict,
            default: text.default,
            allow_folders: text
                .allow_folders
                .iter()
                .map(|rule| PathRule::compile_permission(rule))
                .collect::<Result<_, _>>()?,
            allow_tags: tags(&text.allow_tags)?,
            allow_flag: text.allow_flag.as_deref().map(compile_flag).transpose()?,
            redactions: text
                .redact_patterns
                .iter()
                .map(|rule| compile_redaction(rule))
                .collect::<Result<_, _>>()?,
            max_note_bytes: text.max_note_bytes,
            fingerprint: text.fingerprint(),
            sections: Vec::new(),
            written: text.clone(),
        })
    }

    /// The same rules, and these exclusions of Obsidian's.
    pub(super) fn with_exclusions(&self, excluded: Exclusions) -> Rules {
        let fingerprint = excluded.fingerprint(&self.fingerprint);
        Rules { excluded, fingerprint, ..self.clone() }
    }

    /// See [`RuleText::fingerprint`].
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The sections that these rules were joined of: each judges a text by itself. None for rules of one section.
    pub(super) fn sections(&self) -> &[Rules] {
        &self.sections
    }

    /// A name that a folder rule or Obsidian's list makes private: the name itself or a folder above it.
    pub(super) fn hides_name(&self, path: &str) -> bool {
        self.hiding_folder(path).is_some() || self.excluding_filter(path).is_some()
    }

    /// The number of the folder rule that makes the name private.
    pub(super) fn hiding_folder(&self, path: &str) -> Option<usize> {
        first_match(&self.folders, path)
    }

    /// Does the folder rule of this number cover the name?
    pub(super) fn folder_covers(&self, number: usize, path: &str) -> bool {
        self.folders.get(number).is_some_and(|rule| rule.covers(path))
    }

    /// The entries of Obsidian's list.
    pub(super) fn excluded_filters(&self) -> Vec<&str> {
        self.excluded.written()
    }

    /// The entry of Obsidian's list that makes the name private.
    pub(super) fn excluding_filter(&self, path: &str) -> Option<&str> {
        self.excluded.matching(path)
    }

    /// A name that lies in a folder that is public where notes are private by default. The name of the note
    /// itself allows nothing: `pub*` is about folders.
    pub(super) fn allows_name(&self, path: &str) -> bool {
        path.rsplit_once('/').is_some_and(|(folder, _)| first_match(&self.allow_folders, folder).is_some())
    }

    /// A property tag without `#`, folded, that makes a note public where notes are private by default.
    pub(super) fn allows_folded_tag(&self, tag: &str) -> bool {
        covering(&self.allow_tags, tag).is_some()
    }

    /// Is there anything to mask?
    pub(super) fn masks_text(&self) -> bool {
        !self.redactions.is_empty()
    }

    /// The text with every match of a redaction masked by as many `*` as it has bytes. All are looked for
    /// in the text as it stands: what one masks, another still finds.
    pub(super) fn redact(&self, text: &str) -> String {
        let mut masked = text.as_bytes().to_vec();
        for found in self.redacted_places(text) {
            masked[found].fill(b'*');
        }
        String::from_utf8(masked).expect("matches begin and end between characters")
    }

    /// Where redactions match, in the order of the patterns and of the text.
    pub(super) fn redacted_places(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.redactions.iter().flat_map(|pattern| pattern.find_iter(text)).map(|found| found.range())
    }

    /// What redactions match, in the same order.
    pub(super) fn redacted<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.redacted_places(text).map(move |place| &text[place])
    }

    /// How many places [`Rules::redact`] would mask.
    pub(super) fn count_redactions(&self, text: &str) -> usize {
        self.redacted(text).count()
    }

    /// A name that does not exist for obsearch, on any profile.
    pub(super) fn ignores_name(&self, path: &str) -> bool {
        self.ignoring_pattern(path).is_some()
    }

    /// The pattern under which a name is ignored.
    pub(super) fn ignoring_pattern(&self, path: &str) -> Option<&str> {
        first_match(&self.ignored, path).map(|rule| &*self.written.ignore_patterns[rule])
    }

    /// The number of the tag rule that makes a tag private, given without `#` and folded: the tag itself
    /// or one above it.
    pub(super) fn hiding_tag(&self, tag: &str) -> Option<usize> {
        covering(&self.tags, tag)
    }

    /// Is the name of the note enough to refuse it to the public? Drawings count as attachments.
    pub(super) fn hides_note(&self, path: &NotePath) -> bool {
        self.hides_name(path.as_str()) || is_drawing(path)
    }
}

/// A drawing of the Excalidraw plugin: its text is data.
pub(super) fn is_drawing(path: &NotePath) -> bool {
    fold(path.stem()).ends_with(".excalidraw")
}

/// The number of the first rule that covers a name.
fn first_match(rules: &[PathRule], path: &str) -> Option<usize> {
    if rules.is_empty() {
        return None;
    }
    let segments: Vec<String> = path.split('/').map(fold_segment).collect();
    rules.iter().position(|rule| rule.matches(&segments))
}

/// What is allowed means something only where notes are private by default. Whoever forgot that line
/// would serve everything.
fn refuse_idle_permissions(text: &RuleText) -> Result<(), RuleError> {
    let allowed = text.allow_folders.iter().chain(&text.allow_tags).chain(&text.allow_flag).next();
    match allowed {
        Some(rule) if text.default == Standing::Public => Err(RuleError {
            rule: rule.clone(),
            reason: "it allows what is allowed already; write default = \"private\" beside it".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// A glob over the segments of a path. It covers what it names and all that lies below.
#[derive(Debug, Clone)]
pub(super) struct PathRule {
    /// Starts at the root; else at any depth.
    anchored: bool,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    /// One segment.
    Segment(SegmentGlob),
    /// `**`: any number of segments, none included.
    AnyDepth,
}

impl PathRule {
    /// `x`, `x/`, `x/*` and `x/**` mean the same; with a `/` left after that, the rule starts at
    /// the root.
    pub(super) fn compile(rule: &str) -> Result<PathRule, RuleError> {
        let fail = |reason: &str| RuleError { rule: rule.to_owned(), reason: reason.to_owned() };
        if rule.contains('\\') {
            return Err(fail("write `/` between folders"));
        }
        let mut core = rule.trim();
        while let Some(shorter) = ["/**", "/*", "/"].iter().find_map(|end| core.strip_suffix(end)) {
            core = shorter;
        }
        if core.is_empty() {
            return Err(fail("it names no folder; to serve nothing, do not start the server"));
        }
        let unanchored = core.strip_prefix("**/");
        let anchored = unanchored.is_none() && core.contains('/');
        let core = unanchored.unwrap_or(core).trim_start_matches('/');
        if core.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(fail("it names a folder relative to the vault, without `.`, `..` or empty parts"));
        }
        let pieces = core.split('/').map(|segment| Piece::compile(segment).map_err(|reason| fail(&reason)));
        Ok(PathRule { anchored, pieces: pieces.collect::<Result<_, _>>()? })
    }

    /// What allows is read narrowly: from the root of the vault, unless it says `**/`.
    fn compile_permission(rule: &str) -> Result<PathRule, RuleError> {
        let any_depth = rule.trim().starts_with("**/");
        PathRule::compile(rule).map(|compiled| PathRule { anchored: !any_depth, ..compiled })
    }

    /// A name that the rule covers, if one can be made up.
    pub(super) fn example(&self) -> Option<String> {
        let segments: Option<Vec<String>> = self.pieces.iter().map(Piece::example).collect();
        segments.map(|segments| segments.join("/"))
    }

    /// Does it cover this name?
    pub(super) fn covers(&self, path: &str) -> bool {
        first_match(std::slice::from_ref(self), path).is_some()
    }

    fn matches(&self, segments: &[String]) -> bool {
        let starts = if self.anchored { 1 } else { segments.len() };
        (0..starts).any(|start| matches_from(&self.pieces, &segments[start..]))
    }
}

impl Piece {
    fn example(&self) -> Option<String> {
        match self {
            Piece::AnyDepth => Some("deep".to_owned()),
            Piece::Segment(glob) => {
                glob.example().map(|name| if name.is_empty() { "x".to_owned() } else { name })
            }
        }
    }

    fn compile(segment: &str) -> Result<Piece, String> {
        if segment == "**" {
            return Ok(Piece::AnyDepth);
        }
        if segment.contains("**") {
            return Err("`**` stands for whole folders; within a name write `*`".to_owned());
        }
        SegmentGlob::compile(&fold_segment(segment)).map(Piece::Segment)
    }
}

/// Do the pieces match a prefix of the segments? The rest lies below.
fn matches_from(pieces: &[Piece], segments: &[String]) -> bool {
    match pieces.split_first() {
        None => true,
        Some((Piece::AnyDepth, rest)) => {
            (0..=segments.len()).any(|skip| matches_from(rest, &segments[skip..]))
        }
        Some((Piece::Segment(glob), rest)) => segments
            .split_first()
            .is_some_and(|(first, below)| glob.is_match(first) && matches_from(rest, below)),
    }
}

/// Windows drops dots and blanks at the end of a name, so they do not tell names apart here.
fn fold_segment(segment: &str) -> String {
    let folded = fold(segment);
    let bare = folded.trim_end_matches(['.', ' ']);
    if bare.is_empty() { folded } else { bare.to_owned() }
}

fn compile_tag(rule: &str) -> Result<String, RuleError> {
    let tag = fold(rule.trim());
    let tag = tag.trim_start_matches('#').trim_matches('/');
    let reason = if tag.is_empty() {
        "it names no tag"
    } else if tag.contains(|c: char| c.is_whitespace() || "#,*?[]{}\"'`".contains(c)) {
        "a tag has no blanks, commas or wildcards; nested tags are covered by the tag above them"
    } else {
        return Ok(tag.to_owned());
    };
    Err(RuleError { rule: rule.to_owned(), reason: reason.to_owned() })
}

/// The number of the rule that the tag is, or is nested below.
fn covering(rules: &[String], tag: &str) -> Option<usize> {
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
    rules.iter().position(|rule| tag.strip_prefix(&**rule).is_some_and(is_below))
}

pub(super) fn compile_redaction(rule: &str) -> Result<Regex, RuleError> {
    let fail = |reason: &str| RuleError { rule: rule.to_owned(), reason: reason.to_owned() };
    match RegexBuilder::new(rule).size_limit(1 << 20).build() {
        Ok(pattern) if pattern.is_match("") => {
            Err(fail("it matches the empty text, and so says nothing of what to mask"))
        }
        Ok(pattern) => Ok(pattern),
        Err(_) => Err(fail(
            "it is not a regular expression; a backslash is written twice, or the text in single quotes",
        )),
    }
}

fn compile_flag(rule: &str) -> Result<String, RuleError> {
    let flag = fold(rule.trim());
    if flag.is_empty() || flag.contains(|c: char| c.is_whitespace() || ":#,[]{}\"'".contains(c)) {
        let reason =
            "the flag is the name of one property, such as `private`, without blanks or colons".to_owned();
        return Err(RuleError { rule: rule.to_owned(), reason });
    }
    Ok(flag)
}

#[cfg(test)]
mod tests;
