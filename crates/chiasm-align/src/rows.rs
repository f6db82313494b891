//! How often each pair of words is linked, for the pairs that are.
//!
//! Of all pairs of words that occur together, a sampler links few at a time, so counts are kept sparsely: every parent word has a
//! row, a small hash table of its children, and all rows lie in one array. A look-up compares the four children of a bucket at
//! once and goes on only where a bucket is full, so that most of them, which find nothing, cost no branch that could be guessed
//! wrong, and a sentence pair touches about as many cache lines as it has parents.

/// No child.
const EMPTY: u32 = u32::MAX;
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Children in a bucket.
const WIDTH: usize = 4;

#[derive(Clone, Copy)]
struct Bucket {
    children: [u32; WIDTH],
    counts: [u32; WIDTH],
}

const FREE: Bucket = Bucket {
    children: [EMPTY; WIDTH],
    counts: [0; WIDTH],
};

/// Where a parent's row lies, and what all of it adds up to.
#[derive(Clone, Copy)]
struct Head {
    start: u32,
    /// Places that have a child, those with a count of 0 included.
    used: u32,
    /// Buckets less one: a power of two less one.
    mask: u32,
    total: u32,
}

/// Counts of (parent, child), and of parents.
pub struct Rows {
    heads: Vec<Head>,
    buckets: Vec<Bucket>,
    /// Rows that were outgrown, by the logarithm of their size.
    spare: [Vec<u32>; 33],
}

/// One parent's row.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    buckets: &'a [Bucket],
    /// The counts of all its children.
    pub total: u32,
}

impl Row<'_> {
    /// The count of a child; 0 if it has none.
    #[inline]
    pub fn get(&self, child: u32) -> u32 {
        self.get_spread(child, spread(child))
    }

    /// The same for who has [`spread`] the child's number already.
    #[inline]
    pub fn get_spread(&self, child: u32, spread: u32) -> u32 {
        let mask = self.buckets.len() - 1;
        let mut at = spread as usize;
        // There is a free place in every row, so there is an end.
        loop {
            let bucket = &self.buckets[at & mask];
            // Sums of masked counts, which compile to comparisons of four at once; choices would become branches.
            let mut found = [0; WIDTH];
            for place in 0..WIDTH {
                let here = u32::from(bucket.children[place] == child);
                found[place] = bucket.counts[place] & here.wrapping_neg();
            }
            let count = found[0] | found[1] | found[2] | found[3];
            // Places are filled from the first to the last.
            if count != 0 || bucket.children[WIDTH - 1] == EMPTY {
                return count;
            }
            at += 1;
        }
    }
}

/// A child's number with its bits spread, so that neighbours fall on different places.
#[inline]
pub fn spread(child: u32) -> u32 {
    (u64::from(child).wrapping_mul(SPREAD) >> 32) as u32
}

#[inline]
fn place(child: u32, mask: usize) -> usize {
    spread(child) as usize & mask
}

/// Children that a row of so many buckets takes before it grows: never all.
fn room(buckets: usize) -> usize {
    match buckets {
        1 => WIDTH - 1,
        more => more * WIDTH * 5 / 8,
    }
}

impl Rows {
    /// Nothing counted, for so many parents.
    pub fn new(parents: usize) -> Self {
        // Who has no row has the free bucket at the beginning.
        let nothing = Head {
            start: 0,
            used: 0,
            mask: 0,
            total: 0,
        };
        Rows {
            heads: vec![nothing; parents],
            buckets: vec![FREE],
            spare: std::array::from_fn(|_| Vec::new()),
        }
    }

