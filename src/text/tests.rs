//! What the analyser yields, as tables, and that FTS5 splits it back into the same terms.

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;

/// Terms in reading order, then `|` and the variants.
fn show(text: &str) -> String {
    let terms = terms(text);
    let list = |is_variant: fn(&Term) -> bool| {
        terms.iter().filter(|term| is_variant(term)).map(|term| &*term.text).collect::<Vec<_>>().join(" ")
    };
    let variants = list(|term| term.kind == TermKind::Variant);
    let words = list(|term| term.kind != TermKind::Variant);
    if variants.is_empty() { words } else { format!("{words} | {variants}") }
}

const TABLE: &[(&str, &str)] = &[
    ("", ""),
    ("  \n\t\0 .,;!? -- *** ", ""),
    ("The Quick fox.", "the quick fox"),
    // Case and width.
    ("STRASSE straße STRAẞE", "strasse strasse strasse"),
    ("ΣΊΣΥΦΟΣ σίσυφος ᾳ", "σισυφοσ σισυφοσ α"),
    ("ﬁne ＡＢＣ１２", "fine abc12"),
    ("İstanbul ısı", "istanbul isi"),
    // Accents, composed or not.
    ("ação AÇÃO ac\u{327}a\u{303}o", "acao acao acao"),
    ("Łódź smørrebrød Þór œuvre", "lodz smorrebrod thor oeuvre"),
    ("Ещё мой мои\u{306}", "еще мой мой"),
    ("Tiếng Việt", "tieng viet"),
    // A stacker takes the consonant after it, not a blank.
    ("a\u{17d2} a", "a\u{17d2} a"),
    // Marks that are part of the word, and those that writers leave out.
    ("हिन्दी में", "हिन्दी में"),
    ("বাংলা தமிழ்", "বাংলা தமிழ்"),
    ("كِتَابٌ كتاب", "كتاب كتاب"),
    ("أحمد احمد مدرسة", "احمد احمد مدرسه"),
    ("שָׁלוֹם שלום", "שלום שלום"),
    // Digits.
    ("١٢٣ ۴۵ ६७ x² 1º", "123 45 67 x2 1o"),
    // Apostrophes.
    ("don't don’t dont DON'T", "dont dont dont dont"),
    ("Grandma's Grandma’s it's", "grandma grandma it"),
    ("l'eau d’água", "l eau d agua | leau dagua"),
    ("O'Brien rock'n'roll", "o brien rock n roll | obrien rocknroll"),
    ("'quoted' dogs' '90s ''", "quoted dogs 90s"),
    ("п'ять col·lecció", "п ять col leccio | пять colleccio"),
    // What nobody sees.
    ("zero\u{200b}width soft\u{ad}hyphen \u{feff}bom می\u{200c}خواهم", "zerowidth softhyphen bom ميخواهم"),
    // Compounds.
    ("ORD-4471 red-brick a_b/c:d@e", "ord 4471 red brick a b c d e"),
    ("38.101 2031-04-09 2031/04/09 1,000", "38 101 2031 04 09 2031 04 09 1 000"),
    ("2031-04-09T10:30:00Z 20310409T1030 4Th", "2031 04 09 10 30 00z 20310409 1030 4th"),
    ("notes.v2.txt #tag/sub apr09", "notes v2 txt tag sub apr09"),
    // Names.
    ("fileHasTag HTMLParser", "filehastag htmlparser | file has tag html parser"),
    ("GitHub PDFs UTF8 4K iPhone", "github pdfs utf8 4k iphone | git hub i phone"),
    ("variávelÚtil", "variavelutil | variavel util"),
    ("C++ and C# differ from C", "c++ and c# differ from c | c c"),
    ("C++17 c++, (F#) g++", "c++ 17 c++ f# g++ | c c f g"),
    ("a+b a++b x+++ PR#12 [[C#]]", "a b a b x pr 12 c# | c"),
    (".NET ASP.NET (.env) .5 ...more", "net asp net env 5 more | .net .env"),
    // Scripts without blanks.
    ("图书馆", "图书 书馆 馆"),
    ("鉴", "鉴"),
    ("旧图书馆里，整理", "旧图 图书 书馆 馆里 里 整理 理"),
    ("植物図鑑をテスト", "植物 物図 図鑑 鑑を をテ テス スト ト"),
    ("ｶﾀｶﾅのガ ガ", "カタ タカ カナ ナの のガ ガ ガ"),
    ("도서관에서 한\u{1100}\u{1161}", "도서 서관 관에 에서 서 한가 가"),
    ("rsync同步照片abc", "rsync 同步 步照 照片 片 abc"),
    ("2031年4月9日", "2031 年 4 月 9 日"),
    ("ภาษาไทย", "ภา าษ ษา าไ ไท ทย ย"),
    ("ที่นี่", "ที่นี่ นี่"),
    ("น้ำ น\u{e4d}า นำ", "น\u{e49}\u{e4d}า น\u{e4d}า น\u{e4d}า"),
    ("ភាសាខ្មែរ", "ភាសា សាខ្មែ ខ្មែរ រ"),
    ("မြန်မာ", "မြန် န်မာ မာ"),
    // Emoji.
    ("Well done👍🏽!", "well done 👍"),
    ("👩‍💻 ❤️ 🇧🇷🇵🇹 ✅x", "👩 💻 ❤ 🇧🇷 🇵🇹 ✅ x"),
    ("a → b ∑ €5 §2", "a b 5 2"),
];

