//! The texts of generated notes: names that collide, links in every direction, and every way in which
//! a note can say of itself that it is private. It knows nothing of files.

use crate::common::Dice;

/// `[privacy]` of every generated vault.
pub(crate) const RULES: &str = "folders = [\"journal\", \"people/*\", \"team-*\", \"work/*/closed\", \"Café\"]\n\
     tags = [\"private\", \"Über\"]\nfrontmatter_flag = \"secret\"\nredact_patterns = ['\\d{3}-\\d{4}']";
/// What Obsidian itself excludes in every generated vault.
pub(crate) const OBSIDIAN_SETTINGS: &str =
    r#"{"userIgnoreFilters": ["Excluded/", "/^archive\\/draft \\d/"]}"#;
/// `[vault] max_note_bytes` of every generated vault.
pub(crate) const MAX_NOTE_BYTES: usize = 8_000;

const WORDS: [&str; 16] = [
    "river",
    "stone",
    "bread",
    "lamp",
    "chair",
    "grass",
    "wheel",
    "paper",
    "cloud",
    "kettle",
    "garden",
    "window",
    "café",
    "2031-04-09",
    "图书馆",
    "certificate",
];
/// Few, so that names of private and public notes collide, in case too.
pub(crate) const NAMES: [&str; 10] =
    ["Jane", "jane", "Plan", "Budget 2031", "Café", "Cafe\u{301}", "Ideas", "README", "Red-brick", "图书馆"];
pub(crate) const PUBLIC_FOLDERS: [&str; 4] = ["", "work/", "work/deep/", "archive/"];
/// Tags of notes of both sorts.
pub(crate) const TAGS: [&str; 4] = ["project", "project/alpha", "Reading", "privateer"];

/// What makes a note private, or a file something that is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    GlobFolder,
    /// A private folder in another case or Unicode form.
    OtherForm,
    /// On Obsidian's own list.
    Excluded,
    Tag,
    NestedTag,
    InlineTag,
    TagInCode,
    Flag,
    /// The flag or tag in properties that are no YAML.
    Malformed,
    /// The tag in UTF-16 or Windows-1252.
    Encoding,
    Oversized,
    Undecodable,
    /// A link in a private folder leads to it.
    LinkFromPrivateFolder,
    /// It lies in a folder to which a link in a private folder leads.
    FolderLinkFromPrivateFolder,
    /// A link that leads to a private note or folder.
    LinkToPrivate,
    /// Another name of a private note.
    HardLink,
    /// A name of the file lies outside the vault.
    HardLinkOutside,
    Attachment,
    HiddenFolder,
    /// A folder or a pipe with the name of a note.
    NotAFile,
}

impl Kind {
    pub(crate) const ALL: [Kind; 21] = [
        Kind::Folder,
        Kind::GlobFolder,
        Kind::OtherForm,
        Kind::Excluded,
        Kind::Tag,
        Kind::NestedTag,
        Kind::InlineTag,
        Kind::TagInCode,
        Kind::Flag,
        Kind::Malformed,
        Kind::Encoding,
        Kind::Oversized,
        Kind::Undecodable,
        Kind::LinkFromPrivateFolder,
        Kind::FolderLinkFromPrivateFolder,
        Kind::LinkToPrivate,
        Kind::HardLink,
        Kind::HardLinkOutside,
        Kind::Attachment,
        Kind::HiddenFolder,
        Kind::NotAFile,
    ];
}

/// Kinds that a note is by its text alone.
pub(crate) const KINDS_BY_TEXT: [Kind; 9] = [
    Kind::Tag,
    Kind::NestedTag,
    Kind::InlineTag,
    Kind::TagInCode,
    Kind::Flag,
    Kind::Malformed,
    Kind::Encoding,
    Kind::Oversized,
    Kind::Undecodable,
];

const TRUE_FLAGS: [&str; 14] = [
    "secret: true",
    "Secret: yes",
    "SECRET: \"true\"",
    "secret: 1",
    "secret:",
    "secret: null",
    "secret: [true]",
    "secret: 2031-04-09",
    "\"secret\": on",
    "'secret': y",
    "\"s\\u0065cret\": true",
    "meta: {secret: true}",
    "meta:\n  deep:\n    secret: yes",
    "# secret: true",
];
const FALSE_FLAGS: [&str; 4] = ["secret: false", "secret: No", "secret: \"off\"", "secret: 0"];
const MALFORMED_PRIVATE: [&str; 5] = [
    "secret: [\nx: {{y}}",
    "title: {{title}}\nsecret: yes",
    "kind: a\nkind: b\nsecret: true",
    "tags: [private",
    "tags: #private\n: :",
];
const MALFORMED_PUBLIC: [&str; 3] = ["x: {{y}}", "kind: a\nkind: b", "\tindented: [by, tab"];

/// A note's text; `private` says what makes it private, and `number` is in its canary.
pub(crate) fn note(dice: &mut Dice, number: usize, private: Option<Kind>) -> Vec<u8> {
    let text = text(dice, number, private);
    match private {
        Some(Kind::Encoding) if dice.below(2) == 0 => {
            let units = format!("{text}\n#private\n").encode_utf16().collect::<Vec<_>>();
            [vec![0xFF, 0xFE], units.iter().flat_map(|unit| unit.to_le_bytes()).collect()].concat()
        }
        Some(Kind::Encoding) => [text.as_bytes(), b"\ncaf\xE9 #private\n"].concat(),
        Some(Kind::Oversized) => {
            [text.as_bytes(), sentence(dice).repeat(MAX_NOTE_BYTES / 8).as_bytes()].concat()
        }
        Some(Kind::Undecodable) => [text.as_bytes(), b"\0\n"].concat(),
        _ => text.into_bytes(),
    }
}

