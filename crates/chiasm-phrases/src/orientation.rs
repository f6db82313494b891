//! How a phrase moves: the orientation of a phrase pair with respect to what stands before
//! (`backward`) and after it (`forward`) on the target side (SPEC section 1).

use crate::alignment::Alignment;
use crate::class_set::Jump;
use crate::corners::{BitRows, Corners};
use crate::direction::Direction;
use crate::extraction::extract;
use crate::span::Spans;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The finest distinction; class sets fold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Orientation {
    /// Goes on where the neighbour ends.
    Monotone = 0,
    /// Changes places with the neighbour.
    Swap = 1,
    /// Jumps to the left.
    DiscontinuousLeft = 2,
    /// Jumps to the right.
    DiscontinuousRight = 3,
}

impl Orientation {
    /// Is there something between the neighbours?
    pub fn is_discontinuous(self) -> bool {
        matches!(
            self,
            Orientation::DiscontinuousLeft | Orientation::DiscontinuousRight
        )
    }
}

/// What counts as a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrientationKind {
    /// The link at the corner (Moses `wbe`).
    Word,
    /// A phrase within the length limit (Moses `phrase`).
    Phrase,
    /// A consistent block of any length (Moses `hier`, Galley & Manning 2008).
    Hier,
}

/// Which blocks the forward orientation of `phrase` and `hier` looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ForwardRule {
    /// Blocks that end at the next target word, as Moses has it.
    #[default]
    Moses,
    /// Blocks that start there: the true mirror image of the backward rule.
    Exact,
}

impl FromStr for ForwardRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "moses" => Ok(ForwardRule::Moses),
            "exact" => Ok(ForwardRule::Exact),
            _ => Err(format!("'{text}' is neither moses nor exact")),
        }
    }
}

impl fmt::Display for ForwardRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ForwardRule::Moses => "moses",
            ForwardRule::Exact => "exact",
        })
    }
}

impl FromStr for OrientationKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "word" | "wbe" => Ok(OrientationKind::Word),
            "phrase" => Ok(OrientationKind::Phrase),
            "hier" => Ok(OrientationKind::Hier),
            _ => Err(format!("'{text}' is none of word (wbe), phrase, hier")),
        }
    }
}

impl fmt::Display for OrientationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OrientationKind::Word => "word",
            OrientationKind::Phrase => "phrase",
            OrientationKind::Hier => "hier",
        })
    }
}

/// A phrase pair with its orientations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Where it stands.
    pub spans: Spans,
    /// With respect to the previous target position.
    pub backward: Orientation,
    /// With respect to the next target position.
    pub forward: Orientation,
    /// The source words between the phrase and either neighbour, if the extractor looks at distances.
    between: [u8; 2],
}

impl Instance {
    /// With respect to one of the two.
    pub fn jump(&self, direction: Direction) -> Jump {
        let orientation = direction.of(self.backward, self.forward);
        Jump::new(
            orientation,
            direction.of(self.between[0], self.between[1]).into(),
        )
    }
}

/// Finds the phrase pairs of sentence pairs with their orientations, one pair after another.
/// Holds the scratch memory, so that nothing is allocated from pair to pair.
#[derive(Clone, Debug)]
pub struct Extractor {
    max_length: usize,
    kind: OrientationKind,
    forward_rule: ForwardRule,
    distances: bool,
    corners: Corners,
    spans: Vec<Spans>,
}

impl Extractor {
    /// Phrases of at most `max_length` words a side.
    pub fn new(max_length: usize, kind: OrientationKind, forward_rule: ForwardRule) -> Self {
        Extractor {
            max_length,
            kind,
            forward_rule,
            distances: false,
            corners: Corners::default(),
            spans: Vec::new(),
        }
    }

    /// Whether the words between a phrase and its neighbours are counted.
    pub fn with_distances(mut self, distances: bool) -> Self {
        self.distances = distances;
        self
    }

