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
    inverse_links: Vec<u8>,
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
        self.inverse_links.clear();
        write_links(alignment, spans, &mut self.links, &mut self.inverse_links);

        let start = self.direct.len();
        append_line(&mut self.direct, [source, target, &self.links]);
        let columns_length = source.len() + target.len() + 2 * COLUMN.len();
        let columns = &self.direct[start..start + columns_length];
        append_line_end(&mut self.orientations, columns, style.columns(instance));
        append_line(&mut self.inverse, [target, source, &self.inverse_links]);
    }
}

const COLUMN: &[u8; 5] = b" ||| ";

/// Appends a line of three columns: one growth of the vector, then plain copies.
#[inline]
fn append_line(into: &mut Vec<u8>, [first, second, third]: [&[u8]; 3]) {
    let start = into.len();
    let length = first.len() + second.len() + third.len() + 2 * COLUMN.len() + 1;
    into.resize(start + length, b'\n');
    let (part, rest) = into[start..].split_at_mut(first.len());
    part.copy_from_slice(first);
    let (part, rest) = rest.split_at_mut(COLUMN.len());
    part.copy_from_slice(COLUMN);
    let (part, rest) = rest.split_at_mut(second.len());
    part.copy_from_slice(second);
    let (part, rest) = rest.split_at_mut(COLUMN.len());
    part.copy_from_slice(COLUMN);
    rest[..third.len()].copy_from_slice(third);
}

#[inline]
fn append_line_end(into: &mut Vec<u8>, columns: &[u8], last: &[u8]) {
    let start = into.len();
    into.resize(start + columns.len() + last.len() + 1, b'\n');
    let (part, rest) = into[start..].split_at_mut(columns.len());
    part.copy_from_slice(columns);
    rest[..last.len()].copy_from_slice(last);
}

/// The links inside a phrase pair, counted from its corner, by target then source; and the same
/// with the sides exchanged.
fn write_links(alignment: &Alignment, spans: &Spans, direct: &mut Vec<u8>, inverse: &mut Vec<u8>) {
    for target in spans.target_start..=spans.target_end {
        let target_offset = target - spans.target_start;
        for &source in alignment.sources(target as usize) {
            write_link(source - spans.source_start, target_offset, direct);
            write_link(target_offset, source - spans.source_start, inverse);
        }
    }
    // The space after the last one.
    direct.pop();
    inverse.pop();
}

#[inline]
fn write_link(first: u32, second: u32, into: &mut Vec<u8>) {
    if first < 10 && second < 10 {
        into.extend_from_slice(&[b'0' + first as u8, b'-', b'0' + second as u8, b' ']);
    } else {
        into.extend_from_slice(itoa::Buffer::new().format(first).as_bytes());
        into.push(b'-');
        into.extend_from_slice(itoa::Buffer::new().format(second).as_bytes());
        into.push(b' ');
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