#[test]
fn terms_of_many_languages() {
    for (text, expected) in TABLE {
        assert_eq!(show(text), *expected, "{text:?}");
    }
}

#[test]
fn terms_keep_their_place_in_the_source() {
    for (text, places) in [
        ("Ação é", vec!["Ação", "é"]),
        ("ac\u{327}a\u{303}o", vec!["ac\u{327}a\u{303}o"]),
        ("Grandma's l'eau", vec!["Grandma", "l", "eau", "l'eau"]),
        ("x C++ .NET", vec!["x", "C++", "NET", "C", ".NET"]),
        ("fileHas", vec!["fileHas", "file", "Has"]),
        ("书馆x", vec!["书馆", "馆", "x"]),
        ("soft\u{ad}ly\u{200b}", vec!["soft\u{ad}ly\u{200b}"]),
        ("09T10", vec!["09", "10"]),
        ("👍🏽🇧🇷", vec!["👍", "🇧🇷"]),
    ] {
        let found: Vec<&str> = terms(text).iter().map(|term| &text[term.range.clone()]).collect();
        assert_eq!(found, places, "{text:?}");
    }
}

#[test]
fn long_words_are_cut() {
    for word in ["x".repeat(1000), "aB".repeat(1000), "é".repeat(1000), "ക".repeat(1000)] {
        let terms = terms(&word);
        assert_eq!(terms.len(), 1, "{word}");
        assert!(terms[0].text.len() <= MAX_TERM_BYTES && terms[0].text.len() > MAX_TERM_BYTES - 4, "{word}");
    }
    let marks = format!("a{}", "\u{301}".repeat(1000));
    assert_eq!(show(&marks), "a");
}

