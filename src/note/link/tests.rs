//! Links as written, and which note they mean.
use super::*;
use crate::note::parse;

/// A link in short: `!` for an embed, kind, target, anchor, label.
fn short(link: &Link) -> String {
    let embed = if link.embed { "!" } else { "" };
    let kind = if link.kind == LinkKind::Wiki { "w" } else { "m" };
    let anchor = match &link.anchor {
        Some(Anchor::Heading(names)) => format!(" #{}", names.join(" > ")),
        Some(Anchor::Block(id)) => format!(" ^{id}"),
        None => String::new(),
    };
    let label = link.label.as_ref().map_or_else(String::new, |label| format!(" |{label}"));
    format!("{embed}{kind} {}{anchor}{label}", link.target)
}

#[test]
fn links_as_written() {
    for (text, expected) in [
        ("[[Note]] and [[Other note|shown]]", vec!["w Note", "w Other note |shown"]),
        ("![[Note]] ![[Note#Part|300]]", vec!["!w Note", "!w Note #Part |300"]),
        ("[[ Note # Part | shown ]]", vec!["w Note #Part |shown"]),
        ("[[#Part]] [[#^id]] [[Note#^id]]", vec!["w  #Part", "w  ^id", "w Note ^id"]),
        ("[[Note#Parent#Child]] [[Note#Part#^id]]", vec!["w Note #Parent > Child", "w Note ^id"]),
        ("[[Note#]] [[Note|]] [[Note^id]]", vec!["w Note", "w Note", "w Note^id"]),
        ("[[]] [[|x]] [[#]] [[ ]] [[#^]]", vec![]),
        ("[[open [[Note]] [[a\nb]] [[open", vec!["w Note"]),
        ("[[[Note]]] [[a[b]] ]]", vec!["w Note", "w a[b"]),
        ("\\[[Note]] [\\[Note]] \\![[Note]]", vec!["w Note"]),
        ("`[[not]]` $[[not]]$\n\n```\n[[not]]\n```\n\n    [[not]]", vec![]),
        ("%%[[not]]%% <!-- [[not]] --> [[No%%x%%te]]", vec![]),
        ("| [[a\\|b]] | [[c]] |\n|-|-|\n| ![[d\\|e]] | f |", vec!["w a |b", "w c", "!w d |e"]),
        (
            "# [[In a heading]]\n\n> [[in a quote]]\n\n- [[in a list]]",
            vec!["w In a heading", "w in a quote", "w in a list"],
        ),
        (
            "[[bla.blubb]] [[notes.v2]] [[1.10]] [[a.md]]",
            vec!["w bla.blubb", "w notes.v2", "w 1.10", "w a.md"],
        ),
        ("![[photo.png]] [[Paper.PDF#page=2]] [[Board.canvas]] [[x.base#View]]", vec![]),
        ("[[app://x]] [[Note: part]] [[a/b/c]]", vec!["w Note: part", "w a/b/c"]),
        ("[a](b.md) [a](b) ![a](b.md#c)", vec!["m b.md |a", "m b |a", "!m b.md #c |a"]),
        (
            "[a](My%20Note.md#A%20part \"title\") [a](<My note.md>)",
            vec!["m My Note.md #A part |a", "m My note.md |a"],
        ),
        ("[a](b%2520c.md) [a](100%.md) [a](b%FF.md)", vec!["m b%20c.md |a", "m 100%.md |a", "m b%FF.md |a"]),
        (
            "[a](b%23c.md) [a](b.md?x=1#c) [a](#part) [a](b.md#^id)",
            vec!["m b#c.md |a", "m b.md #c |a", "m  #part |a", "m b.md ^id |a"],
        ),
        ("[a](/b.md) [a](../b.md) [a](./b)", vec!["m /b.md |a", "m ../b.md |a", "m ./b |a"]),
        ("[a](http://x.md) [a](mailto:b) [a](obsidian://open) [a](//x/b.md) [a](file:b.md)", vec![]),
        ("[a](<Note: b.md>) [a](<Note:b.md>)", vec!["m Note: b.md |a"]),
        ("[a](b.png) [a](b.pdf#page=1) [a](folder/) [a]() [a](?x)", vec![]),
        ("<http://x.md> <a@b.md> http://x.md", vec![]),
        ("[a][ref] [ref] [a][none]\n\n[ref]: b.md#c", vec!["m b.md #c |a", "m b.md #c |ref"]),
        ("[**bold** `code`](b.md) [![](i.png)](b.md)", vec!["m b.md |bold code", "m b.md"]),
        ("[[Note]](b.md)\n\n[[ref]]\n\n[ref]: c.md", vec!["w Note", "w ref"]),
    ] {
        let document = parse(text);
        assert_eq!(document.links.iter().map(short).collect::<Vec<_>>(), expected, "{text:?}");
    }
}

#[test]
fn a_link_covers_its_marks() {
    let text = "é ![[a|b]] [c](d.md) [[e]]";
    let document = parse(text);
    let written: Vec<&str> = document.links.iter().map(|link| &text[link.range.clone()]).collect();
    assert_eq!(written, ["![[a|b]]", "[c](d.md)", "[[e]]"]);
}

#[test]
fn paths_and_targets_share_their_key() {
    for (path, target) in [
        ("a/Note.md", "note"),
        ("a/Note.md", "b/NOTE.md"),
        ("a.b.md", "A.b"),
        ("Cre\u{300}me.md", "Crème"),
        ("Straße.md", "STRASSE"),
        ("a/b.md", "a\\b"),
        ("x.md.md", "x.md.md"),
        ("Note.MD", "note"),
    ] {
        assert_eq!(name_key(path), name_key(target), "{path} {target}");
    }
    assert_ne!(name_key("a.b.md"), name_key("a"));
}

