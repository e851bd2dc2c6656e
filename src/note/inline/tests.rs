//! Tags and comments in the text of a note. Links are tested where they are resolved.
use crate::note::parse;

#[test]
fn tags_are_words_of_prose() {
    for (text, expected) in [
        ("#tag", "tag"),
        ("a #tag, #other; #last.", "tag other last"),
        ("#soil/clay #a-b #a_b #x/", "soil/clay a-b a_b x"),
        ("#café #cafe\u{301} #日本語 #हिन्दी #тег", "café 日本語 हिन्दी тег"),
        ("#🌱 #0🌲", "🌱 0🌲"),
        ("#1234 #12ab #2031-04 #1/2 #- #_ #/", "12ab 2031-04 1/2"),
        ("#Oak #oak #OAK", "Oak"),
        ("end#not a&#39; a/#not", ""),
        ("(#one) [#two] \"#three\" «#four» “#five” {#six}", "one two three four five six"),
        ("**#bold** *#italic* ~~#struck~~ ==#marked== a*#not*", "bold italic struck marked"),
        ("##not ###not #", ""),
        ("# Heading #inside", "inside"),
        ("#Heading without blank", "Heading"),
        ("\\#not \\\\#not", ""),
        ("`#not` ``a `#not` b``", ""),
        ("```css\n#not\n```\n~~~\n#not\n~~~\n", ""),
        ("text\n\n    #not\n", ""),
        ("- item\n    #yes\n", "yes"),
        ("$#not$ and $$\n#not\n$$", ""),
        ("costs $5 #yes costs $6", "yes"),
        ("<span style=\"color:#not\">a</span> <b>#not</b> #yes", "yes"),
        ("<div>\n#not\n</div>\n\n#yes", "yes"),
        ("https://x.test/a#not https://x.test/(#not http://x.test #yes", "yes"),
        ("[a](b.md#not) [#not](c.md) <http://x.test#not>", ""),
        ("[[other#not]] [[#not]] ![[a#not]] [[a|#not]]", ""),
        ("[a]: #not\n\n[a]", ""),
        ("| #one |#two|\n| - | - |\n| #three | a |", "one two three"),
        ("> #one\n>#two\n> > #three", "one two three"),
        ("- #one\n- [ ] #two\n1. #three", "one two three"),
        ("%%#not%% <!-- #not --> #yes", "yes"),
        ("%%\n#not\n%%\n#yes", "yes"),
        ("[^1]: #note\n\ntext[^1]", "note"),
    ] {
        assert_eq!(parse(text).tags.join(" "), expected, "{text:?}");
    }
}

#[test]
fn comments_end_with_their_own_mark() {
    for (text, expected) in [
        ("a %%b%% c", vec!["%%b%%"]),
        ("a %%b%%%%c%% d", vec!["%%b%%", "%%c%%"]),
        ("%%\na\n\nb\n%%\nc", vec!["%%\na\n\nb\n%%"]),
        ("50%% of a", vec![]),
        ("a\n  %% b\n\nc", vec!["%% b\n\nc"]),
        ("%% a\n\n50%%", vec!["%% a\n\n50%%"]),
        ("`%%a%%` %%b%%", vec!["%%b%%"]),
        ("```\n%%a%%\n```\n%%b%%", vec!["%%b%%"]),
        ("%%a `%%` b%% c", vec!["%%a `%%` b%%"]),
        ("$$\n%% a\n$$\nb", vec![]),
        ("\\%%a%%", vec![]),
        ("a <!-- b --> c", vec!["<!-- b -->"]),
        ("<!-- a\n\nb --> c", vec!["<!-- a\n\nb -->"]),
        ("<!-- `a --> b` -->", vec!["<!-- `a -->"]),
        ("a <!-- b", vec![]),
        ("a\n<!-- b\n\nc", vec!["<!-- b\n\nc"]),
        ("<!-- a %% b --> c %%d%%", vec!["<!-- a %% b -->", "%%d%%"]),
        ("%%a <!-- b%% c -->", vec!["%%a <!-- b%%"]),
        ("`<!-- a -->`", vec![]),
        ("%%%%", vec!["%%%%"]),
        ("a %%", vec![]),
    ] {
        let document = parse(text);
        let found: Vec<&str> = document.comments.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn what_a_comment_holds_does_not_count() {
    let text = "# Shown %%secret%% head\n\n%%\n# Hidden\n\n#tag [[link]] [a](b.md) ^id\n%%\n\nText ^kept\n\n<!--\n## Also\n-->\n";
    let document = parse(text);
    let headings: Vec<&str> = document.headings.iter().map(|heading| &*heading.text).collect();
    assert_eq!(headings, ["Shown head"]);
    assert_eq!(document.tags, [""; 0]);
    assert_eq!(document.links, []);
    assert_eq!(document.blocks.len(), 1);
    assert_eq!(document.blocks[0].id, "kept");
}