fn text(dice: &mut Dice, number: usize, private: Option<Kind>) -> String {
    let properties = properties(dice, number, private).join("\n");
    let mut body = format!("# {}\n\n{}\n\n", dice.choose(&NAMES), sentence(dice));
    match private {
        Some(Kind::InlineTag) => {
            body += dice.choose(&["Not for all #private\n\n", "(#PRIVATE)\n\n", "#über x\n\n"]);
        }
        Some(Kind::TagInCode) => {
            body += dice.choose(&["```\n#private/code\n```\n\n", "`#private`\n\n", "%% #private %%\n\n"]);
        }
        _ => {}
    }
    if private.is_some() {
        body += &canary(number);
        body += "\n\n";
    }
    for _ in 0..dice.below(5) {
        body += &[sentence(dice), link(dice)].join(" ");
        body += "\n\n";
    }
    format!("---\n{properties}\n---\n{body}## Part\n\n{} ^block\n", sentence(dice))
}

fn properties(dice: &mut Dice, number: usize, private: Option<Kind>) -> Vec<String> {
    let mut properties = vec![format!("aliases: [{}, Alias {}]", dice.choose(&NAMES), dice.below(6))];
    if dice.below(2) == 0 {
        properties.push(format!("title: {}", dice.choose(&NAMES)));
    }
    let mut tags = vec![dice.choose(&TAGS).to_owned()];
    match private {
        Some(Kind::Tag) => {
            tags.push(dice.choose(&["Private", "\"#private\"", "PRIVATE", "u\u{308}ber"]).to_owned());
        }
        Some(Kind::NestedTag) => tags.push("private/health".to_owned()),
        Some(Kind::Flag) => properties.push(dice.choose(&TRUE_FLAGS).to_owned()),
        Some(Kind::Malformed) => properties.push(dice.choose(&MALFORMED_PRIVATE).to_owned()),
        None if dice.below(5) == 0 => properties.push(dice.choose(&FALSE_FLAGS).to_owned()),
        None if dice.below(8) == 0 => properties.push(dice.choose(&MALFORMED_PUBLIC).to_owned()),
        _ => {}
    }
    if private.is_some() {
        // Tags and properties that no public note has.
        tags.push(format!("only/{}", canary(number)));
        properties.push(format!("{}: {}", canary(number), canary(number)));
    }
    properties.push(format!("tags: [{}]", tags.join(", ")));
    properties
}

/// A link to something that may be public, private, both or missing.
fn link(dice: &mut Dice) -> String {
    let form = dice.choose(&[
        "[[@]]",
        "![[@]]",
        "[[@#Part]]",
        "![[@#^block]]",
        "[[people/@|shown]]",
        "[[journal/@]]",
        "[x](@.md)",
        "[x](../journal/@.md)",
        "[[work/@#^block]]",
        "![[photo.png]]",
    ]);
    let name =
        if dice.below(5) == 0 { format!("Alias {}", dice.below(6)) } else { dice.choose(&NAMES).to_owned() };
    form.replace('@', &name)
}

pub(crate) fn sentence(dice: &mut Dice) -> String {
    let words: Vec<&str> = (0..3 + dice.below(9)).map(|_| dice.choose(&WORDS)).collect();
    words.join(" ")
}

/// Private parts of public notes, each with what is left of it: `@` stands for a word of its own.
pub(crate) const PARTS: [(&str, &str); 8] = [
    ("> [!private] @\n> [[Jane]] #only/@ @\nlazy @\n\n", "\n"),
    ("- > [!Über]- @\n  > ![[Plan]] @ ^@\n\n", "\n"),
    ("%%private%%\n@\n\n# @\n\n#private [[Plan|@]]\n%%/private%%\n", ""),
    ("river %%private%%@ [[@]]%%/private%% stone\n\n", "river  stone\n\n"),
    ("### @ #private\n\n@ #only/@\n\n#### @\n\n```\n# @\n```\n\n", ""),
    ("### Part #über/x\n\n[[Ideas]] @ ^block\n\n", ""),
    ("Call 555-0199 now.\n\n", "Call ******** now.\n\n"),
    ("%% a %% %% PRIVATE %%@ %%private%% @ %%/private%% @%% /private %%\n\n", "%% a %% \n\n"),
];

/// Where the part of a partly private note stands.
const PLACE: &str = "\u{1}";

/// The text of a note that is public but for a part: with the part, and without it.
pub(crate) fn partly(dice: &mut Dice, number: usize) -> [Vec<u8>; 2] {
    let text = text(dice, number, None).replace("\n## Part\n", &format!("\n{PLACE}## Part\n"));
    let (part, rest) = dice.choose(&PARTS);
    let part = part.replace('@', &canary(number));
    [part.as_str(), rest].map(|piece| text.replace(PLACE, piece).into_bytes())
}

/// The same text with other words in its private part.
pub(crate) fn with_another_word(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    text.replace("qzcanary", "xqzcanary9").replace("555-0199", "555-7301").into_bytes()
}

/// A word of one private note.
pub(crate) fn canary(number: usize) -> String {
    format!("{}qzcanary{number}", ["k", "x", "j", "w"][number % 4])
}