    /// Calls `found` with every instance, ordered by target end, then falling target start.
    pub fn instances(&mut self, alignment: &Alignment, mut found: impl FnMut(Instance)) {
        let exact = self.forward_rule == ForwardRule::Exact;
        let distances = self.distances;
        match self.kind {
            OrientationKind::Word => {
                let orienter = Orienter {
                    alignment,
                    corners: None,
                    exact,
                    distances,
                };
                extract(alignment, self.max_length, |spans| {
                    found(orienter.instance(spans))
                });
                return;
            }
            OrientationKind::Hier => {
                self.corners.clear(alignment, exact);
                self.corners.add_all_blocks(alignment);
                let orienter = Orienter {
                    alignment,
                    corners: Some(&self.corners),
                    exact,
                    distances,
                };
                extract(alignment, self.max_length, |spans| {
                    found(orienter.instance(spans))
                });
                return;
            }
            OrientationKind::Phrase => {}
        }
        // A phrase's neighbours may come after it, so all corners first.
        self.corners.clear(alignment, exact);
        self.spans.clear();
        extract(alignment, self.max_length, |spans| {
            self.corners.add(spans);
            self.spans.push(spans);
        });
        let orienter = Orienter {
            alignment,
            corners: Some(&self.corners),
            exact,
            distances,
        };
        for &spans in &self.spans {
            found(orienter.instance(spans));
        }
    }
}

struct Orienter<'a> {
    alignment: &'a Alignment,
    corners: Option<&'a Corners>,
    exact: bool,
    distances: bool,
}

