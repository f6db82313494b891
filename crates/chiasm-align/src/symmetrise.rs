//! Two one-sided alignments become one (Och & Ney 2003; Koehn, Och & Marcu 2003).
//!
//! Every method lies between the intersection and the union of the two. The `grow` methods start
//! from the intersection and add points of the union beside a point already taken, as long as
//! that aligns a word not aligned before; `final` then adds what is left of either side if it
//! aligns a new word, `final-and` only if it aligns two.
//!
//! The order in which points are tried decides which of two competing ones is taken, so it is
//! part of the definition: target words first to last, for each the source words first to last,
//! neighbours in the order of [`NEIGHBOURS`]; `final` takes the reverse side before the forward.
//! That is the order of the field's reference implementation, and the links are equal to its.

use chiasm_text::Link;
use std::str::FromStr;

/// How two one-sided alignments are made one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Links of either side.
    Union,
    /// Links of both sides.
    Intersection,
    /// The intersection, grown over horizontal and vertical neighbours.
    Grow,
    /// The intersection, grown over all eight neighbours.
    GrowDiag,
    /// `GrowDiag`, then what aligns at least one word not yet aligned.
    GrowDiagFinal,
    /// `GrowDiag`, then what aligns two words not yet aligned.
    GrowDiagFinalAnd,
    /// The forward links as they are.
    Forward,
    /// The reverse links as they are.
    Reverse,
}

impl Method {
    /// All methods with their names.
    pub const NAMES: [(&'static str, Method); 8] = [
        ("union", Method::Union),
        ("intersection", Method::Intersection),
        ("grow", Method::Grow),
        ("grow-diag", Method::GrowDiag),
        ("grow-diag-final", Method::GrowDiagFinal),
        ("grow-diag-final-and", Method::GrowDiagFinalAnd),
        ("forward", Method::Forward),
        ("reverse", Method::Reverse),
    ];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        let entry = Self::NAMES.iter().find(|entry| entry.1 == self);
        entry.map_or("", |entry| entry.0)
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entry = Self::NAMES.iter().find(|entry| entry.0 == text);
        entry.map(|entry| entry.1).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|entry| entry.0).collect();
            format!("'{text}' is not one of {}", names.join(", "))
        })
    }
}

/// Neighbours of a point as (target, source) steps; `grow` uses the first four.
const NEIGHBOURS: [(i64, i64); 8] = [
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
    (-1, -1),
    (-1, 1),
    (1, -1),
    (1, 1),
];

/// A point of the union; ordered by target, then source, as the points are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    target: u32,
    source: u32,
    forward: bool,
    reverse: bool,
    taken: bool,
}

/// Symmetrises sentence after sentence without allocating anew.
#[derive(Default)]
pub struct Symmetriser {
    union: Vec<Point>,
    source_aligned: Vec<bool>,
    target_aligned: Vec<bool>,
}

impl Symmetriser {
    /// A symmetriser.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes to `links` what `method` makes of `forward` and `reverse` (both source-target, in
    /// any order), sorted by source, then target.
    pub fn symmetrise(
        &mut self,
        method: Method,
        forward: &[Link],
        reverse: &[Link],
        links: &mut Vec<Link>,
    ) {
        self.load(forward, reverse);
        match method {
            Method::Union => self.take(|_| true),
            Method::Intersection => self.take(|point| point.forward && point.reverse),
            Method::Forward => self.take(|point| point.forward),
            Method::Reverse => self.take(|point| point.reverse),
            Method::Grow => self.grow(&NEIGHBOURS[..4]),
            Method::GrowDiag => self.grow(&NEIGHBOURS),
            Method::GrowDiagFinal => {
                self.grow(&NEIGHBOURS);
                self.complete(|source, target| !source || !target);
            }
            Method::GrowDiagFinalAnd => {
                self.grow(&NEIGHBOURS);
                self.complete(|source, target| !source && !target);
            }
        }
        links.clear();
        let taken = self.union.iter().filter(|point| point.taken);
        links.extend(taken.map(|point| Link {
            source: point.source,
            target: point.target,
        }));
        links.sort_unstable();
    }

    /// The union of both sides, in the order in which points are tried.
    fn load(&mut self, forward: &[Link], reverse: &[Link]) {
        self.union.clear();
        let mut add = |links: &[Link], is_forward: bool| {
            self.union
                .extend(links.iter().map(|&Link { source, target }| Point {
                    target,
                    source,
                    forward: is_forward,
                    reverse: !is_forward,
                    taken: false,
                }));
        };
        add(forward, true);
        add(reverse, false);
        self.union.sort_unstable();
        self.union.dedup_by(|later, kept| {
            let same = (later.target, later.source) == (kept.target, kept.source);
            if same {
                kept.forward |= later.forward;
                kept.reverse |= later.reverse;
            }
            same
        });
        let length = |position: fn(&Point) -> u32| {
            let last = self.union.iter().map(position).max();
            last.map_or(0, |last| last as usize + 1)
        };
        let (sources, targets) = (length(|p| p.source), length(|p| p.target));
        self.source_aligned.clear();
        self.source_aligned.resize(sources, false);
        self.target_aligned.clear();
        self.target_aligned.resize(targets, false);
    }

    fn take(&mut self, wanted: impl Fn(&Point) -> bool) {
        for point in &mut self.union {
            point.taken = wanted(point);
        }
    }

    fn add(&mut self, at: usize) {
        let point = &mut self.union[at];
        point.taken = true;
        self.source_aligned[point.source as usize] = true;
        self.target_aligned[point.target as usize] = true;
    }

    /// The intersection, then neighbours in the union that align a new word, until none is left.
    fn grow(&mut self, neighbours: &[(i64, i64)]) {
        for at in 0..self.union.len() {
            if self.union[at].forward && self.union[at].reverse {
                self.add(at);
            }
        }
        loop {
            let mut added = false;
            for at in 0..self.union.len() {
                if self.union[at].taken {
                    added |= self.grow_from(at, neighbours);
                }
            }
            if !added {
                return;
            }
        }
    }

    fn grow_from(&mut self, at: usize, neighbours: &[(i64, i64)]) -> bool {
        let mut added = false;
        let Point { target, source, .. } = self.union[at];
        for &(target_step, source_step) in neighbours {
            let target = i64::from(target) + target_step;
            let source = i64::from(source) + source_step;
            let Some(near) = self.find(target, source) else {
                continue;
            };
            let Point { target, source, .. } = self.union[near];
            let new =
                !self.target_aligned[target as usize] || !self.source_aligned[source as usize];
            if new && !self.union[near].taken {
                self.add(near);
                added = true;
            }
        }
        added
    }

    fn find(&self, target: i64, source: i64) -> Option<usize> {
        let key = |point: &Point| (i64::from(point.target), i64::from(point.source));
        self.union.binary_search_by_key(&(target, source), key).ok()
    }

    /// Adds points of the reverse side, then of the forward, as long as `allowed` agrees, given
    /// whether the source and the target word are already aligned.
    fn complete(&mut self, allowed: impl Fn(bool, bool) -> bool) {
        for forward in [false, true] {
            for at in 0..self.union.len() {
                let point = self.union[at];
                let side = if forward {
                    point.forward
                } else {
                    point.reverse
                };
                let source = self.source_aligned[point.source as usize];
                let target = self.target_aligned[point.target as usize];
                if side && !point.taken && allowed(source, target) {
                    self.add(at);
                }
            }
        }
    }
}
