//! A word that no passage holds -> the word that passages hold and that was probably meant: another form of it
//! (`emite` for `emitir`), or it without a typing error. Asks for words only, knows no language.
//!
//! What is chosen depends on the query and on the words of this tree, and is never told to a client. The rules were
//! measured against stemmers and against looser ones: see `evals/README.md`.

use super::query::Query;
use super::vocabulary::Vocabulary;
use crate::index::IndexError;

/// Shorter words have too many neighbours.
const FEWEST_LETTERS: usize = 4;
/// Words with the same beginning of so many letters are looked at;
const SAME_BEGINNING: usize = 4;
/// what they share must be this part of either,
const LEAST_SHARED: f64 = 0.6;
/// and so many letters may follow it.
const MOST_DIFFERENT: usize = 2;
/// A typing error is looked for in words of so many letters,
const FEWEST_LETTERS_MISTYPED: usize = 6;
/// among words of at least so many.
const FEWEST_LETTERS_MEANT: usize = 5;

/// Endings of one word in its two numbers that have too little in common for the rule above, in Portuguese,
/// Spanish, French and English, without their accents.
const NUMBERS: [(&str, &str); 12] = [
    ("ao", "oes"),
    ("ao", "aes"),
    ("al", "ais"),
    ("el", "eis"),
    ("il", "eis"),
    ("ol", "ois"),
    ("ul", "uis"),
    ("m", "ns"),
    ("al", "aux"),
    ("y", "ies"),
    ("f", "ves"),
    ("fe", "ves"),
];
/// So many letters come before such an ending.
const FEWEST_BEFORE_ENDING: usize = 2;

/// So many words of a query are respelt at most; a question has fewer.
const MOST_RESPELT: usize = 6;
/// Where more words have the same first letter, typing errors are not looked for: it would take too long.
const MOST_WORDS_COMPARED: usize = 40_000;

/// The query with every word that no passage holds respelt, as far as there is something like it. Required phrases
/// and beginnings of words stay as they are.
pub(super) fn respell(vocabulary: &Vocabulary<'_, '_>, query: &Query) -> Result<Query, IndexError> {
    let mut respelt = query.clone();
    let mut left = MOST_RESPELT;
    for term in respelt.wanted_terms_mut() {
        if left > 0 && may_be_respelt(term) && vocabulary.frequency(term)? == 0 {
            left -= 1;
            if let Some(meant) = meant_by(vocabulary, term)? {
                *term = meant;
            }
        }
    }
    Ok(respelt)
}

/// A number means itself.
fn may_be_respelt(term: &str) -> bool {
    term.chars().count() >= FEWEST_LETTERS && !term.chars().any(char::is_numeric)
}

/// Of the words that could be meant, the one in most passages; of several, the first in the alphabet.
fn meant_by(vocabulary: &Vocabulary<'_, '_>, term: &str) -> Result<Option<String>, IndexError> {
    let letters: Vec<char> = term.chars().collect();
    let tree = vocabulary.tree;
    let beginning: String = letters[..SAME_BEGINNING].iter().collect();
    let mut forms = tree.words_beginning(&beginning, MOST_WORDS_COMPARED)?;
    forms.retain(|(word, _)| is_form_of(&letters, word));
    let mut forms: Vec<String> = forms.into_iter().map(|(word, _)| word).collect();
    forms.extend(in_the_other_number(term));
    forms.sort();
    let form = most_frequent(vocabulary, forms)?;
    if form.is_some() || letters.len() < FEWEST_LETTERS_MISTYPED {
        return Ok(form);
    }
    let mut near = tree.words_beginning(&letters[0].to_string(), MOST_WORDS_COMPARED)?;
    if near.len() == MOST_WORDS_COMPARED {
        return Ok(None);
    }
    near.retain(|(word, _)| is_mistyped(term, letters.len(), word));
    most_frequent(vocabulary, near.into_iter().map(|(word, _)| word).collect())
}

/// Of words in the order of the alphabet.
fn most_frequent(vocabulary: &Vocabulary<'_, '_>, words: Vec<String>) -> Result<Option<String>, IndexError> {
    let mut best: Option<(String, u64)> = None;
    for word in words {
        let passages = vocabulary.frequency(&word)?;
        if passages > best.as_ref().map_or(0, |(_, most)| *most) {
            best = Some((word, passages));
        }
    }
    Ok(best.map(|(word, _)| word))
}

fn is_form_of(letters: &[char], word: &str) -> bool {
    let word: Vec<char> = word.chars().collect();
    let shared = letters.iter().zip(&word).take_while(|(a, b)| a == b).count();
    [letters.len(), word.len()]
        .into_iter()
        .all(|length| shared as f64 >= LEAST_SHARED * length as f64 && length - shared <= MOST_DIFFERENT)
}

/// What a singular would be as a plural, or a plural as a singular.
fn in_the_other_number(term: &str) -> impl Iterator<Item = String> {
    let both_ways = NUMBERS.into_iter().flat_map(|(one, many)| [(one, many), (many, one)]);
    both_ways.filter_map(|(from, to)| {
        let stem = term.strip_suffix(from).filter(|stem| stem.chars().count() >= FEWEST_BEFORE_ENDING)?;
        Some(format!("{stem}{to}"))
    })
}

/// One letter too many, missing, wrong, or two in the wrong order.
fn is_mistyped(term: &str, letters: usize, word: &str) -> bool {
    let length = word.chars().count();
    length >= FEWEST_LETTERS_MEANT && length.abs_diff(letters) <= 1 && strsim::osa_distance(term, word) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_share_their_beginning() {
        for (term, word, expected) in [
            ("emite", "emitir", true),
            ("acoes", "acao", false),
            ("avisos", "avisar", true),
            ("contribuem", "contribuir", true),
            ("harbours", "harbour", true),
            ("harbour", "harbourmaster", false),
            ("lamp", "lampshade", false),
            ("lamp", "lamps", true),
            ("sail", "sailors", false),
        ] {
            let letters: Vec<char> = term.chars().collect();
            assert_eq!(is_form_of(&letters, word), expected, "{term} {word}");
        }
    }

    #[test]
    fn numbers_that_end_otherwise_meet() {
        for (term, other) in [
            ("acoes", "acao"),
            ("acao", "acoes"),
            ("animais", "animal"),
            ("city", "cities"),
            ("chevaux", "cheval"),
            ("knives", "knife"),
            ("imagens", "imagem"),
        ] {
            assert!(in_the_other_number(term).any(|word| word == other), "{term} {other}");
        }
        assert_eq!(in_the_other_number("ao").count(), 0);
    }

    #[test]
    fn a_typing_error_is_one_slip() {
        for (term, word, expected) in [
            ("recieve", "receive", true),
            ("ativdades", "atividades", true),
            ("harbor", "harbour", true),
            ("harbuor", "harbour", true),
            ("hrbuor", "harbour", false),
            ("kettles", "kettle", true),
            ("stonee", "tones", false),
        ] {
            assert_eq!(is_mistyped(term, term.chars().count(), word), expected, "{term} {word}");
        }
    }

    #[test]
    fn numbers_and_short_words_mean_themselves() {
        for (term, expected) in
            [("4471", false), ("ord4471", false), ("cat", false), ("acao", true), ("图书", false)]
        {
            assert_eq!(may_be_respelt(term), expected, "{term}");
        }
    }
}
