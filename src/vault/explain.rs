//! Why the public may or may not see a note: every reason, not only the first. For the owner's own
//! terminal only; nothing here is ever told to a client.

use std::io;
use std::os::fd::AsFd;

use serde::Serialize;

use super::decode::{Decoded, decode};
use super::gate::{Refusal, Session};
use super::judge::{self, Mark, Word};
use super::links::Names;
use super::path::NotePath;
use super::rules::{self, RuleText, Rules, Standing};
use super::scan::scan;

/// Something that keeps a note from the public.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Ground {
    /// A folder rule covers one of the names of the file.
    Folder {
        /// As written.
        rule: String,
        /// The name it covers.
        name: String,
    },
    /// Obsidian's excluded files cover one of the names of the file.
    Excluded {
        /// As written.
        filter: String,
        /// The name it covers.
        name: String,
    },
    /// A tag that a tag rule names.
    Tag {
        /// As written.
        rule: String,
        /// From 1.
        line: usize,
    },
    /// The flag.
    Flag {
        /// As written.
        property: String,
        /// From 1.
        line: usize,
    },
    /// Properties that cannot be read, under `strict`.
    Malformed {
        /// From 1.
        line: usize,
    },
    /// Private parts, or text to be masked, in bytes that two programs may read differently.
    Ambiguous,
    /// A drawing: its text is data.
    Drawing,
    /// The file has names that are not known: outside the vault, or too many.
    UnknownNames,
    /// Notes are private by default, and nothing allows this one.
    NotAllowed,
}

/// What is known of a note and the public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Why not even the owner can read it, if so.
    pub refusal: Option<Refusal>,
    /// All that keeps it from the public; empty for a public note.
    pub grounds: Vec<Ground>,
    /// Every name of the file, as far as they are known.
    pub names: Vec<String>,
    /// Lines of private parts, first and last, from 1.
    pub private_parts: Vec<(usize, usize)>,
    /// Places that are masked.
    pub masked: usize,
}

/// What a name is, links followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A name of its own.
    Here,
    /// It goes through a symbolic link and leads to this name in the vault.
    LinkTo(String),
    /// It goes through a symbolic link and leads out of the vault.
    LinkOut,
    /// The pattern under which it is ignored, for everybody.
    Ignored(String),
    /// Nothing is there.
    Nowhere,
}

