//! How a phrase moves: the orientation of a phrase pair with respect to what stands before
//! (`backward`) and after it (`forward`) on the target side (SPEC section 1).

use crate::alignment::Alignment;
use crate::corners::Corners;
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

/// Which orientations are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassSet {
    /// Monotone, swap, discontinuous.
    Msd,
    /// Monotone, swap, discontinuous to the left, discontinuous to the right.
    Mslr,
    /// Monotone or not.
    Monotonicity,
    /// Right (monotone, discontinuous right) or left.
    LeftRight,
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

impl ClassSet {
    /// How many classes.
    pub fn len(self) -> usize {
        match self {
            ClassSet::Msd => 3,
            ClassSet::Mslr => 4,
            ClassSet::Monotonicity | ClassSet::LeftRight => 2,
        }
    }

    /// Never.
    pub fn is_empty(self) -> bool {
        false
    }

    /// The class of an orientation.
    #[inline]
    pub fn class(self, orientation: Orientation) -> usize {
        use Orientation::*;
        match self {
            ClassSet::Mslr => orientation as usize,
            ClassSet::Msd => (orientation as usize).min(2),
            ClassSet::Monotonicity => usize::from(orientation != Monotone),
            ClassSet::LeftRight => usize::from(matches!(orientation, Swap | DiscontinuousLeft)),
        }
    }

    /// The name of a class.
    pub fn class_name(self, class: usize) -> &'static str {
        self.names().get(class).copied().unwrap_or("none")
    }

    /// Names for people.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            ClassSet::Msd => &["monotone", "swap", "discontinuous"],
            ClassSet::Mslr => &[
                "monotone",
                "swap",
                "discontinuous-left",
                "discontinuous-right",
            ],
            ClassSet::Monotonicity => &["monotone", "other"],
            ClassSet::LeftRight => &["right", "left"],
        }
    }

    /// Names in Moses' extraction files. `leftright` is extracted as `mslr`.
    pub fn moses_names(self) -> &'static [&'static str] {
        match self {
            ClassSet::Msd => &["mono", "swap", "other"],
            ClassSet::Mslr | ClassSet::LeftRight => &["mono", "swap", "dleft", "dright"],
            ClassSet::Monotonicity => &["mono", "nomono"],
        }
    }
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

impl FromStr for ClassSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "msd" => Ok(ClassSet::Msd),
            "mslr" => Ok(ClassSet::Mslr),
            "monotonicity" | "mono" => Ok(ClassSet::Monotonicity),
            "leftright" => Ok(ClassSet::LeftRight),
            _ => Err(format!(
                "'{text}' is none of msd, mslr, monotonicity, leftright"
            )),
        }
    }
}

impl fmt::Display for ClassSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClassSet::Msd => "msd",
            ClassSet::Mslr => "mslr",
            ClassSet::Monotonicity => "monotonicity",
            ClassSet::LeftRight => "leftright",
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
}

impl Instance {
    /// With respect to one of the two.
    pub fn orientation(&self, direction: Direction) -> Orientation {
        direction.of(self.backward, self.forward)
    }
}

/// Finds the phrase pairs of sentence pairs with their orientations, one pair after another.
/// Holds the scratch memory, so that nothing is allocated from pair to pair.
#[derive(Clone, Debug)]
pub struct Extractor {
    max_length: usize,
    kind: OrientationKind,
    forward_rule: ForwardRule,
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
            corners: Corners::default(),
            spans: Vec::new(),
        }
    }

    /// Calls `found` with every instance, ordered by target end, then falling target start.
    pub fn instances(&mut self, alignment: &Alignment, mut found: impl FnMut(Instance)) {
        let exact = self.forward_rule == ForwardRule::Exact;
        match self.kind {
            OrientationKind::Word => {
                let orienter = Orienter {
                    alignment,
                    corners: None,
                    exact,
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
}

impl Orienter<'_> {
    #[inline]
    fn instance(&self, spans: Spans) -> Instance {
        Instance {
            spans,
            backward: self.backward(spans),
            forward: self.forward(spans),
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
        let (starts, ends) = if self.exact {
            (&corners.starting_starts, &corners.starting_ends)
        } else {
            (&corners.ending_starts, &corners.ending_ends)
        };
        if starts.get(row, right) {
            return Orientation::Monotone;
        }
        if ends.get(row, left) {
            return Orientation::Swap;
        }
        discontinuous(ends.any(row, 0, left))
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
            let classes = ClassSet::LeftRight;
            assert_eq!(classes.class_name(classes.class(forward)), "right");
        }
        assert_eq!(by_words("2-1 4-0", 2, 1).0, DiscontinuousLeft);
        assert_eq!(by_words("2-1 0-2", 2, 1).1, DiscontinuousLeft);
        assert_eq!(by_words("2-1 0-0 4-0", 2, 1).0, DiscontinuousRight);
    }
}
