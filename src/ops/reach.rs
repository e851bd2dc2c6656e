//! Reach: the notes that stand several links away from one, and a shortest way to one of them.
//!
//! Invariant: every note that is named was opened and judged in this request; bounds count such notes only.

use std::collections::HashSet;

use serde::Serialize;

use super::OpError;
use super::graph::Graph;
use super::links::{Direction, LinkedNote, described};
use crate::vault::{Note, NotePath, Released};

/// A note some links away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NearNote {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// Links between it and the note that was asked for, 2 or more.
    pub distance: u32,
    /// Path of the note before it on the way.
    pub via: String,
}

/// How far to look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Links from the first note.
    pub(super) depth: u32,
    /// Notes, the first one not among them.
    pub(super) most_notes: usize,
}

/// Notes in the order in which they were met, the nearest first.
pub(super) struct Spread<'s> {
    nodes: Vec<Node<'s>>,
    /// There may be more within these bounds but for the number of notes.
    pub(super) is_cut: bool,
}

struct Node<'s> {
    note: Released<'s, LinkedNote>,
    distance: u32,
    /// Which node led here.
    before: usize,
}

/// Goes from note to note, breadth first, up to the bounds or to the note with the path `until`.
pub(super) fn spread<'s>(
    graph: &Graph<'_, 's>,
    start: &Note<'s>,
    direction: Direction,
    bounds: Bounds,
    until: Option<&str>,
) -> Result<Spread<'s>, OpError> {
    let first = Node { note: graph.session.release(start, described(start)), distance: 0, before: 0 };
    let mut seen: HashSet<String> = HashSet::from([start.path().as_str().to_owned()]);
    let mut spread = Spread { nodes: vec![first], is_cut: false };
    if until == Some(start.path().as_str()) {
        return Ok(spread);
    }
    let mut at = 0;
    while let Some(node) = spread.nodes.get(at).filter(|node| node.distance < bounds.depth) {
        let distance = node.distance + 1;
        let path = NotePath::parse(&node.note.get().path).ok();
        if let Some(note) = path.and_then(|path| graph.session.open(&path).ok()) {
            for linked in neighbours(graph, &note, direction)? {
                let path = &linked.get().path;
                if !seen.insert(path.clone()) {
                    continue;
                }
                if spread.nodes.len() > bounds.most_notes {
                    spread.is_cut = true;
                    return Ok(spread);
                }
                let is_end = until == Some(path);
                spread.nodes.push(Node { note: linked, distance, before: at });
                if is_end {
                    return Ok(spread);
                }
            }
        }
        at += 1;
    }
    Ok(spread)
}

fn neighbours<'s>(
    graph: &Graph<'_, 's>,
    note: &Note<'s>,
    direction: Direction,
) -> Result<Vec<Released<'s, LinkedNote>>, OpError> {
    let release = |note: &Note<'s>| graph.session.release(note, described(note));
    let mut notes = Vec::new();
    if direction != Direction::Backlinks {
        notes.extend(graph.outgoing(note, release)?.notes);
    }
    if direction != Direction::Outgoing {
        notes.extend(graph.backlinks(note.path().as_str(), release)?);
    }
    Ok(notes)
}

impl<'s> Spread<'s> {
    /// The notes from two links away on, each with the one that led there.
    pub(super) fn near(self) -> Vec<Released<'s, NearNote>> {
        let paths: Vec<String> = self.nodes.iter().map(|node| node.note.get().path.clone()).collect();
        let far = self.nodes.into_iter().filter(|node| node.distance > 1);
        far.map(|Node { note, distance, before }| {
            let via = paths[before].clone();
            note.map(|LinkedNote { path, title }| NearNote { path, title, distance, via })
        })
        .collect()
    }

    /// The notes on the way to the last one, both ends among them, if that is `end`.
    pub(super) fn route(self, end: &str) -> Vec<Released<'s, LinkedNote>> {
        let Some(last) = self.nodes.last().filter(|node| node.note.get().path == end) else {
            return Vec::new();
        };
        let mut on_the_way = HashSet::from([self.nodes.len() - 1, 0]);
        let mut before = last.before;
        while before != 0 {
            on_the_way.insert(before);
            before = self.nodes[before].before;
        }
        // Every note was met after the one that led there.
        let nodes = self.nodes.into_iter().enumerate().filter(|(index, _)| on_the_way.contains(index));
        nodes.map(|(_, node)| node.note).collect()
    }
}