/// Resolves `link` in note `from`, as a caller does: among the paths with its key.
fn resolve<'p>(paths: &[&'p str], link: &str, from: &str) -> Option<&'p str> {
    let link = parse(link).links.remove(0);
    let key = name_key(&link.target);
    let candidates: Vec<&str> = paths.iter().copied().filter(|path| name_key(path) == key).collect();
    choose(&candidates, &link, from).map(|index| candidates[index])
}

#[test]
fn the_note_that_is_meant() {
    let paths = [
        "about.md",
        "blog/about.md",
        "wiki/about.md",
        "blog/README.md",
        "wiki/README.md",
        "deep/er/sub/Note.md",
        "sub/Note.md",
        "other/sub/Note.md",
        "x/only.md",
        "Subnote/n.md",
        "b/long-folder/tie.md",
        "b/short/tie.md",
        "a.b.md",
        "Crème.md",
        "deep/er/leaf.md",
        "case/Name.md",
        "case/name.md",
    ];
    for (link, from, expected) in [
        // A bare name: the exact path, the own folder, the shortest path.
        ("[[about]]", "blog/post.md", Some("about.md")),
        ("[[ABOUT]]", "blog/post.md", Some("about.md")),
        ("[[README]]", "blog/post.md", Some("blog/README.md")),
        ("[[README]]", "wiki/post.md", Some("wiki/README.md")),
        ("[[README]]", "post.md", Some("blog/README.md")),
        ("[[Note]]", "post.md", Some("sub/Note.md")),
        ("[[Note]]", "other/sub/x.md", Some("other/sub/Note.md")),
        ("[[tie]]", "post.md", Some("b/short/tie.md")),
        ("[[only]]", "post.md", Some("x/only.md")),
        ("[[nothing]]", "post.md", None),
        ("[[a.b]]", "post.md", Some("a.b.md")),
        ("[[Cre\u{300}me.md]]", "post.md", Some("Crème.md")),
        // Letter case decides only between paths that differ in nothing else.
        ("[[case/name]]", "post.md", Some("case/name.md")),
        ("[[case/Name]]", "post.md", Some("case/Name.md")),
        ("[[case/NAME]]", "post.md", Some("case/Name.md")),
        // A path: exact, else the end of a path on segment boundaries.
        ("[[blog/about]]", "wiki/post.md", Some("blog/about.md")),
        ("[[/about]]", "blog/post.md", Some("about.md")),
        ("[[/README]]", "blog/post.md", None),
        ("[[sub/Note]]", "post.md", Some("sub/Note.md")),
        ("[[er/sub/Note]]", "post.md", Some("deep/er/sub/Note.md")),
        ("[[ub/Note]]", "post.md", None),
        ("[[note/n]]", "post.md", None),
        ("[[blog\\about]]", "wiki/post.md", Some("blog/about.md")),
        // Relative to the note's own folder.
        ("[x](about.md)", "blog/post.md", Some("blog/about.md")),
        ("[x](../about.md)", "blog/post.md", Some("about.md")),
        ("[x](./about.md)", "wiki/post.md", Some("wiki/about.md")),
        ("[x](/about.md)", "wiki/post.md", Some("about.md")),
        ("[x](blog/about.md)", "wiki/post.md", Some("blog/about.md")),
        ("[x](sub/Note.md)", "deep/er/leaf.md", Some("deep/er/sub/Note.md")),
        ("[x](../../about.md)", "blog/post.md", None),
        // Written from above the vault; a bare name is not enough.
        ("[x](content/blog/about.md)", "wiki/post.md", Some("blog/about.md")),
        ("[x](a/deep/er/sub/Note.md)", "wiki/post.md", Some("deep/er/sub/Note.md")),
        ("[x](content/about.md)", "wiki/post.md", None),
        ("[[content/about]]", "wiki/post.md", None),
        ("[[content/blog/about]]", "wiki/post.md", Some("blog/about.md")),
        ("[x](../only.md)", "deep/er/leaf.md", None),
        ("[[../about]]", "blog/post.md", Some("about.md")),
        ("[[./leaf]]", "deep/er/x.md", Some("deep/er/leaf.md")),
        ("[[./leaf]]", "deep/x.md", None),
    ] {
        assert_eq!(resolve(&paths, link, from), expected, "{link} in {from}");
    }
}

#[test]
fn many_notes_of_one_name_are_told_apart_in_no_time() {
    let paths: Vec<String> = (0..20_000).map(|number| format!("a{number}/README.md")).collect();
    let named = Named::new(paths.iter().map(String::as_str));
    let link = |target: &str| parse(&format!("[[{target}]]")).links.remove(0);
    let began = std::time::Instant::now();
    for (number, path) in paths.iter().enumerate() {
        let other = 19_999 - number;
        assert_eq!(named.target(&link(&format!("a{other}/readme")), path), Some(other));
        assert_eq!(named.target(&link("readme"), path), Some(number));
        assert_eq!(named.target(&link("README"), "elsewhere.md"), Some(0));
        assert_eq!(named.target(&link(&format!("x/a{other}/readme")), path), Some(other));
        assert_eq!(named.target(&link(&format!("x{number}/readme")), path), None);
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}
