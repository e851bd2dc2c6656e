//! What an index run did, a line for each tree, and what it left out.

use std::io::{self, Write};

use super::{counted, escape, grouped, style};
use crate::sync::{SkipReason, Skipped, TreeSummary};

/// One line for each tree; below it the files that were left out against expectation.
pub(in crate::cli) fn summaries(out: &mut impl Write, trees: &[TreeSummary]) -> io::Result<()> {
    trees.iter().try_for_each(|tree| summary(out, tree))
}

fn summary(out: &mut impl Write, tree: &TreeSummary) -> io::Result<()> {
    let heading = style::HEADING;
    let TreeSummary { added, changed, removed, .. } = tree;
    writeln!(
        out,
        "{heading}{:6}{heading:#} {}, {}: {} added, {} changed, {} removed, {} in {:.1} s",
        tree.profile,
        counted(tree.notes, "note"),
        counted(tree.chunks, "passage"),
        grouped(*added),
        grouped(*changed),
        grouped(*removed),
        skipped(&tree.skipped),
        tree.seconds,
    )?;
    if let Some(reason) = tree.rebuilt {
        writeln!(out, "       built anew: {reason}")?;
    }
    if tree.pending_vectors > 0 {
        writeln!(out, "       {} still without a vector", counted(tree.pending_vectors, "passage"))?;
    }
    // Private files are left out on purpose: their number is enough.
    let unexpected = tree.skipped.iter().filter(|skipped| skipped.reason != SkipReason::Private);
    unexpected.into_iter().try_for_each(|skipped| examples(out, skipped))
}

fn skipped(skipped: &[Skipped]) -> String {
    let total: u64 = skipped.iter().map(|skipped| skipped.count).sum();
    let reasons: Vec<String> = skipped
        .iter()
        .map(|skipped| format!("{} {}", grouped(skipped.count), reason(skipped.reason)))
        .collect();
    if total == 0 {
        "0 skipped".to_owned()
    } else {
        format!("{} skipped ({})", grouped(total), reasons.join(", "))
    }
}

fn examples(out: &mut impl Write, skipped: &Skipped) -> io::Result<()> {
    let dim = style::DIM;
    let names: Vec<String> = skipped.examples.iter().map(|name| escape::line(name)).collect();
    let more = if skipped.count > names.len() as u64 { ", …" } else { "" };
    writeln!(out, "       {dim}{}: {}{more}{dim:#}", reason(skipped.reason), names.join(", "))
}

fn reason(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Private => "private",
        SkipReason::TooLarge => "too large",
        SkipReason::NotText => "not text",
        SkipReason::Unreadable => "unreadable",
        SkipReason::Link => "links",
        SkipReason::Name => "with a name that cannot be served",
        SkipReason::NotAFile => "not a file",
        SkipReason::Unstable => "changing while read",
    }
}
