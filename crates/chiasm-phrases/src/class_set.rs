//! Which ways to move are told apart: orientations, and how far a phrase jumps.

use crate::orientation::Orientation;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How many words between two phrases are told apart; more count as so many.
pub const FURTHEST: usize = 5;

/// How a phrase lies with respect to its neighbour: the orientation and, where something lies between the two, how
/// many source words that are, counted from the nearest word of one to the nearest word of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jump {
    orientation: Orientation,
    /// 1 to [`FURTHEST`] if the orientation is discontinuous, otherwise 0.
    between: u8,
}

impl Jump {
    /// How many jumps there are.
    pub const CODES: usize = 2 + 2 * FURTHEST;

    /// A jump over so many words.
    pub fn new(orientation: Orientation, between: usize) -> Self {
        let between = match orientation.is_discontinuous() {
            true => between.clamp(1, FURTHEST) as u8,
            false => 0,
        };
        Jump {
            orientation,
            between,
        }
    }

    /// Its orientation.
    pub fn orientation(self) -> Orientation {
        self.orientation
    }

    /// The jump as a number below [`Jump::CODES`].
    pub fn code(self) -> u8 {
        match self.orientation {
            Orientation::Monotone => 0,
            Orientation::Swap => 1,
            Orientation::DiscontinuousLeft => 1 + self.between,
            Orientation::DiscontinuousRight => 1 + FURTHEST as u8 + self.between,
        }
    }

    /// Undoes `code`.
    pub fn of_code(code: u8) -> Self {
        let code = usize::from(code);
        match code {
            0 => Orientation::Monotone.into(),
            1 => Orientation::Swap.into(),
            _ if code < 2 + FURTHEST => Jump::new(Orientation::DiscontinuousLeft, code - 1),
            _ => Jump::new(Orientation::DiscontinuousRight, code - 1 - FURTHEST),
        }
    }

    /// The place on a line from the furthest to the left to the furthest to the right.
    fn place(self) -> usize {
        let between = usize::from(self.between);
        match self.orientation {
            Orientation::DiscontinuousLeft => FURTHEST - between,
            Orientation::Swap => FURTHEST,
            Orientation::Monotone => FURTHEST + 1,
            Orientation::DiscontinuousRight => FURTHEST + 1 + between,
        }
    }
}

impl From<Orientation> for Jump {
    fn from(orientation: Orientation) -> Self {
        Jump::new(orientation, 1)
    }
}

/// Which ways to move are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassSet {
    /// Monotone, swap, discontinuous.
    Msd,
    /// Monotone, swap, discontinuous to the left, discontinuous to the right.
    Mslr,
    /// Monotone or not.
    Monotonicity,
    /// Right (monotone, discontinuous right) or left (Zens & Ney 2006).
    LeftRight,
    /// How neighbours are joined: straight (monotone) or inverted (swap). In a text, what does not touch has no class
    /// (Xiong et al. 2006).
    StraightInverted,
    /// `mslr` with the number of source words that a discontinuous phrase jumps over, up to [`FURTHEST`], on a line
    /// from the furthest left to the furthest right (after Xiang et al. 2011 and Ni et al. 2011).
    Distance,
}

