//! Sorted lists of byte ranges that do not overlap.
use std::ops::Range;

/// Sorts ranges and joins those that overlap or touch.
pub(super) fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// The range that holds the byte at `offset`, or the next one after it.
pub(super) fn at_or_after(ranges: &[Range<usize>], offset: usize) -> Option<&Range<usize>> {
    ranges.get(ranges.partition_point(|range| range.end <= offset))
}

/// Whether the byte at `offset` lies in one of the ranges.
pub(super) fn contains(ranges: &[Range<usize>], offset: usize) -> bool {
    at_or_after(ranges, offset).is_some_and(|range| range.start <= offset)
}

/// Whether `range` has a byte in common with one of the ranges.
pub(super) fn overlaps(ranges: &[Range<usize>], range: &Range<usize>) -> bool {
    at_or_after(ranges, range.start).is_some_and(|found| found.start < range.end)
}

/// The parts of `range` that lie in none of the ranges, in order.
pub(super) fn without(range: Range<usize>, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    let first = ranges.partition_point(|hole| hole.end <= range.start);
    for hole in ranges[first..].iter().take_while(|hole| hole.start < range.end) {
        parts.push(start..hole.start.max(start));
        start = hole.end.min(range.end);
    }
    parts.push(start..range.end.max(start));
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_operations() {
        let ranges = union(vec![8..9, 2..4, 3..5, 5..6]);
        assert_eq!(ranges, [2..6, 8..9]);
        assert_eq!(without(0..10, &ranges), [0..2, 6..8, 9..10]);
        assert_eq!(without(3..8, &ranges), vec![6..8; 1]);
        assert!(without(3..5, &ranges).is_empty());
        let inside: Vec<usize> = (0..10).filter(|&offset| contains(&ranges, offset)).collect();
        assert_eq!(inside, [2, 3, 4, 5, 8]);
        assert!(overlaps(&ranges, &(0..3)) && !overlaps(&ranges, &(6..8)) && overlaps(&ranges, &(7..20)));
    }
}
