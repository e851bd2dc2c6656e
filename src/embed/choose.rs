//! `model = "auto"`: which embedded model suits a vault, judged from a sample of its texts.
//!
//! The same sample gives the same answer, in any order. What is no prose (properties, code, tables, links)
//! is not judged, nor is a text too short to tell. Which texts are sampled is the caller's business: for a
//! tree of public notes, public ones only, or the choice would depend on private text.

use super::BuiltinModel;

/// Prose looked at per text, in bytes: more does not change the verdict.
const PROSE_BYTES: usize = 2048;
/// Raw text searched for that prose, in bytes, so that a long list of properties costs little.
const RAW_BYTES: usize = 8 * 1024;
/// Below this many bytes of letters (about 20 English words, 35 Chinese characters) the language is a guess.
const FEWEST_LETTER_BYTES: usize = 100;
/// The share of judged texts that must be English.
const ENGLISH_PERCENT: usize = 90;
/// How a line begins that is a row of a table, or the fence around code.
const TABLE_OR_FENCE: [char; 3] = ['|', '`', '~'];
/// A word with one of these is code, markup or an address.
const CODE_MARKS: [char; 10] = ['_', '=', '{', '}', '\\', '`', '<', '>', '/', '@'];

/// `English` if at least 90 % of the texts that could be judged are English, else `Multilingual`.
///
/// Texts are counted, not bytes: each is one thing to be found, and one imported book must not outvote a
/// hundred notes. If none could be judged the answer is `Multilingual`, which serves every language, whereas
/// the English model fails on all others.
pub fn choose_model<'a>(sample: impl IntoIterator<Item = &'a str>) -> BuiltinModel {
    let verdicts: Vec<bool> = sample.into_iter().filter_map(is_english).collect();
    let english = verdicts.iter().filter(|&&english| english).count();
    if !verdicts.is_empty() && english * 100 >= verdicts.len() * ENGLISH_PERCENT {
        BuiltinModel::English
    } else {
        BuiltinModel::Multilingual
    }
}

/// Whether a text is English; `None` if it is too short or the detector is not sure.
fn is_english(text: &str) -> Option<bool> {
    let prose = prose(text);
    let letter_bytes: usize = prose.chars().filter(|c| c.is_alphabetic()).map(char::len_utf8).sum();
    if letter_bytes < FEWEST_LETTER_BYTES {
        return None;
    }
    let found = whatlang::detect(&prose)?;
    found.is_reliable().then(|| found.lang() == whatlang::Lang::Eng)
}

/// The words of the first paragraphs, without what surrounds and interrupts them.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut region = Region::Start;
    for line in text[..text.floor_char_boundary(RAW_BYTES)].trim_start_matches('\u{feff}').lines() {
        let words = line.trim();
        region = region.after(words);
        if region == Region::Prose && !words.starts_with(TABLE_OR_FENCE) {
            words.split_whitespace().filter(|word| is_word(word)).for_each(|word| prose.extend([word, " "]));
        }
        if prose.len() >= PROSE_BYTES {
            break;
        }
    }
    prose.truncate(prose.floor_char_boundary(PROSE_BYTES));
    prose
}

fn is_word(word: &str) -> bool {
    word.contains(char::is_alphabetic) && !word.contains(CODE_MARKS)
}

/// Where a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    Start,
    Properties,
    Prose,
    Code(&'static str),
}

impl Region {
    /// The region of a line, given the region of the line before.
    fn after(self, line: &str) -> Self {
        match self {
            Self::Start if line == "---" => Self::Properties,
            Self::Properties if line != "---" => Self::Properties,
            Self::Code(fence) if !line.starts_with(fence) => self,
            Self::Code(_) => Self::Prose,
            _ if line.starts_with("```") => Self::Code("```"),
            _ if line.starts_with("~~~") => Self::Code("~~~"),
            _ => Self::Prose,
        }
    }
}

#[cfg(test)]
mod tests;
