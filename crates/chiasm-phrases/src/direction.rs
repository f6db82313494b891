//! With respect to which neighbour a phrase moves.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of the two neighbours of a phrase on the target side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// What stands before the phrase.
    Backward,
    /// What stands after it.
    Forward,
}

impl Direction {
    /// The one of two values that belongs to this direction.
    pub fn of<T>(self, backward: T, forward: T) -> T {
        match self {
            Direction::Backward => backward,
            Direction::Forward => forward,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.of("backward", "forward"))
    }
}

/// The neighbours that a model looks at; the backward one comes first. In files they are a list of
/// directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<Direction>", into = "Vec<Direction>")]
pub enum Directions {
    /// The previous one.
    Backward,
    /// The next one.
    Forward,
    /// Both.
    Bidirectional,
}

impl Directions {
    /// Each of them, backward first.
    pub fn as_slice(self) -> &'static [Direction] {
        match self {
            Directions::Backward => &[Direction::Backward],
            Directions::Forward => &[Direction::Forward],
            Directions::Bidirectional => &[Direction::Backward, Direction::Forward],
        }
    }

    /// Each of them, backward first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Direction> + ExactSizeIterator + Clone {
        self.as_slice().iter().copied()
    }

    /// How many.
    pub fn len(self) -> usize {
        self.as_slice().len()
    }

    /// Never.
    pub fn is_empty(self) -> bool {
        false
    }
}

impl From<Directions> for Vec<Direction> {
    fn from(directions: Directions) -> Self {
        directions.as_slice().to_vec()
    }
}

impl TryFrom<Vec<Direction>> for Directions {
    type Error = &'static str;

    fn try_from(list: Vec<Direction>) -> Result<Self, Self::Error> {
        use Directions::{Backward, Bidirectional, Forward};
        [Backward, Forward, Bidirectional]
            .into_iter()
            .find(|directions| directions.as_slice() == list)
            .ok_or("backward, forward or both in this order expected")
    }
}

impl FromStr for Directions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "backward" => Ok(Directions::Backward),
            "forward" => Ok(Directions::Forward),
            "bidirectional" | "both" => Ok(Directions::Bidirectional),
            _ => Err(format!(
                "'{text}' is none of backward, forward, bidirectional"
            )),
        }
    }
}

impl fmt::Display for Directions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Directions::Backward => "backward",
            Directions::Forward => "forward",
            Directions::Bidirectional => "bidirectional",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_written_and_ordered() {
        for name in ["backward", "forward", "bidirectional"] {
            let directions: Directions = name.parse().unwrap();
            assert_eq!(directions.to_string(), name);
            let list: Vec<Direction> = directions.into();
            assert!(list.is_sorted());
            assert_eq!(Directions::try_from(list), Ok(directions));
        }
        assert_eq!("both".parse(), Ok(Directions::Bidirectional));
        assert!("sideways".parse::<Directions>().is_err());
        for list in [
            vec![],
            vec![Direction::Forward, Direction::Backward],
            vec![Direction::Forward; 2],
        ] {
            assert!(Directions::try_from(list).is_err());
        }
    }
}