impl Orienter<'_> {
    #[inline]
    fn instance(&self, spans: Spans) -> Instance {
        let (backward, forward) = (self.backward(spans), self.forward(spans));
        let between = match self.distances {
            true => [
                self.words_before(spans, backward),
                self.words_after(spans, forward),
            ],
            false => [1, 1],
        };
        Instance {
            spans,
            backward,
            forward,
            between,
        }
    }

    fn backward(&self, spans: Spans) -> Orientation {
        let (left, right) = corners(spans);
        let row = spans.target.start as i32 - 1;
        if row < 0 {
            // Before the sentence only (-1, -1) is linked.
            return if left < 0 {
                Orientation::Monotone
            } else {
                Orientation::DiscontinuousRight
            };
        }
        let row = row as usize;
        let [monotone, swap] = self.alignment.linked(row, [left, right]);
        if monotone != swap {
            return if monotone {
                Orientation::Monotone
            } else {
                Orientation::Swap
            };
        }
        let Some(corners) = self.corners else {
            let (to_left, to_right) = self.links_beside(row, left, right);
            return discontinuous(to_right && !to_left);
        };
        if corners.ending_ends.get(row, left) {
            return Orientation::Monotone;
        }
        if corners.ending_starts.get(row, right) {
            return Orientation::Swap;
        }
        if corners.ending_ends.any(row, 0, left) {
            return Orientation::DiscontinuousRight;
        }
        // The look to the right stops before the last source word.
        if corners
            .ending_starts
            .any(row, right + 1, self.alignment.source_length as i32 - 1)
        {
            return Orientation::DiscontinuousLeft;
        }
        Orientation::DiscontinuousRight
    }

    fn forward(&self, spans: Spans) -> Orientation {
        let (left, right) = corners(spans);
        let row = spans.target.end as usize;
        if row == self.alignment.target_length {
            // After the sentence only (J, I) is linked.
            let last = right == self.alignment.source_length as i32;
            return if last {
                Orientation::Monotone
            } else {
                Orientation::DiscontinuousRight
            };
        }
        let [monotone, swap] = self.alignment.linked(row, [right, left]);
        if monotone != swap {
            return if monotone {
                Orientation::Monotone
            } else {
                Orientation::Swap
            };
        }
        let Some(corners) = self.corners else {
            let (to_left, to_right) = self.links_beside(row, left, right);
            return discontinuous(to_left && !to_right);
        };
        let (starts, ends) = self.following(corners);
        if starts.get(row, right) {
            return Orientation::Monotone;
        }
        if ends.get(row, left) {
            return Orientation::Swap;
        }
        discontinuous(ends.any(row, 0, left))
    }

    /// Starts and ends of the blocks that the forward orientation looks at.
    fn following<'c>(&self, corners: &'c Corners) -> (&'c BitRows, &'c BitRows) {
        if self.exact {
            (&corners.starting_starts, &corners.starting_ends)
        } else {
            (&corners.ending_starts, &corners.ending_ends)
        }
    }

    /// The source words between a discontinuous phrase and what stands before it: the nearest word of what its
    /// orientation looks at. Where that has none on this side the nearest target word before with a link there
    /// speaks for it, and where there is none the start of the sentence.
    fn words_before(&self, spans: Spans, orientation: Orientation) -> u8 {
        let (left, right) = corners(spans);
        let rows = 0..spans.target.start as usize;
        let blocks = self.corners.map(|c| (&c.ending_starts, &c.ending_ends));
        let to_right = orientation == Orientation::DiscontinuousRight;
        let edge = left + 1;
        // A phrase that jumped to the right has its neighbour on the left.
        self.words_between(rows.rev(), [left, right], to_right, blocks, edge)
    }

    /// The same with what stands after it, and the end of the sentence.
    fn words_after(&self, spans: Spans, orientation: Orientation) -> u8 {
        let (left, right) = corners(spans);
        let rows = spans.target.end as usize..self.alignment.target_length;
        let blocks = self.corners.map(|corners| self.following(corners));
        let to_left = orientation == Orientation::DiscontinuousLeft;
        let edge = self.alignment.source_length as i32 - right;
        self.words_between(rows, [left, right], to_left, blocks, edge)
    }

    fn words_between(
        &self,
        mut rows: impl Iterator<Item = usize> + Clone,
        [left, right]: [i32; 2],
        on_the_left: bool,
        blocks: Option<(&BitRows, &BitRows)>,
        edge: i32,
    ) -> u8 {
        let by_block = blocks
            .zip(rows.clone().next())
            .and_then(|((starts, ends), row)| {
                if on_the_left {
                    let mut positions = (0..=left).rev();
                    let nearest = positions.find(|&position| ends.get(row, position));
                    nearest.map(|position| left - position)
                } else {
                    let mut positions = right..self.alignment.source_length as i32;
                    let nearest = positions.find(|&position| starts.get(row, position));
                    nearest.map(|position| position - right)
                }
            });
        let by_links = |row: usize| {
            let linked = self.alignment.sources(row).iter().map(|&p| p as i32);
            if on_the_left {
                let nearest = linked.filter(|&position| position <= left).max();
                nearest.map(|position| left - position)
            } else {
                let nearest = linked.filter(|&position| position >= right).min();
                nearest.map(|position| position - right)
            }
        };
        let found = by_block.or_else(|| rows.find_map(by_links));
        found.unwrap_or(edge).clamp(1, u8::MAX.into()) as u8
    }

    /// Does the target row have links to the left, to the right of the phrase? The corners count, so
    /// that two linked ones speak for both sides whatever else the row holds.
    fn links_beside(&self, row: usize, left: i32, right: i32) -> (bool, bool) {
        let sources = self.alignment.sources(row);
        (
            sources.iter().any(|&source| source as i32 <= left),
            sources.iter().any(|&source| source as i32 >= right),
        )
    }
}

/// The source positions before and after a phrase; the first may be -1.
#[inline]
fn corners(spans: Spans) -> (i32, i32) {
    (spans.source.start as i32 - 1, spans.source.end as i32)
}

