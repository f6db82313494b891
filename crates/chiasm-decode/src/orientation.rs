//! How a phrase lies with respect to the one before it: relations of source spans, and the
//! classes that reordering models make of them.

use crate::blocks::Span;
use serde::{Deserialize, Serialize};

/// What the next phrase is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrientationKind {
    /// The previous phrase (orientations were counted from word links).
    Word,
    /// The previous phrase (orientations were counted from phrases).
    Phrase,
    /// The block of source words around the previous phrase (Galley and Manning 2008).
    Hier,
}

/// The classes a model tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassSet {
    /// Monotone, swap, discontinuous.
    Msd,
    /// Monotone, swap, discontinuous to the left, discontinuous to the right.
    Mslr,
    /// Monotone or not.
    Monotonicity,
    /// To the right or to the left.
    LeftRight,
}

/// With respect to which neighbour a phrase's orientation is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The previous phrase in target order.
    Backward,
    /// The next one.
    Forward,
}

/// Where the next source span lies, seen from the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Directly to the right.
    Monotone,
    /// Directly to the left.
    Swap,
    /// Somewhere to the left.
    Left,
    /// Somewhere to the right.
    Right,
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

    /// A set of classes is never empty.
    pub fn is_empty(self) -> bool {
        false
    }

    /// The class of a relation, in the column order of reordering tables.
    pub fn class(self, relation: Relation) -> usize {
        use Relation::*;
        match (self, relation) {
            (ClassSet::Msd | ClassSet::Mslr | ClassSet::Monotonicity, Monotone) => 0,
            (ClassSet::Msd | ClassSet::Mslr, Swap) => 1,
            (ClassSet::Msd, Left | Right) => 2,
            (ClassSet::Mslr, Left) => 2,
            (ClassSet::Mslr, Right) => 3,
            (ClassSet::Monotonicity, _) => 1,
            (ClassSet::LeftRight, Monotone | Right) => 0,
            (ClassSet::LeftRight, Swap | Left) => 1,
        }
    }

    /// The name of a class.
    pub fn class_name(self, class: usize) -> &'static str {
        let names: &[&str] = match self {
            ClassSet::Msd => &["monotone", "swap", "discontinuous"],
            ClassSet::Mslr => &[
                "monotone",
                "swap",
                "discontinuous-left",
                "discontinuous-right",
            ],
            ClassSet::Monotonicity => &["monotone", "other"],
            ClassSet::LeftRight => &["right", "left"],
        };
        names.get(class).copied().unwrap_or("none")
    }
}

impl Relation {
    /// Compares spans; before the first phrase `previous` is the empty span at 0.
    pub fn between(previous: Span, next: Span) -> Relation {
        if next.start == previous.end {
            Relation::Monotone
        } else if next.end == previous.start {
            Relation::Swap
        } else if next.start > previous.start {
            Relation::Right
        } else {
            Relation::Left
        }
    }

    /// The forward relation of a hierarchical model, known one step late: `next` need not touch
    /// `previous` as long as what lies between can still become one block with it, that is, as
    /// long as the word beside `previous` is uncovered.
    pub fn forward_hier(
        previous: Span,
        next: Span,
        is_covered: impl Fn(usize) -> bool,
    ) -> Relation {
        if next.start >= previous.end {
            if next.start == previous.end || !is_covered(previous.end as usize) {
                Relation::Monotone
            } else {
                Relation::Right
            }
        } else if next.end == previous.start || !is_covered(previous.start as usize - 1) {
            Relation::Swap
        } else {
            Relation::Left
        }
    }

    /// Is there something between the phrases?
    pub fn is_discontinuous(self) -> bool {
        matches!(self, Relation::Left | Relation::Right)
    }
}

impl From<chiasm_phrases::OrientationKind> for OrientationKind {
    fn from(kind: chiasm_phrases::OrientationKind) -> Self {
        match kind {
            chiasm_phrases::OrientationKind::Word => OrientationKind::Word,
            chiasm_phrases::OrientationKind::Phrase => OrientationKind::Phrase,
            chiasm_phrases::OrientationKind::Hier => OrientationKind::Hier,
        }
    }
}

impl From<chiasm_phrases::ClassSet> for ClassSet {
    fn from(classes: chiasm_phrases::ClassSet) -> Self {
        match classes {
            chiasm_phrases::ClassSet::Msd => ClassSet::Msd,
            chiasm_phrases::ClassSet::Mslr => ClassSet::Mslr,
            chiasm_phrases::ClassSet::Monotonicity => ClassSet::Monotonicity,
            chiasm_phrases::ClassSet::LeftRight => ClassSet::LeftRight,
        }
    }
}

/// Reads the part of a reordering type that both tables and models share, e.g. `hier` and `msd`.
pub fn parse_kind(name: &str) -> Option<OrientationKind> {
    match name {
        "word" | "wbe" => Some(OrientationKind::Word),
        "phrase" => Some(OrientationKind::Phrase),
        "hier" => Some(OrientationKind::Hier),
        _ => None,
    }
}

/// Reads the name of a class set.
pub fn parse_classes(name: &str) -> Option<ClassSet> {
    match name {
        "msd" => Some(ClassSet::Msd),
        "mslr" => Some(ClassSet::Mslr),
        "monotonicity" | "mono" => Some(ClassSet::Monotonicity),
        "leftright" => Some(ClassSet::LeftRight),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u16, end: u16) -> Span {
        Span { start, end }
    }

    #[test]
    fn relations_of_spans() {
        assert_eq!(
            Relation::between(span(0, 0), span(0, 2)),
            Relation::Monotone
        );
        assert_eq!(Relation::between(span(0, 0), span(1, 2)), Relation::Right);
        assert_eq!(Relation::between(span(3, 5), span(1, 3)), Relation::Swap);
        assert_eq!(Relation::between(span(3, 5), span(0, 2)), Relation::Left);
        assert_eq!(Relation::between(span(3, 5), span(7, 8)), Relation::Right);
    }

    #[test]
    fn forward_hier_looks_at_the_word_beside() {
        let open = |_: usize| false;
        let closed = |_: usize| true;
        let (previous, right, left) = (span(3, 5), span(7, 8), span(0, 1));
        assert_eq!(
            Relation::forward_hier(previous, right, open),
            Relation::Monotone
        );
        assert_eq!(
            Relation::forward_hier(previous, right, closed),
            Relation::Right
        );
        assert_eq!(Relation::forward_hier(previous, left, open), Relation::Swap);
        assert_eq!(
            Relation::forward_hier(previous, left, closed),
            Relation::Left
        );
    }
}
