//! Feature sets as people write them: `S7`, `S7+unaligned`, `boundaries+context=3+anova=<=2`.

use crate::features::{Anova, ContextMarks, FeatureSet, LARGEST_CONTEXT, Parts};
use std::fmt;
use std::str::FromStr;

impl FromStr for FeatureSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (text, replaced) = match text.strip_suffix("/classes") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut set = FeatureSet {
            words: Parts::default(),
            classes: Parts::default(),
            anova: Anova::One,
            marks: ContextMarks::default(),
            edges: true,
        };
        let mut classes_beside = false;
        // A named set first, wherever it stands: the other parts add to it.
        let mut parts: Vec<&str> = text.split('+').collect();
        parts.sort_by_key(|part| numbered_name(part).is_none());
        for (place, part) in parts.into_iter().enumerate() {
            if part == "classes" {
                classes_beside = true;
            } else if let Some(named) = numbered_name(part).filter(|_| place == 0) {
                set = named;
            } else {
                set.add_part(part).ok_or_else(|| complaint(text, part))?;
            }
        }
        if classes_beside || replaced {
            set.classes = set.classes.with(set.words);
        }
        if replaced {
            set.words = Parts::default();
        }
        if set.words == Parts::default() && set.classes == Parts::default() {
            return Err(format!("'{text}': no features at all"));
        }
        Ok(set)
    }
}

fn numbered_name(name: &str) -> Option<FeatureSet> {
    let number = name.strip_prefix(['S', 's'])?.parse().ok()?;
    FeatureSet::numbered(number)
}

fn complaint(text: &str, part: &str) -> String {
    format!(
        "'{text}': '{part}' is not understood; S1..S15, or parts joined by +: words, boundaries, \
         alignments, unaligned, context=N (0..{LARGEST_CONTEXT}), the same with class- before them, anova=1|2|<=2; \
         S7+classes has every part of S7 with words and with classes, S7/classes with classes only"
    )
}

impl FeatureSet {
    fn add_part(&mut self, part: &str) -> Option<()> {
        if let Some(degree) = part.strip_prefix("anova") {
            self.anova = match degree.strip_prefix('=').unwrap_or(degree) {
                "1" => Anova::One,
                "2" => Anova::Two,
                "<=2" | "1,2" => Anova::UpToTwo,
                _ => return None,
            };
            return Some(());
        }
        let (parts, name) = match part.strip_prefix("class-") {
            Some(rest) => (&mut self.classes, rest),
            None => (&mut self.words, part),
        };
        match name {
            "words" => parts.words = true,
            "boundaries" => parts.boundaries = true,
            "alignments" => parts.alignments = true,
            "unaligned" => parts.unaligned = true,
            _ => {
                let size = name.strip_prefix("context=")?.parse().ok()?;
                parts.context = Some(size).filter(|&size| size <= LARGEST_CONTEXT)?;
            }
        }
        Some(())
    }

    /// `S7`, or `S7+unaligned`, if that is what `parts` are.
    fn name_of(&self, parts: Parts) -> Option<String> {
        let printed = Parts {
            unaligned: false,
            ..parts
        };
        let number = (1..=15).find(|&number| {
            FeatureSet::numbered(number)
                .is_some_and(|named| named.words == printed && named.anova == self.anova)
        })?;
        let beyond = if parts.unaligned { "+unaligned" } else { "" };
        Some(format!("S{number}{beyond}"))
    }
}

impl Parts {
    /// What is in either; of two sizes of context the larger.
    fn with(self, other: Parts) -> Parts {
        Parts {
            words: self.words || other.words,
            boundaries: self.boundaries || other.boundaries,
            alignments: self.alignments || other.alignments,
            unaligned: self.unaligned || other.unaligned,
            context: self.context.max(other.context),
        }
    }

    fn names(&self, prefix: &str) -> Vec<String> {
        let flags = [
            (self.words, "words"),
            (self.boundaries, "boundaries"),
            (self.alignments, "alignments"),
            (self.unaligned, "unaligned"),
        ];
        let asked = flags.iter().filter(|(asked, _)| *asked);
        let mut names: Vec<String> = asked.map(|(_, name)| format!("{prefix}{name}")).collect();
        if self.context > 0 {
            names.push(format!("{prefix}context={}", self.context));
        }
        names
    }
}

impl fmt::Display for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = Parts::default();
        let (named, suffix) = match (self.words, self.classes) {
            (words, classes) if classes == none => (words, ""),
            (words, classes) if words == none => (classes, "/classes"),
            (words, classes) if words == classes => (words, "+classes"),
            _ => (none, ""),
        };
        if let Some(name) = self.name_of(named) {
            return write!(f, "{name}{suffix}");
        }
        let mut names = self.words.names("");
        names.extend(self.classes.names("class-"));
        match self.anova {
            Anova::One => {}
            Anova::Two => names.push("anova=2".into()),
            Anova::UpToTwo => names.push("anova=<=2".into()),
        }
        f.write_str(&names.join("+"))
    }
}

impl fmt::Display for ContextMarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ContextMarks::None => "none",
            ContextMarks::Side => "side",
            ContextMarks::Distance => "distance",
        })
    }
}

impl FromStr for ContextMarks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(ContextMarks::None),
            "side" => Ok(ContextMarks::Side),
            "distance" => Ok(ContextMarks::Distance),
            _ => Err(format!("'{text}' is none of none, side, distance")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_in_any_order() {
        let parsed = |text: &str| text.parse::<FeatureSet>().unwrap();
        assert_eq!(parsed("unaligned+S7"), parsed("S7+unaligned"));
        let both = parsed("alignments+class-words+classes");
        assert!(both.classes.words && both.classes.alignments && both.words.alignments);
        assert!(!both.words.words);
        let only = parsed("context=3+class-words/classes");
        assert!(only.classes.words && only.classes.context == 3);
        assert_eq!(only.words, Parts::default());
        assert!("S7+S9".parse::<FeatureSet>().is_err());
    }

    #[test]
    fn names_are_read_and_written() {
        for number in 1..=15 {
            let name = format!("S{number}");
            let set: FeatureSet = name.parse().unwrap();
            assert_eq!(set.to_string(), name);
            let unaligned = format!("{name}+unaligned");
            let set: FeatureSet = unaligned.parse().unwrap();
            assert!(set.words.unaligned);
            assert_eq!(set.to_string(), unaligned);
            for with in [
                "+classes",
                "/classes",
                "+unaligned+classes",
                "+unaligned/classes",
            ] {
                let with = format!("{name}{with}");
                let set: FeatureSet = with.parse().unwrap();
                assert!(set.needs_classes());
                assert_eq!(set.to_string(), with);
            }
        }
        let composed = "boundaries+alignments+unaligned+context=2+class-context=4+anova=<=2";
        let set: FeatureSet = composed.parse().unwrap();
        assert_eq!(set.to_string(), composed);
        let same: FeatureSet = "alignments+context=1".parse().unwrap();
        assert_eq!(same.to_string(), "S7");
    }

    #[test]
    fn bad_names_are_refused() {
        for bad in [
            "",
            "S0",
            "S16",
            "S",
            "words+",
            "context=16",
            "anova=3",
            "S7+S9",
            "context=0",
        ] {
            assert!(bad.parse::<FeatureSet>().is_err(), "{bad}");
        }
    }
}