impl Session<'_> {
    /// Where a name leads. It reads names only.
    #[expect(clippy::disallowed_methods, reason = "the wall tells the owner where a link leads")]
    pub fn place(&self, path: &NotePath) -> Place {
        if let Some(pattern) = self.rules.ignoring_pattern(path.as_str()) {
            return Place::Ignored(pattern.to_owned());
        }
        let named = self.vault.path().join(path.as_str());
        let real = match std::fs::canonicalize(&named) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !named.is_symlink() => {
                return Place::Nowhere;
            }
            Err(_) => return if named.is_symlink() { Place::LinkOut } else { Place::Here },
        };
        match real.strip_prefix(self.vault.path()).map(|inside| inside.to_string_lossy().into_owned()) {
            Err(_) => Place::LinkOut,
            Ok(inside) if inside == path.as_str() => Place::Here,
            // Another spelling of the same name is no link.
            Ok(inside) if super::fold::fold(&inside) == super::fold::fold(path.as_str()) => Place::Here,
            Ok(inside) => Place::LinkTo(inside),
        }
    }

    /// Judges a note for the public, whoever asks, and tells all the reasons.
    pub fn explain(&self, path: &NotePath) -> Explanation {
        let mut explanation = Explanation {
            refusal: None,
            grounds: Vec::new(),
            names: vec![path.as_str().to_owned()],
            private_parts: Vec::new(),
            masked: 0,
        };
        let bytes = match self.read(path) {
            Ok(bytes) => bytes,
            Err(refusal) => {
                explanation.refusal = Some(refusal);
                explanation.grounds = self.grounds_of_names(&explanation.names);
                return explanation;
            }
        };
        match self.names(path, bytes.id, bytes.hard_links) {
            Some(Names::Known(names)) => explanation.names = names,
            _ => explanation.grounds.push(Ground::UnknownNames),
        }
        explanation.grounds.extend(self.grounds_of_names(&explanation.names));
        if rules::is_drawing(path) {
            explanation.grounds.push(Ground::Drawing);
        }
        match decode(bytes.content) {
            None => explanation.refusal = Some(Refusal::NotText),
            Some(decoded) => self.explain_text(&decoded, &mut explanation),
        }
        explanation
    }

    fn explain_text(&self, decoded: &Decoded, explanation: &mut Explanation) {
        let text = &decoded.text;
        let lines = LineEnds::of(text);
        let grounds = judge::all_marks(&self.rules, decoded);
        explanation.grounds.extend(grounds.into_iter().map(|mark| self.ground(&lines, mark)));
        explanation.grounds.sort();
        explanation.grounds.dedup();
        let is_allowed = self.rules.default == Standing::Public
            || explanation.names.iter().all(|name| self.rules.allows_name(name))
            || judge::is_allowed_by_text(&self.rules, text);
        if !is_allowed {
            explanation.grounds.push(Ground::NotAllowed);
        }
        let parts = judge::private_parts(&self.rules, text);
        explanation.private_parts = parts
            .into_iter()
            .map(|part| (lines.line_at(part.start), lines.line_at(part.end.saturating_sub(1))))
            .collect();
        explanation.masked = self.rules.count_redactions(text);
    }

    fn grounds_of_names(&self, names: &[String]) -> Vec<Ground> {
        let mut grounds = Vec::new();
        for name in names {
            if let Some(rule) = self.rules.hiding_folder(name) {
                grounds.push(Ground::Folder {
                    rule: self.rules.written.folders[rule].clone(),
                    name: name.clone(),
                });
            }
            if let Some(filter) = self.rules.excluding_filter(name) {
                grounds.push(Ground::Excluded { filter: filter.to_owned(), name: name.clone() });
            }
        }
        grounds
    }

    fn ground(&self, lines: &LineEnds, mark: Mark) -> Ground {
        let line = lines.line_at(mark.at);
        let written = &self.rules.written;
        match mark.word {
            Word::Tag(rule) => Ground::Tag { rule: written.tags[rule].clone(), line },
            Word::Flag => {
                Ground::Flag { property: written.frontmatter_flag.clone().unwrap_or_default(), line }
            }
            Word::Malformed => Ground::Malformed { line },
            Word::Ambiguous => Ground::Ambiguous,
        }
    }

    /// The rules as the owner wrote them, at this request.
    pub fn rule_text(&self) -> &RuleText {
        &self.rules.written
    }

    /// The entries of Obsidian's excluded files, at this request.
    pub fn excluded_filters(&self) -> Vec<&str> {
        self.rules.excluded_filters()
    }

    /// The names of all folders, hidden and ignored ones left out, in no order.
    pub fn folder_names(&self) -> io::Result<Vec<String>> {
        let scan = scan(self.vault.root.as_fd(), &self.rules)?;
        Ok(scan.folders.into_iter().map(|folder| folder.name).filter(|name| !name.is_empty()).collect())
    }

    /// Does this folder rule cover the name? For the owner, who asks which of the rules do anything.
    pub fn covers(&self, rule: &str, name: &str) -> bool {
        let number = self.rules.written.folders.iter().position(|written| written == rule);
        number.is_some_and(|number| self.rules.folder_covers(number, name))
    }
}

/// What the public would see of a file with these bytes, its names aside; `None` for a private one. For
/// tests of the rules: nothing on disk is asked.
pub fn public_version(rules: &Rules, bytes: &[u8]) -> Option<String> {
    let decoded = decode(bytes.to_vec())?;
    let is_allowed = rules.default == Standing::Public || judge::is_allowed_by_text(rules, &decoded.text);
    judge::public_text(rules, decoded).filter(|_| is_allowed)
}

/// Where the lines of a text end.
struct LineEnds(Vec<usize>);

impl LineEnds {
    fn of(text: &str) -> LineEnds {
        LineEnds(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// From 1, as editors count lines. A place of another reading of the bytes stands where it would be.
    fn line_at(&self, at: usize) -> usize {
        self.0.partition_point(|end| *end < at) + 1
    }
}
