//! The notes of the throw-away vaults: the names of the owner's notes, and for each of the owner's rules
//! some notes that it must hide, all with made-up words.

use std::collections::HashSet;

use super::Exhibit;
use crate::vault::{RuleText, Standing, example_match, example_name};

/// Words that public and private notes share.
const WORDS: [&str; 12] = [
    "river", "stone", "bread", "lamp", "chair", "grass", "wheel", "paper", "cloud", "kettle", "garden",
    "window",
];
/// Where made-up notes lie that no folder rule is about.
const OPEN_FOLDER: &str = "obsearch proof";
/// Public notes that turn private while the server runs, at most.
const MAX_FLIPS: usize = 8;

/// A made-up note.
#[derive(Debug, Clone)]
pub(super) struct MadeUpNote {
    pub(super) path: String,
    pub(super) text: String,
    /// What the public may know of it, where that is not the whole text.
    pub(super) public_text: Option<String>,
    /// Words that stand in it and nowhere else; those of the private part, if only a part is private.
    pub(super) canaries: Vec<String>,
    /// The rule it was planted under, which must hide it.
    pub(super) planted_under: Option<String>,
}

impl MadeUpNote {
    fn under(self, rule: String) -> MadeUpNote {
        MadeUpNote { planted_under: Some(rule), ..self }
    }

    pub(super) fn public_version(&self) -> MadeUpNote {
        let text = self.public_text.clone().unwrap_or_else(|| self.text.clone());
        MadeUpNote { text, public_text: None, ..self.clone() }
    }
}

/// The notes, and the rules for which none could be made up.
pub(super) struct Planted {
    pub(super) notes: Vec<MadeUpNote>,
    pub(super) not_exercised: Vec<String>,
}

/// Words that no text has.
pub(super) struct Tokens(u64);

impl Tokens {
    pub(super) fn new() -> Tokens {
        Tokens(0)
    }

    /// Ten letters that look random and are the same in every run.
    fn next(&mut self) -> String {
        self.0 += 1;
        let hash = blake3::hash(&self.0.to_le_bytes());
        hash.as_bytes()[..10].iter().map(|byte| char::from(b'a' + byte % 26)).collect()
    }
}

/// The words that no answer may hold: those of private notes and of private parts.
pub(super) fn private_words(planted: &[MadeUpNote], public: &[MadeUpNote]) -> Vec<String> {
    let public: HashSet<&str> = public.iter().map(|note| &*note.path).collect();
    let is_told = |note: &&MadeUpNote| note.public_text.is_some() || !public.contains(&*note.path);
    planted.iter().filter(is_told).flat_map(|note| note.canaries.iter().cloned()).collect()
}

pub(super) fn notes(exhibit: &Exhibit, tokens: &mut Tokens) -> Planted {
    let rules = &exhibit.rules;
    let mut planted = Planted { notes: Vec::new(), not_exercised: Vec::new() };
    for (number, name) in exhibit.names.iter().enumerate() {
        let link = &exhibit.names[(number * 7 + 3) % exhibit.names.len()];
        planted.notes.push(note(name, &format!("[[{}]]", link.trim_end_matches(".md")), "", tokens));
    }
    planted.in_folders(rules, &exhibit.excluded, tokens);
    planted.by_tags(rules, tokens);
    planted.by_flag(rules, tokens);
    planted.in_parts(rules, tokens);
    if rules.default == Standing::Private {
        planted.notes.push(note(&open_path(tokens), "", "", tokens).under("default".to_owned()));
    }
    // The name of a real note may lie where a made-up one does; the first keeps the place.
    let mut taken = HashSet::new();
    planted.notes.retain(|note| taken.insert(note.path.to_lowercase()));
    planted
}

impl Planted {
    fn in_folders(&mut self, rules: &RuleText, excluded: &[String], tokens: &mut Tokens) {
        for rule in &rules.folders {
            let Some(folder) = example_name(rule) else {
                self.not_exercised.push(format!("folders \"{rule}\""));
                continue;
            };
            for folder in [folder.clone(), shouted(&folder), format!("{folder}/{}", tokens.next())] {
                let path = format!("{folder}/{}.md", tokens.next());
                self.notes.push(note(&path, "", "", tokens).under(format!("folders \"{rule}\"")));
            }
        }
        for filter in excluded {
            if filter.starts_with('/') {
                self.not_exercised.push(format!("Obsidian's excluded files \"{filter}\""));
            } else {
                let path = format!("{filter}{}.md", tokens.next());
                let rule = format!("Obsidian's excluded files \"{filter}\"");
                self.notes.push(note(&path, "", "", tokens).under(rule));
            }
        }
    }

