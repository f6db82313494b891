//! Names of reordering models, such as `hier-msd-bidirectional-fe`.

use chiasm_phrases::{ClassSet, Directions, OrientationKind};
use std::fmt;
use std::str::FromStr;

/// The name of a lexicalised model: what counts as a neighbour, the classes, the direction;
/// always conditioned on source and target phrase (`fe`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    /// What counts as a neighbour.
    pub kind: OrientationKind,
    /// Which orientations are told apart.
    pub classes: ClassSet,
    /// Which neighbours.
    pub directions: Directions,
}

impl FromStr for TableName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let complaint = || {
            format!(
                "'{text}' is not a model such as hier-msd-backward-fe: (wbe|phrase|hier)-\
                 (msd|mslr|monotonicity|leftright)-(backward|forward|bidirectional)-fe"
            )
        };
        let parts: Vec<&str> = text.split('-').collect();
        let (kind, classes, directions) = match parts[..] {
            [kind, classes, directions, "fe"] | [kind, classes, directions] => {
                (kind, classes, directions)
            }
            _ => return Err(complaint()),
        };
        Ok(TableName {
            kind: kind.parse().map_err(|_| complaint())?,
            classes: (classes.parse().ok())
                .filter(|set: &ClassSet| set.is_of_tables())
                .ok_or_else(complaint)?,
            directions: directions.parse().map_err(|_| complaint())?,
        })
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            OrientationKind::Word => "wbe".to_string(),
            kind => kind.to_string(),
        };
        write!(f, "{kind}-{}-{}-fe", self.classes, self.directions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["wbe-msd-bidirectional-fe", "hier-leftright-forward-fe"] {
            assert_eq!(name.parse::<TableName>().unwrap().to_string(), name);
        }
        let word: TableName = "word-mslr-backward".parse().unwrap();
        assert_eq!(word.to_string(), "wbe-mslr-backward-fe");
        for bad in [
            "",
            "hier",
            "hier-msd-backward-f",
            "hier-msd-sideways-fe",
            "a-b-c-fe-x",
            "word-distance-backward-fe",
        ] {
            assert!(bad.parse::<TableName>().is_err(), "{bad}");
        }
    }
}
