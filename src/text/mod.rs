//! Words for the keyword leg: text of any language -> terms. Pure; knows neither notes nor SQL.
//!
//! The same analysis runs over notes and over queries, so a change of what it yields raises
//! [`ANALYSER_VERSION`] and rebuilds every index. It takes linear time and cannot fail.
//!
//! What it yields, by example (`|` begins the spellings that stand after all other terms):
//!
//! | text | terms | reason |
//! | --- | --- | --- |
//! | `Ação`, `ΣΊΣΥΦΟΣ`, `Ещё` | `acao`, `σισυφοσ`, `еще` | NFKC, full case folding, accents dropped |
//! | `हिन्दी` | one word | Indic vowel signs and viramas are part of the word |
//! | `كِتَاب`, `שָׁלוֹם` | `كتاب`, `שלום` | vowel points are optional in Arabic and Hebrew |
//! | `don't`, `don’t`, `dont` | `dont` | one spelling for all |
//! | `Grandma's` | `grandma` | the possessive means the owner |
//! | `l'eau`, `O'Brien` | `l eau \| leau`, `o brien \| obrien` | elision and names, joined or not |
//! | `ORD-4471`, `38.101`, `a_b/c` | `ord 4471`, `38 101`, `a b c` | a phrase finds the compound |
//! | `2031-04-09T10:30` | `2031 04 09 10 30` | the date is found inside the instant |
//! | `fileHasTag` | `filehastag \| file has tag` | a name is a word, and words |
//! | `C++`, `C#`, `.NET` | `c++ \| c`, `c# \| c`, `net \| .net` | names made of punctuation |
//! | `图书馆`, `도서관` | `图书 书馆 馆`, `도서 서관 관` | no blanks between words: bigrams |
//! | `rsync同步` | `rsync 同步 步` | scripts are cut apart |
//! | `ห้องสมุด` | bigrams of letters with their marks | Thai, Lao, Khmer, Myanmar likewise |
//! | `👍🏽`, `🇧🇷` | `👍`, `🇧🇷` | an emoji is a term, without its skin tone |
//!
//! Zero-width characters, soft hyphens and variation selectors vanish. A word longer than
//! [`MAX_TERM_BYTES`] (encoded data, mostly) is cut there. There is no stemming and no list of
//! stop words: both need to know the language.

mod ascii;
mod camel;
mod class;
mod fold;
mod scan;
mod word;

#[cfg(test)]
mod tests;

use std::ops::Range;

/// Raised when the terms of any text change: an index built by another version is rebuilt.
pub const ANALYSER_VERSION: u32 = 1;

/// The FTS5 `tokenize` option that splits the output of [`index_text`] back into the same terms.
///
/// `ascii` keeps every non-ASCII byte and folds only ASCII case, which is folded already.
/// Write it in double quotes: `tokenize = "…"`.
pub const FTS5_TOKENIZER: &str = "ascii tokenchars '+#.'";

/// No term is longer than this many bytes of UTF-8.
pub const MAX_TERM_BYTES: usize = 64;

/// A term and the bytes of the source text it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Normalised text: letters, digits, marks, emoji, and `+`, `#`, `.`; never white space.
    pub text: String,
    /// Where it stands in the source.
    pub range: Range<usize>,
    /// What the term is to its neighbours.
    pub kind: TermKind,
}

/// What a term is to its neighbours: a phrase is made of all kinds but [`TermKind::Variant`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// A word, or one part of a compound.
    Word,
    /// Two neighbouring characters of a script written without blanks.
    Bigram,
    /// The last character of such a run. Every character of the run thus begins a term, so a
    /// prefix query finds it.
    RunEnd,
    /// Another spelling of a word. Variants stand after all other terms of the text, so that
    /// they do not come between two neighbours of a phrase.
    Variant,
}

/// The terms of a text: all kinds but variants in reading order, then the variants.
pub fn terms(text: &str) -> Vec<Term> {
    let (mut terms, mut variants) = (Vec::new(), Vec::new());
    scan::scan(text, &mut |term: &str, range, kind| {
        let list = if kind == TermKind::Variant { &mut variants } else { &mut terms };
        list.push(Term { text: term.to_owned(), range, kind });
    });
    terms.append(&mut variants);
    terms
}

/// The terms of a text joined by blanks, ready for an FTS5 column.
pub fn index_text(text: &str) -> String {
    let mut joined = String::with_capacity(text.len() + text.len() / 8);
    let mut variants = String::new();
    scan::scan(text, &mut |term: &str, _, kind| {
        let list = if kind == TermKind::Variant { &mut variants } else { &mut joined };
        list.push_str(term);
        list.push(' ');
    });
    joined.push_str(&variants);
    joined.pop();
    joined
}
