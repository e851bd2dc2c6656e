//! Plots as SVG within a page: small multiples, drawn for the width of a phone, coloured by the page's style.

use super::name;
use super::page::{html, joined};
use crate::eval::{Estimate, ModeRun, Outcome, median_and_95th};

/// Units of a drawing; one is a pixel on a small phone.
const WIDTH: f64 = 320.0;
/// Where the axis begins, behind the labels, and where it ends.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 276.0;
/// From one row to the next.
const ROW: f64 = 26.0;
/// Bars of a histogram.
const BINS: usize = 25;

/// Values from 0 to 1 with their intervals, a row for each mode.
pub(super) fn intervals(title: &str, rows: &[(&ModeRun, Estimate)]) -> String {
    let height = ROW * rows.len() as f64 + 18.0;
    let told: Vec<String> =
        rows.iter().map(|(mode, estimate)| format!("{} {:.3}", name(mode.mode), estimate.mean)).collect();
    let drawn = joined(rows.iter().zip(0_u32..), |((mode, estimate), row)| {
        interval(name(mode.mode), estimate, ROW * f64::from(row) + ROW / 2.0)
    });
    let axis = joined([0.0, 0.5, 1.0], |value| {
        let (x, y) = (LEFT + value * (RIGHT - LEFT), height - 4.0);
        format!(r#"<text class="soft" x="{x:.1}" y="{y:.1}" text-anchor="middle">{value}</text>"#)
    });
    drawing(&format!("{title}: {}", told.join(", ")), height, &format!("{drawn}{axis}"))
}

fn interval(mode: &str, estimate: &Estimate, y: f64) -> String {
    let x = |value: f64| LEFT + value.clamp(0.0, 1.0) * (RIGHT - LEFT);
    let (mean, low, high) = (x(estimate.mean), x(estimate.low), x(estimate.high));
    let width = RIGHT - LEFT;
    format!(
        r#"<g class="{mode}"><title>{mode}: {:.3}, 95 % interval {:.3} to {:.3}</title>
<text x="0" y="{:.1}">{mode}</text><rect class="track" x="{LEFT}" y="{:.1}" width="{width}" height="6" rx="3"/>
<line class="whisker" x1="{low:.1}" y1="{y:.1}" x2="{high:.1}" y2="{y:.1}"/>
<circle class="tone" cx="{mean:.1}" cy="{y:.1}" r="5"/><text x="{WIDTH}" y="{:.1}" text-anchor="end">{:.3}</text></g>
"#,
        estimate.mean,
        estimate.low,
        estimate.high,
        y + 4.0,
        y - 3.0,
        y + 4.0,
        estimate.mean,
    )
}

/// Where the first right note stood, as bars.
pub(super) fn ranks(mode: &ModeRun) -> String {
    let answerable: Vec<&Outcome> = mode.outcomes.iter().filter(|outcome| outcome.scores.is_some()).collect();
    let total = answerable.len().max(1) as f64;
    let buckets = buckets(&answerable);
    let bars = joined(buckets.iter().zip(0_u32..), |((label, count), row)| {
        let (y, share) = (ROW * f64::from(row), *count as f64 / total);
        let width = share * (RIGHT - LEFT);
        format!(
            r#"<text x="0" y="{:.1}">{label}</text><rect class="track" x="{LEFT}" y="{:.1}" width="{:.1}" height="16" rx="3"/>
<rect class="tone" x="{LEFT}" y="{:.1}" width="{width:.1}" height="16" rx="3"/>
<text x="{WIDTH}" y="{:.1}" text-anchor="end">{count}</text>
"#,
            y + 17.0,
            y + 5.0,
            RIGHT - LEFT,
            y + 5.0,
            y + 17.0,
        )
    });
    let told: Vec<String> = buckets.iter().map(|(label, count)| format!("{label}: {count}")).collect();
    let title = format!("{}, rank of the first right note: {}", name(mode.mode), told.join(", "));
    drawing(&title, ROW * buckets.len() as f64 + 2.0, &bars)
}

fn buckets(outcomes: &[&Outcome]) -> Vec<(&'static str, usize)> {
    const BUCKETS: [(&str, usize, usize); 6] = [
        ("first", 1, 1),
        ("second", 2, 2),
        ("third", 3, 3),
        ("4 to 5", 4, 5),
        ("6 to 10", 6, 10),
        ("11 to 50", 11, 50),
    ];
    let within = |low, high| {
        let is_within =
            |outcome: &&&Outcome| outcome.first_right().is_some_and(|rank| (low..=high).contains(&rank));
        outcomes.iter().filter(is_within).count()
    };
    let found = BUCKETS.into_iter().map(|(label, low, high)| (label, within(low, high)));
    let missing = outcomes.iter().filter(|outcome| outcome.first_right().is_none()).count();
    found
        .filter(|(label, count)| *label != "11 to 50" || *count > 0)
        .chain([("not found", missing)])
        .collect()
}

/// How long answers took: a histogram from 0 to `most` milliseconds, the same for all modes.
pub(super) fn latency(mode: &ModeRun, most: f64) -> String {
    let latencies = mode.latencies();
    let (median, late) = median_and_95th(&latencies);
    let counts = histogram(&latencies, most);
    let highest = counts.iter().copied().max().unwrap_or_default().max(1) as f64;
    let (base, step) = (84.0, WIDTH / BINS as f64);
    let bars = joined(counts.iter().zip(0_u32..), |(count, bin)| {
        let height = *count as f64 / highest * 54.0;
        format!(
            r#"<rect class="tone" x="{:.1}" y="{:.1}" width="{:.1}" height="{height:.1}"/>"#,
            f64::from(bin) * step,
            base - height,
            step - 1.5,
        )
    });
    let marks = joined([("p50", median), ("p95", late)], |(label, value)| mark(label, value, most, base));
    let axis = format!(
        r#"<rect class="track" x="0" y="{base}" width="{WIDTH}" height="2"/><text class="soft" x="0" y="101">0 ms</text>
<text class="soft" x="{WIDTH}" y="101" text-anchor="end">{most:.0} ms</text>"#
    );
    let title =
        format!("{}: half of the answers within {median:.1} ms, 95 % within {late:.1} ms", name(mode.mode));
    drawing(&title, 106.0, &format!("{bars}{axis}{marks}"))
}

fn mark(label: &str, value: f64, most: f64, base: f64) -> String {
    let x = (value / most * WIDTH).min(WIDTH - 1.0);
    // Two marks that stand close together must not write over each other.
    let y = if label == "p50" { 24.0 } else { 10.0 };
    let (anchor, shift) = if x > WIDTH * 0.7 { ("end", -4.0) } else { ("start", 4.0) };
    format!(
        r#"<line class="mark" x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{base}"/><text x="{:.1}" y="{y}" text-anchor="{anchor}">{label} {value:.1}</text>"#,
        y - 8.0,
        x + shift,
    )
}

fn histogram(values: &[f64], most: f64) -> [usize; BINS] {
    let mut counts = [0; BINS];
    for value in values {
        let edges = (1..BINS).filter(|edge| *value >= most / BINS as f64 * *edge as f64);
        counts[edges.count()] += 1;
    }
    counts
}

fn drawing(title: &str, height: f64, inner: &str) -> String {
    let title = html(title);
    format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{title}">{inner}</svg>"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_falls_into_one_bar() {
        let rows: [(&[f64], [usize; 3]); 4] = [
            (&[], [0, 0, 0]),
            (&[0.0, 3.9, 4.0], [2, 1, 0]),
            (&[99.9, 100.0, 1e9], [0, 0, 3]),
            (&[5.0, 50.0, 97.0], [0, 1, 1]),
        ];
        for (values, expected) in rows {
            let counts = histogram(values, 100.0);
            assert_eq!([counts[0], counts[1], counts[BINS - 1]], expected, "{values:?}");
            assert_eq!(counts.iter().sum::<usize>(), values.len());
        }
    }

    #[test]
    fn every_rank_falls_into_one_bucket() {
        let outcome = |rank: usize| Outcome {
            id: String::new(),
            query: String::new(),
            kind: None,
            expected: Vec::new(),
            ranks: (1..=50).contains(&rank).then_some(rank).into_iter().collect(),
            first: None,
            answered: true,
            right_heading: None,
            scores: None,
            milliseconds: 1.0,
        };
        let shown = |ranks: &[usize]| {
            let outcomes: Vec<Outcome> = ranks.iter().map(|rank| outcome(*rank)).collect();
            buckets(&outcomes.iter().collect::<Vec<_>>())
                .into_iter()
                .map(|(_, count)| count)
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(&[1, 1, 2, 3, 4, 5, 6, 10, 0]), [2, 1, 1, 2, 2, 1]);
        let deep: Vec<usize> = (0..=50).collect();
        assert_eq!(shown(&deep), [1, 1, 1, 2, 5, 40, 1]);
    }
}