/// The terms FTS5 has after indexing the text as the index does, in order.
fn terms_of_fts5(analysed: &str) -> Vec<String> {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(&format!(
            "CREATE VIRTUAL TABLE word USING fts5(body, content='', tokenize=\"{FTS5_TOKENIZER}\");
             CREATE VIRTUAL TABLE place USING fts5vocab(word, instance);"
        ))
        .unwrap();
    connection.execute("INSERT INTO word (rowid, body) VALUES (1, ?1)", [analysed]).unwrap();
    let mut statement = connection.prepare("SELECT term FROM place ORDER BY offset").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

fn check_fts5_splits_back(text: &str) {
    let expected: Vec<String> = terms(text).into_iter().map(|term| term.text).collect();
    assert_eq!(index_text(text), expected.join(" "), "{text:?}");
    assert_eq!(terms_of_fts5(&index_text(text)), expected, "{text:?}");
}

#[test]
fn fts5_splits_the_index_text_into_the_same_terms() {
    for (text, _) in TABLE {
        check_fts5_splits_back(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn fts5_splits_any_index_text(text in any_text()) {
        check_fts5_splits_back(&text);
    }

    #[test]
    fn terms_are_well_formed(text in any_text()) {
        for term in terms(&text) {
            prop_assert!(!term.text.is_empty() && term.text.len() <= MAX_TERM_BYTES);
            prop_assert!(!term.text.contains(|c: char| c.is_whitespace() || c.is_ascii_uppercase() || "\"'\0".contains(c)));
            prop_assert!(text.get(term.range.clone()).is_some_and(|source| !source.is_empty()));
        }
    }

    #[test]
    fn words_are_analysed_to_themselves(text in any_text()) {
        for term in terms(&text).into_iter().filter(|term| term.kind == TermKind::Word) {
            let again: Vec<String> = terms(&term.text).into_iter()
                .filter(|term| term.kind != TermKind::Variant).map(|term| term.text).collect();
            prop_assert_eq!(again, [term.text]);
        }
    }

    #[test]
    fn terms_do_not_depend_on_what_stands_beyond_a_blank(left in any_text(), right in any_text()) {
        let inline = |text: &str| -> Vec<String> {
            terms(text).into_iter().filter(|term| term.kind != TermKind::Variant).map(|term| term.text).collect()
        };
        prop_assert_eq!([inline(&left), inline(&right)].concat(), inline(&format!("{left} {right}")));
    }
}

/// Any text, and text made of what the analyser treats in its own way.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "B",
        "Tag",
        "é",
        "e\u{301}",
        "'",
        "’",
        "s",
        "t",
        " ",
        "+",
        "#",
        ".",
        "-",
        "1",
        "09",
        "T",
        "图",
        "書",
        "が",
        "ｶﾞ",
        "관",
        "ท",
        "ี่",
        "ำ",
        "ខ្មែ",
        "\u{200d}",
        "\u{fe0f}",
        "👍",
        "🏽",
        "🇧",
        "ß",
        "й",
        "ş",
        "أ",
        "ً",
        "हि",
        "न्",
        "ﷺ",
        "½",
        "™",
        "\u{e000}",
        "\u{10ffff}",
        "İ",
        "ŉ",
        "\u{1100}",
        "\u{1161}",
        "·",
        "\u{345}",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())]
}

/// Run with `--release --run-ignored only`; the goal is 30 MB/s on ASCII text.
#[test]
#[ignore = "a measurement"]
fn throughput() {
    let samples = [
        (
            "ASCII",
            "The kettle for the red-brick house was shipped on time, see notes.v2.txt and fileHasTag. ",
        ),
        ("Portuguese", "A ação começou às três; não há avô nem avó na fotografia que você tirou ontem. "),
        ("Russian", "Мы не одалживаем лестницу, она принадлежит бабушке и стоит в старой библиотеке. "),
        ("Chinese", "我们在小镇的旧图书馆里整理了三百本植物图鉴。"),
        ("Thai", "ฉันไปห้องสมุดกับเพื่อนทุกวันเสาร์ "),
        ("long word", "x"),
        ("marks", "\u{301}"),
    ];
    for (name, sample) in samples {
        let text = sample.repeat(8_000_000 / sample.len());
        let begin = std::time::Instant::now();
        let bytes = index_text(&text).len();
        let seconds = begin.elapsed().as_secs_f64();
        println!("{name}: {:.0} MB/s ({bytes} bytes out)", text.len() as f64 / seconds / 1e6);
    }
}