    /// A parent's row.
    #[inline]
    pub fn row(&self, parent: u32) -> Row<'_> {
        let head = &self.heads[parent as usize];
        let start = head.start as usize;
        Row {
            buckets: &self.buckets[start..=start + head.mask as usize],
            total: head.total,
        }
    }

    /// Adds to a count.
    pub fn add(&mut self, parent: u32, child: u32, amount: u32) {
        let (bucket, place) = self.find(parent, child);
        let count = &mut self.buckets[bucket].counts[place];
        *count = count.saturating_add(amount);
        let total = &mut self.heads[parent as usize].total;
        *total = total.saturating_add(amount);
    }

    /// Takes one away from a count.
    pub fn remove_one(&mut self, parent: u32, child: u32) {
        let (bucket, place) = self.find(parent, child);
        let count = &mut self.buckets[bucket].counts[place];
        *count = count.saturating_sub(1);
        let total = &mut self.heads[parent as usize].total;
        *total = total.saturating_sub(1);
    }

    /// The place of a pair; it gets one if it has none.
    fn find(&mut self, parent: u32, child: u32) -> (usize, usize) {
        loop {
            let head = self.heads[parent as usize];
            let (start, mask) = (head.start as usize, head.mask as usize);
            let (bucket, at) = self.search(start, mask, child);
            if self.buckets[bucket].children[at] == child {
                return (bucket, at);
            }
            if head.start > 0 && (head.used as usize) < room(mask + 1) {
                self.buckets[bucket].children[at] = child;
                self.buckets[bucket].counts[at] = 0;
                self.heads[parent as usize].used += 1;
                return (bucket, at);
            }
            self.renew(parent);
        }
    }

    /// The place that has a child, or the free one where it belongs.
    fn search(&self, start: usize, mask: usize, child: u32) -> (usize, usize) {
        let mut at = place(child, mask);
        loop {
            let bucket = &self.buckets[start + at];
            let found = |other: &u32| *other == child || *other == EMPTY;
            if let Some(place) = bucket.children.iter().position(found) {
                return (start + at, place);
            }
            at = (at + 1) & mask;
        }
    }

    /// Gives a parent a row with room for one child more, without those whose count is 0.
    fn renew(&mut self, parent: u32) {
        let head = self.heads[parent as usize];
        let old = head.start as usize..head.start as usize + head.mask as usize + 1;
        let places = self.buckets[old.clone()].iter();
        let living: Vec<(u32, u32)> = places
            .flat_map(|bucket| bucket.children.into_iter().zip(bucket.counts))
            .filter(|&(child, count)| child != EMPTY && count > 0)
            .collect();
        // With a quarter more than there are now, lest the next child move it again.
        let mut size = 1;
        while room(size) < living.len() + living.len() / 4 + 1 {
            size *= 2;
        }
        if head.start > 0 {
            self.buckets[old.clone()].fill(FREE);
            self.spare[old.len().trailing_zeros() as usize].push(head.start);
        }
        let start = match self.spare[size.trailing_zeros() as usize].pop() {
            Some(start) => start as usize,
            None => {
                let end = self.buckets.len();
                self.buckets.resize(end + size, FREE);
                end
            }
        };
        for &(child, count) in &living {
            let (bucket, at) = self.search(start, size - 1, child);
            self.buckets[bucket].children[at] = child;
            self.buckets[bucket].counts[at] = count;
        }
        self.heads[parent as usize] = Head {
            start: start as u32,
            used: living.len() as u32,
            mask: size as u32 - 1,
            total: head.total,
        };
    }

    /// All pairs that have a count, parent by parent, the children in no particular order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (0..self.heads.len() as u32).flat_map(move |parent| {
            let buckets = self.row(parent).buckets.iter();
            buckets
                .flat_map(|bucket| bucket.children.into_iter().zip(bucket.counts))
                .filter(|&(_, count)| count > 0)
                .map(move |(child, count)| (parent, child, count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn rows_are_what_a_map_is(steps in proptest::collection::vec((0u32..5, 0u32..40, any::<bool>()), 0..600)) {
            let mut rows = Rows::new(5);
            let mut map: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (parent, child, up) in steps {
                let child = child * 1021;
                let count = map.entry((parent, child)).or_default();
                if up {
                    *count += 1;
                    rows.add(parent, child, 1);
                } else if *count > 0 {
                    *count -= 1;
                    rows.remove_one(parent, child);
                }
            }
            for parent in 0..5 {
                let row = rows.row(parent);
                let of_parent = map.iter().filter(|((p, _), _)| *p == parent);
                prop_assert_eq!(row.total, of_parent.map(|(_, count)| count).sum::<u32>());
                for child in (0..40).map(|child| child * 1021) {
                    let expected = map.get(&(parent, child)).copied().unwrap_or(0);
                    prop_assert_eq!(row.get(child), expected);
                }
            }
            let sum: u32 = rows.pairs().map(|pair| pair.2).sum();
            prop_assert_eq!(sum, map.values().sum::<u32>());
        }
    }
}
