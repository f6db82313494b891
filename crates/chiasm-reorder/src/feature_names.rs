//! Feature sets as people write them: `S7`, `S7+unaligned`, `boundaries+context=3+anova=<=2`.

use crate::features::{Anova, ContextMarks, FeatureSet, LARGEST_CONTEXT, Parts};
use std::fmt;
use std::str::FromStr;

impl FromStr for FeatureSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = text;
        let (text, replaced) = match (text.strip_suffix("/classes"), text.strip_suffix("/tags")) {
            (Some(rest), _) => (rest, View::Classes),
            (_, Some(rest)) => (rest, View::Tags),
            _ => (text, View::Words),
        };
        let mut set = FeatureSet::nothing();
        let (mut classes_beside, mut tags_beside) = (false, false);
        // A named set first, wherever it stands: the other parts add to it.
        let mut parts: Vec<&str> = text.split('+').collect();
        parts.sort_by_key(|part| numbered_name(part).is_none());
        for (place, part) in parts.into_iter().enumerate() {
            match part {
                "classes" => classes_beside = true,
                "tags" => tags_beside = true,
                "pair" => set.pair = true,
                "by-phrase" => set.by_phrase = true,
                _ => match numbered_name(part).filter(|_| place == 0) {
                    Some(named) => set = named,
                    None => set.add_part(part).ok_or_else(|| complaint(whole, part))?,
                },
            }
        }
        if classes_beside || replaced == View::Classes {
            set.classes = set.classes.with(set.words);
        }
        if tags_beside || replaced == View::Tags {
            set.tags = set.tags.with(set.words);
        }
        if replaced != View::Words {
            set.words = Parts::default();
        }
        if set.words.is_empty() && set.classes.is_empty() && set.tags.is_empty() && !set.pair {
            return Err(format!("'{whole}': no features at all"));
        }
        Ok(set)
    }
}

/// What parts are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Words,
    Classes,
    Tags,
}

fn numbered_name(name: &str) -> Option<FeatureSet> {
    let number = name.strip_prefix(['S', 's'])?.parse().ok()?;
    FeatureSet::numbered(number)
}

fn complaint(text: &str, part: &str) -> String {
    format!(
        "'{text}': '{part}' is not understood; S1..S15, or parts joined by +: words, boundaries, \
         alignments, unaligned, context=N (0..{LARGEST_CONTEXT}), the same with class- or tag- before them, pair, \
         by-phrase, anova=1|2|<=2|3|<=3; S7+classes has every part of S7 with words and with classes, S7/classes with \
         classes only, and so S7+tags and S7/tags with the tags of source words"
    )
}

impl FeatureSet {
    fn add_part(&mut self, part: &str) -> Option<()> {
        if let Some(degree) = part.strip_prefix("anova") {
            self.anova = match degree.strip_prefix('=').unwrap_or(degree) {
                "1" => Anova::One,
                "2" => Anova::Two,
                "<=2" | "1,2" => Anova::UpToTwo,
                "3" => Anova::Three,
                "<=3" | "1,2,3" => Anova::UpToThree,
                _ => return None,
            };
            return Some(());
        }
        let (parts, name) = match (part.strip_prefix("class-"), part.strip_prefix("tag-")) {
            (Some(rest), _) => (&mut self.classes, rest),
            (_, Some(rest)) => (&mut self.tags, rest),
            _ => (&mut self.words, part),
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

    /// `S7`, or `S7+unaligned`, if that is what `parts` are; products that no named set has stand behind it.
    fn name_of(&self, parts: Parts) -> Option<String> {
        let printed = Parts {
            unaligned: false,
            ..parts
        };
        let named = |anova: Anova| {
            (1..=15).find(|&number| {
                FeatureSet::numbered(number)
                    .is_some_and(|named| named.words == printed && named.anova == anova)
            })
        };
        let (number, products) = match self.anova {
            Anova::Three | Anova::UpToThree => (named(Anova::One)?, self.anova.text()),
            anova => (named(anova)?, ""),
        };
        let beyond = if parts.unaligned { "+unaligned" } else { "" };
        Some(format!("S{number}{products}{beyond}"))
    }
}

impl Anova {
    /// As a part of a name.
    fn text(self) -> &'static str {
        match self {
            Anova::One => "",
            Anova::Two => "+anova=2",
            Anova::UpToTwo => "+anova=<=2",
            Anova::Three => "+anova=3",
            Anova::UpToThree => "+anova=<=3",
        }
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
        let FeatureSet {
            words,
            classes,
            tags,
            ..
        } = *self;
        let own = [(self.pair, "+pair"), (self.by_phrase, "+by-phrase")];
        let own: String = own
            .iter()
            .filter(|part| part.0)
            .map(|part| part.1)
            .collect();
        let (named, suffix) = match (words == none, classes == none, tags == none) {
            (false, true, true) => (words, ""),
            (true, false, true) => (classes, "/classes"),
            (true, true, false) => (tags, "/tags"),
            (false, false, true) if words == classes => (words, "+classes"),
            (false, true, false) if words == tags => (words, "+tags"),
            (false, false, false) if words == classes && words == tags => (words, "+classes+tags"),
            _ => (none, ""),
        };
        if let Some(name) = self.name_of(named) {
            // What replaces the words of all parts is a suffix.
            return match suffix.starts_with('/') {
                true => write!(f, "{name}{own}{suffix}"),
                false => write!(f, "{name}{suffix}{own}"),
            };
        }
        let mut names = self.words.names("");
        names.extend(self.classes.names("class-"));
        names.extend(self.tags.names("tag-"));
        let all = format!("{}{}{own}", names.join("+"), self.anova.text());
        f.write_str(all.trim_start_matches('+'))
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
        for name in [
            "S7+tags",
            "S7/tags",
            "S12+unaligned/tags",
            "S7+classes+tags",
            "S10+anova=<=3",
            "S4+anova=3+unaligned+tags",
            "S4+pair",
            "S10+classes+pair+by-phrase",
            "pair",
            "words+tag-context=2+pair",
        ] {
            let set: FeatureSet = name.parse().unwrap();
            assert_eq!(set.to_string(), name);
            assert_eq!(set.needs_tags(), name.contains("tag"));
        }
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
            "anova=4",
            "by-phrase",
            "S7+S9",
            "context=0",
        ] {
            assert!(bad.parse::<FeatureSet>().is_err(), "{bad}");
        }
    }
}
