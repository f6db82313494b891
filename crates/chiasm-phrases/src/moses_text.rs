//! Moses' text formats of extracted phrase pairs:
//! `source ||| target ||| links`, its inverse, and `source ||| target ||| orientations`.

use crate::alignment::Alignment;
use crate::extraction::Spans;
use crate::orientation::{ClassSet, Instance, OrientationKind};

/// What separates the columns; a token of this form cannot stand in text.
pub const SEPARATOR: &str = "|||";

/// A line with single spaces and the place of every token, so that a phrase is one slice.
#[derive(Clone, Debug, Default)]
pub struct TokenLine {
    text: Vec<u8>,
    bounds: Vec<(u32, u32)>,
}

impl TokenLine {
    /// Takes a line. The error says why it cannot be a line of a phrase table.
    pub fn load(&mut self, line: &str) -> Result<(), String> {
        self.text.clear();
        self.bounds.clear();
        for token in chiasm_text::tokens(line) {
            if token == SEPARATOR {
                return Err(separator_complaint());
            }
            if !self.text.is_empty() {
                self.text.push(b' ');
            }
            let start = self.text.len() as u32;
            self.text.extend_from_slice(token.as_bytes());
            self.bounds.push((start, self.text.len() as u32));
        }
        Ok(())
    }

    /// How many tokens.
    pub fn len(&self) -> usize {
        self.bounds.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    #[inline]
    fn phrase(&self, start: u32, end: u32) -> &[u8] {
        let (first, last) = (self.bounds[start as usize].0, self.bounds[end as usize].1);
        &self.text[first as usize..last as usize]
    }
}

/// Why `|||` is refused.
pub(crate) fn separator_complaint() -> String {
    "the token ||| separates the columns of phrase tables and cannot stand in text".into()
}

/// The three files of one stretch of text, growing.
#[derive(Clone, Debug, Default)]
pub struct MosesText {
    /// `source ||| target ||| links`.
    pub direct: Vec<u8>,
    /// `target ||| source ||| links`.
    pub inverse: Vec<u8>,
    /// `source ||| target ||| orientations`.
    pub orientations: Vec<u8>,
    links: Vec<u8>,
}

impl MosesText {
    /// Forgets what was written, keeps the memory.
    pub fn clear(&mut self) {
        self.direct.clear();
        self.inverse.clear();
        self.orientations.clear();
    }

    /// Adds one phrase pair to the three files.
    pub fn push(
        &mut self,
        instance: &Instance,
        alignment: &Alignment,
        source: &TokenLine,
        target: &TokenLine,
        style: &OrientationStyle,
    ) {
        let spans = &instance.spans;
        let source = source.phrase(spans.source_start, spans.source_end);
        let target = target.phrase(spans.target_start, spans.target_end);
        self.links.clear();
        write_links(alignment, spans, &mut self.links);

        let start = self.direct.len();
        append(&mut self.direct, &[source, b" ||| ", target, b" ||| "]);
        let columns_end = self.direct.len();
        append(&mut self.direct, &[&self.links, b"\n"]);
        let columns = &self.direct[start..columns_end];
        append(
            &mut self.orientations,
            &[columns, style.columns(instance), b"\n"],
        );

        swap_links(&mut self.links);
        append(
            &mut self.inverse,
            &[target, b" ||| ", source, b" ||| ", &self.links, b"\n"],
        );
    }
}

/// One reservation for all pieces.
#[inline]
fn append(into: &mut Vec<u8>, pieces: &[&[u8]]) {
    into.reserve(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        into.extend_from_slice(piece);
    }
}

/// The links inside a phrase pair, counted from its corner, by target then source.
fn write_links(alignment: &Alignment, spans: &Spans, into: &mut Vec<u8>) {
    for target in spans.target_start..=spans.target_end {
        for &source in alignment.sources(target as usize) {
            if !into.is_empty() {
                into.push(b' ');
            }
            write_number(source - spans.source_start, into);
            into.push(b'-');
            write_number(target - spans.target_start, into);
        }
    }
}

#[inline]
fn write_number(number: u32, into: &mut Vec<u8>) {
    if number < 10 {
        into.push(b'0' + number as u8);
    } else {
        into.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
}

/// Exchanges the sides of every link in place: `1-0 3-12` becomes `0-1 12-3`.
fn swap_links(links: &mut [u8]) {
    for link in links.split_mut(|&byte| byte == b' ') {
        if let [_, b'-', _] = link {
            link.swap(0, 2);
        } else if let Some(hyphen) = link.iter().position(|&byte| byte == b'-') {
            // Reverse the whole, then each number.
            let length = link.len();
            link.reverse();
            let (second, first) = link.split_at_mut(length - hyphen - 1);
            second.reverse();
            first[1..].reverse();
        }
    }
}

/// How the orientation column looks: the names of every pair of classes, ready to copy.
#[derive(Clone, Debug)]
pub struct OrientationStyle {
    columns: [[Vec<u8>; 4]; 4],
}

impl OrientationStyle {
    /// `word` fills the first of the column's three parts, `phrase` the second, `hier` the third;
    /// after `word` alone the separators are left out.
    pub fn new(kind: OrientationKind, classes: ClassSet) -> Self {
        use crate::orientation::Orientation::*;
        let all = [Monotone, Swap, DiscontinuousLeft, DiscontinuousRight];
        let finest = if classes == ClassSet::LeftRight {
            ClassSet::Mslr
        } else {
            classes
        };
        let name = |orientation| finest.moses_names()[finest.class(orientation)];
        let columns = all.map(|backward| {
            all.map(|forward| {
                let names = format!("{} {}", name(backward), name(forward));
                match kind {
                    OrientationKind::Word => names,
                    OrientationKind::Phrase => format!(" | {names} | "),
                    OrientationKind::Hier => format!(" |  | {names}"),
                }
                .into_bytes()
            })
        });
        OrientationStyle { columns }
    }

    #[inline]
    fn columns(&self, instance: &Instance) -> &[u8] {
        &self.columns[instance.backward as usize][instance.forward as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_change_sides() {
        let mut links = b"1-0 3-12 10-2 11-10".to_vec();
        swap_links(&mut links);
        assert_eq!(links, b"0-1 12-3 2-10 10-11");
        swap_links(&mut []);
    }
}
