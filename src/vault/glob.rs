//! Globs over one segment of a path, character by character. A glob that works on bytes lets `?`
//! and `[é]` miss the letters outside ASCII, and a rule that misses shows what it should hide.
//! Knows nothing of folders, case or normalisation: it is given folded text.

/// Alternatives of one glob after its braces are written out; more than this is a mistake.
const MAX_ALTERNATIVES: usize = 256;

/// A compiled glob: `*`, `?`, `[a-z]`, `[!a-z]` and `{this,that}`.
#[derive(Debug, Clone)]
pub(super) struct SegmentGlob {
    alternatives: Vec<Vec<Token>>,
}

#[derive(Debug, Clone)]
enum Token {
    Literal(char),
    AnyOne,
    AnyMany,
    Class { ranges: Vec<(char, char)>, is_negated: bool },
}

impl SegmentGlob {
    /// Compiles a glob, or says what is wrong with it.
    pub(super) fn compile(glob: &str) -> Result<SegmentGlob, String> {
        let alternatives = expand_braces(glob)?.iter().map(|text| tokens(text)).collect::<Result<_, _>>()?;
        Ok(SegmentGlob { alternatives })
    }

    /// A text that the glob matches.
    pub(super) fn example(&self) -> Option<String> {
        self.alternatives.first()?.iter().map(Token::example).collect()
    }

    /// Does the glob match the whole segment?
    pub(super) fn is_match(&self, segment: &str) -> bool {
        let segment: Vec<char> = segment.chars().collect();
        self.alternatives.iter().any(|tokens| matches(tokens, &segment))
    }
}

/// `a{b,c}d` -> `abd`, `acd`. Braces do not nest.
fn expand_braces(glob: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = glob.split_once('{') else {
        return if glob.contains('}') {
            Err("a `}` needs a `{` before it".to_owned())
        } else {
            Ok(vec![glob.to_owned()])
        };
    };
    let (inside, after) = rest.split_once('}').ok_or("a `{` needs a `}` behind it")?;
    if before.contains('}') || inside.contains('{') {
        return Err("braces cannot stand in braces".to_owned());
    }
    let mut expanded = Vec::new();
    for tail in expand_braces(after)? {
        expanded.extend(inside.split(',').map(|choice| format!("{before}{choice}{tail}")));
    }
    if expanded.len() > MAX_ALTERNATIVES {
        return Err("too many alternatives in braces".to_owned());
    }
    Ok(expanded)
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => Token::AnyMany,
            '?' => Token::AnyOne,
            '[' => class(&mut chars)?,
            other => Token::Literal(other),
        });
    }
    Ok(tokens)
}

/// The inside of `[…]`; a `]` that stands first is a member.
fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Token, String> {
    let is_negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let first = chars.next().ok_or("a `[` needs a `]` behind it")?;
        if first == ']' && !ranges.is_empty() {
            return Ok(Token::Class { ranges, is_negated });
        }
        let mut ahead = chars.clone();
        let last = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' => {
                *chars = ahead;
                last
            }
            _ => first,
        };
        if last < first {
            return Err(format!("`{first}-{last}` runs backwards"));
        }
        ranges.push((first, last));
    }
}

/// Goes back to the last `*` only: quadratic at worst, in the length of one file name.
fn matches(tokens: &[Token], text: &[char]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while at < text.len() {
        match tokens.get(token) {
            Some(Token::AnyMany) => {
                last_star = Some((token, at));
                token += 1;
            }
            Some(one) if one.is_match(text[at]) => (token, at) = (token + 1, at + 1),
            _ => {
                let Some((many, from)) = last_star else { return false };
                last_star = Some((many, from + 1));
                (token, at) = (many + 1, from + 1);
            }
        }
    }
    tokens[token..].iter().all(|token| matches!(token, Token::AnyMany))
}

impl Token {
    /// A text that the token matches.
    fn example(&self) -> Option<String> {
        match self {
            Token::Literal(literal) => Some(literal.to_string()),
            Token::AnyOne => Some("x".to_owned()),
            Token::AnyMany => Some(String::new()),
            Token::Class { ranges, .. } => {
                let first = ranges.first().map(|(first, _)| *first);
                first.into_iter().chain('a'..='z').find(|c| self.is_match(*c)).map(String::from)
            }
        }
    }

    fn is_match(&self, c: char) -> bool {
        match self {
            Token::Literal(literal) => *literal == c,
            Token::AnyOne | Token::AnyMany => true,
            Token::Class { ranges, is_negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *is_negated
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_segments_by_characters() {
        let table: &[(&str, &[&str], &[&str])] = &[
            ("abc", &["abc"], &["ab", "abcd", ""]),
            ("a*", &["a", "ab", "aé日"], &["", "ba"]),
            ("*a*b*", &["ab", "xaybz", "aab"], &["ba", "a"]),
            ("*", &["", "x"], &[]),
            ("journ?e", &["journee", "journée"], &["journe", "journéee"]),
            ("???", &["日本語", "abc"], &["日本", "é"]),
            ("journ[eé]e", &["journee", "journée"], &["journae"]),
            ("[а-я]*", &["дом"], &["dom"]),
            ("[!a-c]x", &["dx", "éx"], &["ax", "x"]),
            ("[^a]", &["b"], &["a"]),
            ("[]]", &["]"], &["["]),
            ("[a-]", &["a", "-"], &["b"]),
            ("{ä,b*}c", &["äc", "bxc"], &["c", "ac"]),
            ("{a,b}{1,2}", &["a1", "b2"], &["a", "ab"]),
            ("a,b", &["a,b"], &["a"]),
        ];
        for (glob, matched, missed) in table {
            let compiled = SegmentGlob::compile(glob).unwrap();
            for text in *matched {
                assert!(compiled.is_match(text), "{glob} should match {text}");
            }
            for text in *missed {
                assert!(!compiled.is_match(text), "{glob} should not match {text}");
            }
        }
    }

    #[test]
    fn globs_that_cannot_be_understood_are_refused() {
        let many = "{a,b}".repeat(20);
        for glob in ["[a", "[", "[]", "[z-a]", "{a", "a}", "}{", "{a,{b}}", &many] {
            assert!(SegmentGlob::compile(glob).is_err(), "{glob}");
        }
    }
}
