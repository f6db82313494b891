//! Operations as words of an n-gram model, which people can read, too.

use crate::moves::Move;
use crate::units::Act;
use std::fmt::Write;

/// The name of a move; no word pair has such a name, for theirs have arrows.
pub fn move_name(one: Move) -> String {
    match one {
        Move::Gap => "[gap]".into(),
        Move::Forward => "[forward]".into(),
        Move::Back(gap) => format!("[back{gap}]"),
    }
}

/// Writes the name of an act, with what the words of both sides are called.
pub fn act_name<W: AsRef<str>>(
    act: &Act,
    source: impl Fn(u32) -> W,
    target: impl Fn(u32) -> W,
    into: &mut String,
) {
    into.clear();
    match act {
        Act::Generate { sources, targets } => {
            join(sources, source, into);
            into.push('→');
            join(targets, target, into);
        }
        Act::Continue => into.push_str("[continue]"),
        Act::SourceOnly(word) => {
            let _ = write!(into, "{}→", source(*word).as_ref());
        }
        Act::TargetOnly(word) => {
            let _ = write!(into, "→{}", target(*word).as_ref());
        }
    }
}

fn join<W: AsRef<str>>(positions: &[u32], word: impl Fn(u32) -> W, into: &mut String) {
    for (number, &position) in positions.iter().enumerate() {
        if number > 0 {
            into.push('␣');
        }
        into.push_str(word(position).as_ref());
    }
}