impl ClassSet {
    const ALL: [(&'static str, ClassSet); 6] = [
        ("msd", ClassSet::Msd),
        ("mslr", ClassSet::Mslr),
        ("monotonicity", ClassSet::Monotonicity),
        ("leftright", ClassSet::LeftRight),
        ("straightinverted", ClassSet::StraightInverted),
        ("distance", ClassSet::Distance),
    ];

    /// How many classes.
    pub fn len(self) -> usize {
        self.names().len()
    }

    /// Never.
    pub fn is_empty(self) -> bool {
        false
    }

    /// Do tables of counts and Moses' files know these classes? The others can only be learned.
    pub fn is_of_tables(self) -> bool {
        !matches!(self, ClassSet::StraightInverted | ClassSet::Distance)
    }

    /// Has every jump a class?
    pub fn is_total(self) -> bool {
        self != ClassSet::StraightInverted
    }

    /// Do classes lie on a line, so that some are further from each other than others?
    pub fn is_ordered(self) -> bool {
        self == ClassSet::Distance
    }

    /// The class of a jump, if it has one.
    #[inline]
    pub fn class(self, jump: impl Into<Jump>) -> Option<usize> {
        use Orientation::*;
        let jump = jump.into();
        let orientation = jump.orientation;
        Some(match self {
            ClassSet::Mslr => orientation as usize,
            ClassSet::Msd => (orientation as usize).min(2),
            ClassSet::Monotonicity => usize::from(orientation != Monotone),
            ClassSet::LeftRight => usize::from(matches!(orientation, Swap | DiscontinuousLeft)),
            ClassSet::StraightInverted if orientation.is_discontinuous() => return None,
            ClassSet::StraightInverted => orientation as usize,
            ClassSet::Distance => jump.place(),
        })
    }

    /// The class of a jump in a search, which every jump has. A phrase that does not touch what it is compared with will be
    /// joined with it by way of what lies between, if joins are to be straight or inverted at all: straight if the phrase
    /// lies to the right, inverted if to the left. So every phrase has one join.
    pub fn class_in_search(self, jump: Jump) -> usize {
        let inverted = jump.orientation == Orientation::DiscontinuousLeft;
        self.class(jump).unwrap_or(usize::from(inverted))
    }

    /// The name of the class of a jump.
    pub fn name_of(self, jump: Jump) -> Option<&'static str> {
        self.class(jump).map(|class| self.class_name(class))
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
            ClassSet::StraightInverted => &["straight", "inverted"],
            ClassSet::Distance => &[
                "left-5", "left-4", "left-3", "left-2", "left-1", "swap", "monotone", "right-1",
                "right-2", "right-3", "right-4", "right-5",
            ],
        }
    }

    /// Names in Moses' extraction files. `leftright` is extracted as `mslr`, and so would be what Moses does not know.
    pub fn moses_names(self) -> &'static [&'static str] {
        match self {
            ClassSet::Msd => &["mono", "swap", "other"],
            ClassSet::Monotonicity => &["mono", "nomono"],
            _ => &["mono", "swap", "dleft", "dright"],
        }
    }
}

impl FromStr for ClassSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = if text == "mono" { "monotonicity" } else { text };
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|&(_, set)| set).ok_or_else(|| {
            let names = Self::ALL.map(|(name, _)| name).join(", ");
            format!("'{text}' is none of {names}")
        })
    }
}

impl fmt::Display for ClassSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::ALL.iter().find(|(_, set)| set == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Jump> {
        (0..Jump::CODES as u8).map(Jump::of_code)
    }

    #[test]
    fn jumps_are_numbers_and_back() {
        for (number, jump) in all().enumerate() {
            assert_eq!(usize::from(jump.code()), number);
        }
        let far = Jump::new(Orientation::DiscontinuousLeft, 80);
        assert_eq!(far, Jump::new(Orientation::DiscontinuousLeft, FURTHEST));
        assert_eq!(Jump::new(Orientation::Swap, 3).between, 0);
    }

    #[test]
    fn every_class_has_a_jump_and_distances_refine_mslr() {
        for (name, set) in ClassSet::ALL {
            assert_eq!(name.parse(), Ok(set));
            assert_eq!(set.to_string(), name);
            let mut seen = vec![false; set.len()];
            for jump in all() {
                assert!(set.class(jump).is_some() || !set.is_total());
                set.class(jump).iter().for_each(|&class| seen[class] = true);
            }
            assert!(seen.iter().all(|&seen| seen), "{name}");
        }
        let distance = ClassSet::Distance;
        let mut places: Vec<usize> = all().filter_map(|jump| distance.class(jump)).collect();
        places.sort_unstable();
        assert!(places.iter().copied().eq(0..distance.len()));
        for (orientation, words, name) in [
            (Orientation::Monotone, 0, "monotone"),
            (Orientation::Swap, 0, "swap"),
            (Orientation::DiscontinuousLeft, 2, "left-2"),
            (Orientation::DiscontinuousRight, 9, "right-5"),
        ] {
            assert_eq!(distance.name_of(Jump::new(orientation, words)), Some(name));
        }
        let apart = Jump::new(Orientation::DiscontinuousRight, 1);
        let joins = ClassSet::StraightInverted;
        assert_eq!(
            (joins.class(apart), joins.class_in_search(apart)),
            (None, 0)
        );
        let left = Jump::new(Orientation::DiscontinuousLeft, 1);
        assert_eq!((joins.class(left), joins.class_in_search(left)), (None, 1));
    }
}
