//! Days, and times of day, as people write them into notes: `2031-04-09`, `2031-04-09T10:30`. No time zones: a date
//! is what is written.
use std::cmp::Ordering;

use serde_json::Value;

use super::{Document, fold};

/// A day, with or without a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Year, month, day.
    day: (u16, u8, u8),
    /// Seconds since midnight.
    second: Option<u32>,
}

impl Moment {
    /// Reads `2031-04-09`, with a time behind a `T` or a blank if there is one; what follows the time does not count.
    pub fn parse(text: &str) -> Option<Moment> {
        let text = text.trim();
        let day = day(text.get(..10)?, true)?;
        let rest = &text[10..];
        if rest.is_empty() {
            return Some(Moment { day, second: None });
        }
        let time = rest.strip_prefix(['T', 't', ' '])?;
        let part = |at: usize, most: u32| {
            let number: u32 = digits(time.get(at..at + 2)?)?;
            (number <= most).then_some(number)
        };
        let (hours, minutes) = (part(0, 23)?, part(3, 59)?);
        let seconds = time.get(5..6).filter(|colon| *colon == ":").and_then(|_| part(6, 60)).unwrap_or(0);
        (time.get(2..3) == Some(":"))
            .then_some(Moment { day, second: Some((hours * 60 + minutes) * 60 + seconds) })
    }

    /// The day that a file name begins with, as that of a daily note: `2031-04-09`, `20310409 Meeting`.
    fn of_name(stem: &str) -> Option<Moment> {
        let ends = |length: usize| !stem[length..].starts_with(|next: char| next.is_ascii_digit());
        let long = || stem.get(..10).and_then(|head| day(head, true)).filter(|_| ends(10));
        let short = || stem.get(..8).and_then(|head| day(head, false)).filter(|_| ends(8));
        Some(Moment { day: long().or_else(short)?, second: None })
    }

    /// The day in UTC of a time in seconds since 1970.
    ///
    /// Source: Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.
    pub fn from_unix(seconds: i64) -> Moment {
        let days = seconds.div_euclid(86_400) + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |number: i64| u8::try_from(number).unwrap_or(u8::MAX);
        let year = u16::try_from(year.max(0)).unwrap_or(u16::MAX);
        Moment { day: (year, small(month), small(day)), second: Some(low_seconds(seconds)) }
    }

    /// The order of two moments: by the day alone if one of them has no time.
    pub fn order(&self, other: &Moment) -> Ordering {
        let times = self.second.zip(other.second);
        self.day.cmp(&other.day).then(times.map_or(Ordering::Equal, |(one, other)| one.cmp(&other)))
    }
}

fn low_seconds(seconds: i64) -> u32 {
    u32::try_from(seconds.rem_euclid(86_400)).unwrap_or(0)
}

/// The date a note gives of itself: its property `date`, else `created`, else the day its file name begins with.
pub fn of_note(document: &Document, stem: &str) -> Option<Moment> {
    let property = |name: &str| {
        let mut named = document.frontmatter.properties.iter().filter(|(key, _)| fold(key.trim()) == name);
        named.find_map(|(_, value)| value.as_str().and_then(Moment::parse).or_else(|| compact(value)))
    };
    property("date").or_else(|| property("created")).or_else(|| Moment::of_name(stem))
}

/// `20310409`, which YAML reads as a number.
fn compact(value: &Value) -> Option<Moment> {
    let text = value.as_u64()?.to_string();
    Some(Moment { day: day(&text, false)?, second: None }).filter(|_| text.len() == 8)
}

/// `2031-04-09`, or `20310409`.
fn day(text: &str, has_hyphens: bool) -> Option<(u16, u8, u8)> {
    let parts = if has_hyphens { (5..7, 8..10) } else { (4..6, 6..8) };
    if has_hyphens && (text.get(4..5) != Some("-") || text.get(7..8) != Some("-")) {
        return None;
    }
    let year = u16::try_from(digits(text.get(..4)?)?).ok()?;
    let month = u8::try_from(digits(text.get(parts.0)?)?).ok()?;
    let day = u8::try_from(digits(text.get(parts.1)?)?).ok()?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    ((1..=12).contains(&month) && (1..=last).contains(&day)).then_some((year, month, day))
}

fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(moment: Option<Moment>) -> String {
        let Some(Moment { day: (year, month, day), second }) = moment else { return "none".to_owned() };
        format!("{year}-{month}-{day} {second:?}")
    }

    #[test]
    fn dates_as_written() {
        let table = [
            ("2031-04-09", "2031-4-9 None"),
            (" 2031-04-09T10:30 ", "2031-4-9 Some(37800)"),
            ("2031-04-09 10:30:05+02:00", "2031-4-9 Some(37805)"),
            ("2032-02-29", "2032-2-29 None"),
            ("2031-02-29", "none"),
            ("2031-13-01", "none"),
            ("2031-04-09x", "none"),
            ("2031-04-09T25:00", "none"),
            ("2031-04-09T10", "none"),
            ("2031-4-9", "none"),
            ("+031-04-09", "none"),
            ("203é-04-09", "none"),
            ("", "none"),
        ];
        for (text, expected) in table {
            assert_eq!(shown(Moment::parse(text)), expected, "{text}");
        }
    }

    #[test]
    fn the_date_of_a_note_is_the_first_it_gives() {
        let table = [
            ("---\ndate: 2031-04-09\ncreated: 2030-01-01\n---\n", "2029-01-01", "2031-4-9 None"),
            ("---\nCreated: 2030-01-01 08:00\n---\n", "2029-01-01", "2030-1-1 Some(28800)"),
            ("---\ndate: soon\n---\n", "2029-01-01 Meeting", "2029-1-1 None"),
            ("---\ndate: 20310409\n---\n", "Note", "2031-4-9 None"),
            ("", "20290101", "2029-1-1 None"),
            ("", "202901011", "none"),
            ("", "2029-01-015", "none"),
            ("", "On 2029-01-01", "none"),
            ("", "图书馆", "none"),
        ];
        for (text, stem, expected) in table {
            assert_eq!(shown(of_note(&super::super::parse(text), stem)), expected, "{text}{stem}");
        }
    }

    #[test]
    fn days_since_1970() {
        let table = [
            (0, "1970-1-1 Some(0)"),
            (86_399, "1970-1-1 Some(86399)"),
            (951_782_400, "2000-2-29 Some(0)"),
            (1_933_459_200, "2031-4-9 Some(0)"),
            (-1, "1969-12-31 Some(86399)"),
        ];
        for (seconds, expected) in table {
            assert_eq!(shown(Some(Moment::from_unix(seconds))), expected, "{seconds}");
        }
    }

    #[test]
    fn a_day_is_all_of_its_hours() {
        let order =
            |one: &str, other: &str| Moment::parse(one).unwrap().order(&Moment::parse(other).unwrap());
        assert_eq!(order("2031-04-09", "2031-04-09T10:30"), Ordering::Equal);
        assert_eq!(order("2031-04-09T10:29", "2031-04-09T10:30"), Ordering::Less);
        assert_eq!(order("2031-04-10", "2031-04-09T10:30"), Ordering::Greater);
    }
}
