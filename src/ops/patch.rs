//! Edits within lines of a note -> a unified diff that `git apply` takes. Pure.

use std::ops::Range;

/// Lines shown around a change: lines of notes are paragraphs, and `git apply` needs one to know its place.
const CONTEXT: usize = 1;

/// A change of the text of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// What is replaced: within one line.
    pub(super) range: Range<usize>,
    pub(super) by: String,
}

/// The diff of a note under a path; empty without edits. Edits are in order and do not overlap.
pub(super) fn unified(path: &str, text: &str, edits: &[Edit]) -> String {
    let lines = lines(text);
    let changed: Vec<(usize, String)> = changed(text, &lines, edits);
    let Some((first, _)) = changed.first() else { return String::new() };
    let mut diff = format!("--- {}\n+++ {}\n", name("a", path), name("b", path));
    let mut hunk = first.saturating_sub(CONTEXT)..(first + CONTEXT + 1).min(lines.len());
    let mut of_hunk: Vec<&(usize, String)> = Vec::new();
    for change in &changed {
        if change.0 > hunk.end + CONTEXT {
            push_hunk(&mut diff, text, &lines, hunk, &of_hunk);
            hunk = change.0 - CONTEXT..change.0;
            of_hunk.clear();
        }
        hunk.end = (change.0 + CONTEXT + 1).min(lines.len());
        of_hunk.push(change);
    }
    push_hunk(&mut diff, text, &lines, hunk, &of_hunk);
    diff
}

/// First and last lines, from 1, that each part of a diff quotes of the text before.
pub(super) fn old_lines(diff: &str) -> impl Iterator<Item = (u32, u32)> {
    // Quoted lines begin with a blank, a plus or a minus.
    diff.lines().filter_map(|line| {
        let (first, count) = line.strip_prefix("@@ -")?.split_once(' ')?.0.split_once(',')?;
        let (first, count): (u32, u32) = (first.parse().ok()?, count.parse().ok()?);
        Some((first, (first + count).saturating_sub(1)))
    })
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let line = |line: &str| {
        start += line.len();
        start - line.len()..start
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The lines that change, from 0, each as it will be.
fn changed(text: &str, lines: &[Range<usize>], edits: &[Edit]) -> Vec<(usize, String)> {
    let mut changed: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for edit in edits {
        let number = lines.partition_point(|line| line.end <= edit.range.start);
        let Some(line) = lines.get(number) else { continue };
        if let Some((_, new)) = changed.last_mut().filter(|(last, _)| *last == number) {
            new.push_str(&text[at..edit.range.start]);
        } else {
            finish(text, lines, &mut changed, at);
            changed.push((number, text[line.start..edit.range.start].to_owned()));
        }
        if let Some((_, new)) = changed.last_mut() {
            new.push_str(&edit.by);
        }
        at = edit.range.end;
    }
    finish(text, lines, &mut changed, at);
    changed
}

/// What stands behind the last edit of a line stays.
fn finish(text: &str, lines: &[Range<usize>], changed: &mut [(usize, String)], at: usize) {
    if let Some((number, new)) = changed.last_mut() {
        new.push_str(&text[at..lines[*number].end]);
    }
}

fn push_hunk(
    diff: &mut String,
    text: &str,
    lines: &[Range<usize>],
    hunk: Range<usize>,
    changes: &[&(usize, String)],
) {
    let place = format!("{},{}", hunk.start + 1, hunk.len());
    diff.push_str(&["@@ -", &place, " +", &place, " @@\n"].concat());
    let mut changes = changes.iter().peekable();
    for number in hunk {
        let old = &text[lines[number].clone()];
        match changes.next_if(|(changed, _)| *changed == number) {
            Some((_, new)) => {
                push_line(diff, '-', old);
                push_line(diff, '+', new);
            }
            None => push_line(diff, ' ', old),
        }
    }
}

fn push_line(diff: &mut String, sign: char, line: &str) {
    diff.push(sign);
    diff.push_str(line);
    if !line.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

/// A path as git writes it: quoted as in C where a character could not stand there, and with a tab behind it where a
/// blank could be taken for its end.
fn name(side: &str, path: &str) -> String {
    let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != 0x7f;
    if path.bytes().all(is_plain) {
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{side}/{path}{end}");
    }
    let quoted: String = path
        .chars()
        .map(|letter| match letter {
            '"' | '\\' => format!("\\{letter}"),
            letter if letter.is_ascii_control() => format!("\\{:03o}", u32::from(letter)),
            letter => letter.to_string(),
        })
        .collect();
    format!("\"{side}/{quoted}\"")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn hunks_are_as_git_wants_them() {
        let lines: Vec<String> = (1..=20).map(|number| format!("line {number}")).collect();
        let text = lines.join("\n") + "\nlast mast";
        let edit = |words: &str, by: &str| {
            let start = text.find(words).unwrap();
            Edit { range: start..start + words.len(), by: by.to_owned() }
        };
        let edits =
            [edit("line 2\n", "x"), edit("15", "[[15]]"), edit("last", "[[last]]"), edit("mast", "[[mast]]")];
        let edits = [Edit { range: edits[0].range.start..edits[0].range.end - 1, ..edits[0].clone() }]
            .into_iter()
            .chain(edits[1..].iter().cloned());
        expect![[r"
            --- a/A b.md	
            +++ b/A b.md	
            @@ -1,3 +1,3 @@
             line 1
            -line 2
            +x
             line 3
            @@ -14,3 +14,3 @@
             line 14
            -line 15
            +line [[15]]
             line 16
            @@ -20,2 +20,2 @@
             line 20
            -last mast
            \ No newline at end of file
            +[[last]] [[mast]]
            \ No newline at end of file
        "]]
        .assert_eq(&unified("A b.md", &text, &edits.clone().collect::<Vec<_>>()));
        let diff = unified("A b.md", &text, &edits.collect::<Vec<_>>());
        assert_eq!(old_lines(&diff).collect::<Vec<_>>(), [(1, 3), (14, 16), (20, 21)]);
        assert_eq!(unified("A.md", &text, &[]), "");
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        let table = [
            ("x.md", "a/x.md"),
            ("Ä b.md", "a/Ä b.md\t"),
            ("a\"b\\c.md", r#""a/a\"b\\c.md""#),
            ("a\tb.md", r#""a/a\011b.md""#),
        ];
        for (path, expected) in table {
            assert_eq!(name("a", path), expected);
        }
    }
}
