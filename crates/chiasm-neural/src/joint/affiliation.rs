//! Which source word a target word goes with.

/// For each of `length` target words the source word that it goes with (Devlin et al. 2014, section 2.1): the one it is linked
/// to, the middle one of several (the left of two), and for a word without links that of the nearest word with
/// links, the right one of two as near. Nothing where there are no links at all. Links are source and target words.
pub fn affiliations(
    length: usize,
    links: impl Iterator<Item = (usize, usize)>,
    into: &mut Vec<u32>,
) -> bool {
    const NONE: u32 = u32::MAX;
    let mut sorted: Vec<(usize, usize)> = links
        .filter(|&(_, target)| target < length)
        .map(|(source, target)| (target, source))
        .collect();
    sorted.sort_unstable();
    let first = into.len();
    into.resize(first + length, NONE);
    let words = &mut into[first..];
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        let (target, source) = group[(group.len() - 1) / 2];
        words[target] = source as u32;
    }
    if sorted.is_empty() {
        into.truncate(first);
        return length == 0;
    }
    let linked: Vec<bool> = words.iter().map(|&word| word != NONE).collect();
    for place in 0..length {
        for distance in 1..length {
            if words[place] != NONE {
                break;
            }
            let right = place + distance;
            let left = place.checked_sub(distance);
            if right < length && linked[right] {
                words[place] = words[right];
            } else if let Some(left) = left.filter(|&left| linked[left]) {
                words[place] = words[left];
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(length: usize, links: &[(usize, usize)]) -> Option<Vec<u32>> {
        let mut into = vec![9];
        let found = affiliations(length, links.iter().copied(), &mut into);
        found.then(|| into.split_off(1))
    }

    #[test]
    fn the_middle_link_counts_and_neighbours_help_out() {
        assert_eq!(of(3, &[(4, 0), (2, 1), (5, 2)]), Some(vec![4, 2, 5]));
        assert_eq!(of(1, &[(7, 0), (1, 0), (3, 0)]), Some(vec![3]));
        assert_eq!(of(1, &[(7, 0), (1, 0)]), Some(vec![1]));
        assert_eq!(of(4, &[(0, 0), (3, 2)]), Some(vec![0, 3, 3, 3]));
        assert_eq!(of(5, &[(2, 4)]), Some(vec![2; 5]));
        assert_eq!(of(2, &[]), None);
        assert_eq!(of(2, &[(0, 7)]), None);
        assert_eq!(of(0, &[]), Some(vec![]));
    }
}
