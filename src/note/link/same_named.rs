//! Obsidian's rules for which of several notes of one name a link means, made ready for any number of links: a vault may
//! hold a `README` in each of its folders and a link to it in each of its notes.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::{Link, LinkKind, comparable, name_key};

/// All notes of a vault, by name.
#[derive(Debug)]
pub struct Named<'p> {
    groups: HashMap<String, Group<'p>>,
}

#[derive(Debug, Default)]
struct Group<'p> {
    paths: Vec<&'p str>,
    /// Where they stand among all notes.
    places: Vec<usize>,
    /// Most names are never asked for.
    ready: OnceCell<SameNamed<'p>>,
}

impl<'p> Named<'p> {
    /// Takes vault paths.
    pub fn new(paths: impl IntoIterator<Item = &'p str>) -> Named<'p> {
        let mut groups: HashMap<String, Group<'p>> = HashMap::new();
        for (place, path) in paths.into_iter().enumerate() {
            let group = groups.entry(name_key(path)).or_default();
            group.paths.push(path);
            group.places.push(place);
        }
        Named { groups }
    }

    /// Where the note that `link` in note `from` means stands among all notes; see [`SameNamed::choose`].
    pub fn target(&self, link: &Link, from: &str) -> Option<usize> {
        let group = self.groups.get(&name_key(&link.target))?;
        let ready = group.ready.get_or_init(|| SameNamed::new(group.paths.clone()));
        ready.choose(link, from).map(|chosen| group.places[chosen])
    }
}

/// Notes that share a name, see [`name_key`].
#[derive(Debug)]
pub struct SameNamed<'p> {
    written: Vec<&'p str>,
    /// Notes by path, in the form in which paths are compared; in the order they came.
    by_path: HashMap<String, Vec<usize>>,
    /// For each ending of a path, whole segments: the note nearest to the root.
    by_ending: HashMap<String, usize>,
}

impl<'p> SameNamed<'p> {
    /// Takes vault paths.
    pub fn new(written: Vec<&'p str>) -> SameNamed<'p> {
        let paths: Vec<String> = written.iter().map(|path| comparable(path)).collect();
        let mut by_path: HashMap<String, Vec<usize>> = HashMap::with_capacity(paths.len());
        let mut by_ending: HashMap<String, usize> = HashMap::new();
        let farness = |index: usize| {
            let path: &str = &paths[index];
            (path.matches('/').count(), path.chars().count(), index)
        };
        for (index, path) in paths.iter().enumerate() {
            for ending in endings(path) {
                let nearest = by_ending.entry(ending.to_owned()).or_insert(index);
                *nearest = std::cmp::min_by_key(*nearest, index, |index| farness(*index));
            }
            by_path.entry(path.clone()).or_default().push(index);
        }
        SameNamed { written, by_path, by_ending }
    }

    /// Chooses the note that `link` in note `from` means, if its target has this name. Order of the rules: a Markdown
    /// link, or one that begins with a dot, from the note's own folder; the exact path; then, among the paths that end
    /// in the target, the note's own folder, the shortest path, and the first in order; at last, which is our rule and
    /// not Obsidian's, a path that the target ends in. All comparisons fold case and NFC; where several paths differ
    /// only in that, the one written exactly like the target wins.
    ///
    /// `None` also for a link within the note, whose target is empty.
    pub fn choose(&self, link: &Link, from: &str) -> Option<usize> {
        let target = comparable(&link.target);
        let from = comparable(from);
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_dotted = target.starts_with("./") || target.starts_with("../");
        if is_dotted || (link.kind == LinkKind::Markdown && !target.starts_with('/')) {
            let found = join(folder, &target).and_then(|path| self.exact(&path, link));
            if found.is_some() || is_dotted {
                return found;
            }
        }
        if let Some(path) = target.strip_prefix('/') {
            return self.exact(path, link);
        }
        if target.is_empty() {
            return None;
        }
        let nearest = || self.in_folder(folder, &target).or_else(|| self.by_ending.get(&target).copied());
        self.exact(&target, link).or_else(nearest).or_else(|| self.seen_from_above_the_vault(&target))
    }

    /// The note with this path; if several differ only in case or form, the one as written.
    fn exact(&self, path: &str, link: &Link) -> Option<usize> {
        let equal = self.by_path.get(path)?;
        let written = link.target.trim_end_matches(".md");
        let as_written = |index: &&usize| self.written[**index].trim_end_matches(".md").ends_with(written);
        equal.iter().find(as_written).or(equal.first()).copied()
    }

    /// The note of a folder, if its path ends in the target.
    fn in_folder(&self, folder: &str, target: &str) -> Option<usize> {
        let name = target.rsplit('/').next().unwrap_or(target);
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let ends_in_target = endings(&path).any(|ending| ending == target);
        self.by_path.get(&path).filter(|_| ends_in_target)?.first().copied()
    }

    /// The longest path that the target ends in, if it has a folder: a link written from a folder above the vault, as
    /// in a repository of which only a part was opened.
    fn seen_from_above_the_vault(&self, target: &str) -> Option<usize> {
        let mut below = endings(target).skip(1).filter(|ending| ending.contains('/'));
        below.find_map(|ending| self.by_path.get(ending)?.last().copied())
    }
}

/// The path, then what is left of it without its first folders; the longest first.
fn endings(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path).chain(path.match_indices('/').map(|(at, _)| &path[at + 1..]))
}

/// Joins a relative path to a folder. `None` if it leaves the vault.
fn join(folder: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}