    fn by_tags(&mut self, rules: &RuleText, tokens: &mut Tokens) {
        for tag in rules.tags.iter().map(|tag| tag.trim_start_matches('#')) {
            let upper = shouted(tag);
            let rule = format!("tags \"{tag}\"");
            let bodies = [
                format!("#{tag}"),
                format!("#{upper}/deeper"),
                format!("```\n#{tag}\n```"),
                format!("%% #{tag} %%"),
                format!("<!-- #{tag} -->"),
            ];
            let properties = [
                format!("tags: [{tag}]\n"),
                format!("tags: a, {upper}\n"),
                format!("tags:\n  - \"#{tag}/deeper\"\n"),
                format!("tags: #{tag}\n"),
                format!("x: {{{{y}}}}: z\ntags: [{tag}\n"),
            ];
            for body in bodies {
                self.notes.push(note(&open_path(tokens), &body, "", tokens).under(rule.clone()));
            }
            for properties in properties {
                self.notes.push(note(&open_path(tokens), "", &properties, tokens).under(rule.clone()));
            }
        }
    }

    fn by_flag(&mut self, rules: &RuleText, tokens: &mut Tokens) {
        if let Some(flag) = &rules.frontmatter_flag {
            let upper = shouted(flag);
            let properties = [
                format!("{flag}: true\n"),
                format!("{upper}: \"yes\"\n"),
                format!("\"{flag}\": 1\n"),
                format!("{flag}:\n"),
                format!("meta: {{{flag}: true}}\n"),
                format!("# {flag}: true\n"),
                format!("x: {{{{y}}}}: z\n{flag}: true\n"),
            ];
            for properties in properties {
                let rule = format!("frontmatter_flag \"{flag}\"");
                self.notes.push(note(&open_path(tokens), "", &properties, tokens).under(rule));
            }
        }
        if rules.strict {
            self.notes.push(note(&open_path(tokens), "", "x: {{y}}: z\n", tokens).under("strict".to_owned()));
        }
    }

    /// Notes that are public but for a part, and what is left of them.
    fn in_parts(&mut self, rules: &RuleText, tokens: &mut Tokens) {
        let mut parts: Vec<(String, String)> = vec![
            ("> [!private] @\n> @\n>\n> @\n\n".to_owned(), "\n".to_owned()),
            ("%%private%%\n@\n\n# @\n\n#@\n%%/private%%\n".to_owned(), String::new()),
        ];
        if let Some(tag) = rules.tags.first() {
            let tag = tag.trim_start_matches('#');
            parts.push((format!("## @ #{tag}\n\n@\n\n### @\n\n- @\n\n"), String::new()));
        }
        for pattern in &rules.redact_patterns {
            match example_match(pattern) {
                Some(example) => {
                    let masked = "*".repeat(example.len());
                    self.notes.push(MadeUpNote {
                        path: open_path(tokens),
                        text: format!("The kettle {example} boils.\n"),
                        public_text: Some(format!("The kettle {masked} boils.\n")),
                        canaries: Vec::new(),
                        planted_under: None,
                    });
                }
                None => self.not_exercised.push(format!("redact_patterns '{pattern}'")),
            }
        }
        for (part, rest) in parts {
            let mut canaries = Vec::new();
            let part = part.split('@').map(str::to_owned).reduce(|text, piece| {
                canaries.push(tokens.next());
                format!("{text}{}{piece}", canaries[canaries.len() - 1])
            });
            let (before, after) = ("# Partly\n\nA river.\n\n", "## Rest\n\nA stone.\n");
            self.notes.push(MadeUpNote {
                path: open_path(tokens),
                text: format!("{before}{}{after}", part.unwrap_or_default()),
                public_text: Some(format!("{before}{rest}{after}")),
                canaries,
                planted_under: None,
            });
        }
    }
}

