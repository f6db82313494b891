//! Gold links, sure and possible, after Och & Ney (2003).
//!
//! They ask annotators for sure links where a correspondence is unambiguous, and for possible ones where it is not, such
//! as function words that the other language lacks. Here:
//!
//! **Sure**: words that say the same leaf of the meaning. Where both languages take several words for it and these say the
//! same one by one, so are they linked (`did` and `not` to `deshita` and `masen`; `in`, `front` and `of` to `de`, `mae` and
//! `no`; `ka .` to `?`); where one word stands for several it is linked with all (`in front of` to أمام, `did not` to
//! لم). An ending that is a word in the other language counts (`she wrote` to كتبت; `the book` to الكتاب), and a
//! preposition that only English needs belongs to its verb.
//!
//! **Possible**: a word without a sure link may be linked with the words of its block. A block is a constituent of the
//! meaning, reduced to its head and its words of grammar:
//! - *noun phrase*: head noun, name or pronoun; article or demonstrative; the Japanese particle behind it (`wa`, `ga`,
//!   `o`, `ni`, `no`, the first word of a postposition), which marks all nouns that are joined by `and`; the Arabic
//!   adjectives that have ال themselves, and the superlative, which takes its place.
//! - *verb group* of a clause: verb, auxiliaries, negation, copula; without a full verb what is said of the subject.
//! - *fixed expression* (in the morning), postposition (`no chikaku de`) and connective: all its words.
//! - *numeral*, on which the Japanese counter and the `no` behind it lean.
//!
//! Some words only lean on a block: they may be linked with it, others not with them. `of` and `'s` lean on the owner; a
//! pronoun that is not said, a relative pronoun and the Arabic question word on the verb group of their clause; a
//! preposition or particle that a verb demands in one language alone on the verb group and on the noun phrase behind or
//! before it; a comma on the connective.
//!
//! Everything follows from the meaning.

use crate::meaning::{Id, NONE};
use crate::side::{Member, Side};

/// The links of a sentence pair; kept and cleared, so that no sentence allocates.
#[derive(Default, Debug)]
pub struct GoldLinks {
    /// Sure links, in the order of the source.
    pub sure: Vec<(u16, u16)>,
    /// Possible links that are not sure, in the order of the source.
    pub possible: Vec<(u16, u16)>,
    by_leaf: Vec<(Id, u16)>,
    members: Vec<Member>,
}

impl GoldLinks {
    /// Links two sides of a meaning.
    pub fn link(&mut self, source: &Side, target: &Side) {
        self.link_surely(source, target);
        self.link_possibly(source, target);
    }

    /// Every source word with every target word that says the same leaf.
    fn link_surely(&mut self, source: &Side, target: &Side) {
        self.sure.clear();
        self.by_leaf.clear();
        let leaves = target.leaves.iter().enumerate();
        self.by_leaf.extend(
            leaves
                .filter(|(_, leaf)| **leaf != NONE)
                .map(|(position, &leaf)| (leaf, position as u16)),
        );
        self.by_leaf.sort_unstable();
        for (position, &leaf) in source.leaves.iter().enumerate() {
            let start = self.by_leaf.partition_point(|&(other, _)| other < leaf);
            let same = self.by_leaf[start..]
                .iter()
                .take_while(|&&(other, _)| other == leaf);
            self.sure
                .extend(same.map(|&(_, target)| (position as u16, target)));
        }
    }

    /// Every word without a sure link with the core of its blocks.
    fn link_possibly(&mut self, source: &Side, target: &Side) {
        self.possible.clear();
        self.members.clear();
        self.members.extend_from_slice(&target.members);
        self.members.sort_unstable_by_key(|member| member.block);
        for one in &source.members {
            let free = !target.says(source.leaves[one.position as usize]);
            let start = self.members.partition_point(|m| m.block < one.block);
            for other in &self.members[start..] {
                if other.block != one.block {
                    break;
                }
                let other_free = !source.says(target.leaves[other.position as usize]);
                if free && other.core || other_free && one.core {
                    self.possible.push((one.position, other.position));
                }
            }
        }
        self.possible.sort_unstable();
        self.possible.dedup();
    }
}