fn discontinuous(to_the_left: bool) -> Orientation {
    if to_the_left {
        Orientation::DiscontinuousLeft
    } else {
        Orientation::DiscontinuousRight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClassSet;
    use chiasm_text::links;

    /// Backward and forward orientation by words of the phrase at these positions.
    fn by_words(text: &str, source: u32, target: u32) -> (Orientation, Orientation) {
        let mut parsed = Vec::new();
        links::parse(text, 5, 3, &mut parsed).unwrap();
        let mut alignment = Alignment::default();
        alignment.load(&parsed, 5, 3);
        let mut found = None;
        let mut extractor = Extractor::new(1, OrientationKind::Word, ForwardRule::Moses);
        extractor.instances(&alignment, |instance| {
            if (instance.spans.source.start, instance.spans.target.start) == (source, target) {
                found = Some((instance.backward, instance.forward));
            }
        });
        found.unwrap()
    }

    #[test]
    fn two_linked_corners_are_to_the_right_whatever_else_the_row_holds() {
        use Orientation::{DiscontinuousLeft, DiscontinuousRight};
        for more in ["", " 0-0", " 4-0", " 0-0 4-0"] {
            let (backward, _) = by_words(&format!("2-1 1-0 3-0{more}"), 2, 1);
            assert_eq!(backward, DiscontinuousRight, "{more}");
        }
        for more in ["", " 0-2", " 4-2", " 0-2 4-2"] {
            let (_, forward) = by_words(&format!("2-1 1-2 3-2{more}"), 2, 1);
            assert_eq!(forward, DiscontinuousRight, "{more}");
            let right = ClassSet::LeftRight.name_of(forward.into());
            assert_eq!(right, Some("right"));
        }
        assert_eq!(by_words("2-1 4-0", 2, 1).0, DiscontinuousLeft);
        assert_eq!(by_words("2-1 0-2", 2, 1).1, DiscontinuousLeft);
        assert_eq!(by_words("2-1 0-0 4-0", 2, 1).0, DiscontinuousRight);
    }

    /// The names of the distance classes of the phrase at these positions, backward and forward.
    fn distances(text: &str, kind: OrientationKind, source: u32, target: u32) -> [&'static str; 2] {
        let mut parsed = Vec::new();
        links::parse(text, 8, 4, &mut parsed).unwrap();
        let mut alignment = Alignment::default();
        alignment.load(&parsed, 8, 4);
        let mut found = None;
        let extractor = Extractor::new(1, kind, ForwardRule::Moses);
        extractor
            .with_distances(true)
            .instances(&alignment, |instance| {
                if (instance.spans.source.start, instance.spans.target.start) == (source, target) {
                    found = Some([Direction::Backward, Direction::Forward].map(|direction| {
                        ClassSet::Distance
                            .name_of(instance.jump(direction))
                            .unwrap()
                    }));
                }
            });
        found.unwrap()
    }

    #[test]
    fn distances_count_the_words_between_a_phrase_and_its_neighbour() {
        use OrientationKind::{Hier, Word};
        for kind in [Word, Hier] {
            let all = "2-0 5-1 0-2 1-3 3-3 4-3";
            assert_eq!(distances(all, kind, 2, 0), ["right-2", "right-2"]);
            assert_eq!(distances(all, kind, 5, 1)[0], "right-2");
            assert_eq!(distances(all, kind, 0, 2)[0], "left-4", "{kind}");
        }
        // By words 5 is the neighbour of 0, by blocks what stands before it is one block of 2 to 5.
        let joined = "2-0 3-1 4-1 5-1 0-2 6-3 1-3";
        assert_eq!(distances(joined, Word, 0, 2)[0], "left-2");
        assert_eq!(distances(joined, Hier, 0, 2)[0], "left-1");
        // An unaligned word before: the one before it speaks, or the start of the sentence.
        assert_eq!(distances("1-0 6-2", Word, 6, 2)[0], "right-4");
        assert_eq!(distances("6-2", Word, 6, 2)[0], "right-5");
    }
}