/// In capitals, where those name the same: not every letter has one.
fn shouted(name: &str) -> String {
    let upper = name.to_uppercase();
    if upper.to_lowercase() == name.to_lowercase() { upper } else { name.to_owned() }
}

fn open_path(tokens: &mut Tokens) -> String {
    format!("{OPEN_FOLDER}/{}.md", tokens.next())
}

/// A note with a word of its own in everything that an index knows of a note.
fn note(path: &str, line: &str, properties: &str, tokens: &mut Tokens) -> MadeUpNote {
    let canaries: Vec<String> = (0..10).map(|_| tokens.next()).collect();
    let [title, alias, key, value, word, block, heading, own_tag, target, image] = &canaries[..] else {
        unreachable!("there are ten of them")
    };
    let words: Vec<&str> = (0..8).map(|at| WORDS[(path.len() * 5 + at * at + at) % WORDS.len()]).collect();
    let text = format!(
        "---\n{properties}aliases: [{alias}]\n{key}: {value}\n---\n# {title}\n\n{} {word} ^{block}\n\n{line}\n\n\
         ## {heading}\n\n#{own_tag} [[{target}]] ![[{image}.png]]\n",
        words.join(" "),
    );
    MadeUpNote { path: path.to_owned(), text, public_text: None, canaries, planted_under: None }
}

/// A public note that becomes private.
pub(super) struct Flip {
    /// Where it was.
    pub(super) path: String,
    pub(super) now: Now,
    pub(super) canaries: Vec<String>,
}

/// What becomes of it.
pub(super) enum Now {
    /// A note with this path and text.
    Text(String, String),
    /// A symbolic link with this text, to a private note.
    LinkTo(String),
}

/// Some of the public notes, each made private by another of the owner's rules, and one that gives way to a
/// link to a private note.
pub(super) fn flips(
    exhibit: &Exhibit,
    planted: &[MadeUpNote],
    public: &[MadeUpNote],
    tokens: &mut Tokens,
) -> Vec<Flip> {
    let rules = &exhibit.rules;
    let is_whole =
        |note: &&MadeUpNote| note.canaries.first().is_some_and(|canary| note.text.contains(canary));
    let is_public = |path: &str| public.iter().any(|note| note.path == path);
    // Only a rule about its name keeps what the link leads to from the public.
    let hidden = rules.folders.iter().find_map(|rule| example_name(rule));
    let is_hidden =
        |note: &&MadeUpNote| hidden.as_ref().is_some_and(|folder| note.path.starts_with(&**folder));
    let private = planted.iter().filter(is_hidden).find(|note| !is_public(&note.path));
    let ways: Vec<Way> = private
        .map(|note| Way::Link(note.path.clone()))
        .into_iter()
        .chain(rules.tags.iter().map(|tag| Way::Tag(tag.trim_start_matches('#').to_owned())))
        .chain(rules.frontmatter_flag.clone().map(Way::Flag))
        .chain(rules.folders.iter().filter_map(|rule| example_name(rule)).map(Way::Folder))
        .collect();
    let flips = public.iter().filter(is_whole).zip(ways.iter().cycle()).take(MAX_FLIPS);
    flips
        .map(|(note, way)| Flip {
            path: note.path.clone(),
            now: way.applied_to(note, tokens),
            canaries: note.canaries.clone(),
        })
        .collect()
}

/// A way for a note to become private.
enum Way {
    Tag(String),
    Flag(String),
    Folder(String),
    Link(String),
}

impl Way {
    fn applied_to(&self, note: &MadeUpNote, tokens: &mut Tokens) -> Now {
        let path = note.path.clone();
        match self {
            Way::Tag(tag) => Now::Text(path, format!("{}\n#{tag}\n", note.text)),
            Way::Flag(flag) => {
                Now::Text(path, note.text.replacen("---\n", &format!("---\n{flag}: true\n"), 1))
            }
            Way::Folder(folder) => Now::Text(format!("{folder}/{}.md", tokens.next()), note.text.clone()),
            Way::Link(target) => {
                Now::LinkTo(format!("{}{target}", "../".repeat(note.path.matches('/').count())))
            }
        }
    }
}
