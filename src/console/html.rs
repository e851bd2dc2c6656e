//! The one way from text to HTML. A template is a constant of this program with `{}` where values go; every value
//! is escaped, unless it is [`Html`] already, which only templates make.
//!
//! Invariant: no text of a note, a name or a query becomes markup, in elements or in quoted attributes; what could
//! hide or reorder what stands beside it is spelt out.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::reply::may_deceive_after;

/// Text that is HTML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// Something that can stand in a template.
pub(super) trait Shown {
    fn add_to(&self, html: &mut String);
}

/// Fills a template. There must be as many values as places.
pub(super) fn html(template: &'static str, values: &[&dyn Shown]) -> Html {
    let mut parts = template.split("{}");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    debug_assert_eq!(template.matches("{}").count(), values.len(), "{template}");
    for (part, value) in parts.zip(values) {
        value.add_to(&mut filled);
        filled.push_str(part);
    }
    Html(filled)
}

/// Text of one line: a name, a title, a sentence.
impl Shown for str {
    fn add_to(&self, html: &mut String) {
        let mut before = None;
        for letter in self.chars() {
            add_letter(html, before, letter);
            before = Some(letter);
        }
    }
}

impl Shown for &str {
    fn add_to(&self, html: &mut String) {
        (**self).add_to(html);
    }
}

impl Shown for String {
    fn add_to(&self, html: &mut String) {
        self.as_str().add_to(html);
    }
}

/// Text of several lines, whose line ends and tabs stay.
pub(super) struct Block<'a>(pub(super) &'a str);

impl Shown for Block<'_> {
    fn add_to(&self, html: &mut String) {
        let mut before = None;
        for letter in self.0.replace("\r\n", "\n").chars() {
            if matches!(letter, '\n' | '\t') {
                html.push(letter);
            } else {
                add_letter(html, before, letter);
            }
            before = Some(letter);
        }
    }
}

impl Shown for Html {
    fn add_to(&self, html: &mut String) {
        html.push_str(&self.0);
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn add_to(&self, html: &mut String) {
        for one in self {
            one.add_to(html);
        }
    }
}

impl<T: Shown> Shown for Option<T> {
    fn add_to(&self, html: &mut String) {
        if let Some(one) = self {
            one.add_to(html);
        }
    }
}

/// A number, with thousands set apart.
impl Shown for usize {
    fn add_to(&self, html: &mut String) {
        let digits = self.to_string();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                html.push(',');
            }
            html.push(digit);
        }
    }
}

fn add_letter(html: &mut String, before: Option<char>, letter: char) {
    match letter {
        '&' => html.push_str("&amp;"),
        '<' => html.push_str("&lt;"),
        '>' => html.push_str("&gt;"),
        '"' => html.push_str("&quot;"),
        '\'' => html.push_str("&#39;"),
        letter if may_deceive_after(before, letter) => html.extend(letter.escape_unicode()),
        letter => html.push(letter),
    }
}

const IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'/');

/// The address of a view, such as `/view/note?path=Home.md`.
pub(super) fn address(view: &'static str, parameters: &[(&'static str, &str)]) -> String {
    let query: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, IN_QUERY)))
        .collect();
    let separator = if query.is_empty() { "" } else { "?" };
    format!("/view/{view}{separator}{}", query.join("&"))
}

/// A time of RFC 3339 in UTC, for people: `2031-04-09 10:30:00 UTC`.
pub(super) fn moment(time: &str) -> String {
    let seconds = time.get(..19).unwrap_or(time).replace('T', " ");
    format!("{seconds} UTC")
}

/// `1 note`, `1,203 notes`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    let mut text = String::new();
    count.add_to(&mut text);
    format!("{text} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        let table = [
            ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
            ("</title>", "&lt;/title&gt;"),
            (r#"" onfocus="x"#, "&quot; onfocus=&quot;x"),
            ("' x", "&#39; x"),
            ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
            ("a\u{202e}fdp.md", r"a\u{202e}fdp.md"),
            ("two\nlines", r"two\u{a}lines"),
            ("{}", "{}"),
            ("a\u{200d}\u{e0041}", r"a\u{200d}\u{e0041}"),
            ("Grüße 日本語 👩‍🚀", "Grüße 日本語 👩‍🚀"),
        ];
        for (text, shown) in table {
            assert_eq!(
                html("<i title=\"{}\">{}</i>", &[&text, &text]).0,
                format!("<i title=\"{shown}\">{shown}</i>")
            );
        }
    }

    #[test]
    fn values_stand_where_the_template_has_places() {
        let inner = html("<b>{}</b>", &[&"<"]);
        let rows = vec![inner.clone(), inner];
        assert_eq!(
            html("{}: {}{}", &[&1_203_456_usize, &rows, &None::<Html>]).0,
            "1,203,456: <b>&lt;</b><b>&lt;</b>"
        );
        assert_eq!(html("{}", &[&Block("a\r\n\tb\u{1b}<")]).0, "a\n\tb\\u{1b}&lt;");
        assert_eq!(moment("2031-04-09T10:30:00Z"), "2031-04-09 10:30:00 UTC");
        assert_eq!(moment("2031-04-09T10:30:00.123Z"), "2031-04-09 10:30:00 UTC");
        assert_eq!(counted(1, "note") + &counted(2_000, "note"), "1 note2,000 notes");
    }

    #[test]
    fn addresses_hold_any_name() {
        let name = "A & B/\"q\"?#é%.md";
        assert_eq!(
            address("note", &[("path", name)]),
            "/view/note?path=A%20%26%20B/%22q%22%3F%23%C3%A9%25.md"
        );
        assert_eq!(address("overview", &[]), "/view/overview");
    }
}
