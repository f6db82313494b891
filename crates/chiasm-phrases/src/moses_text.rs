//! Moses' text formats of extracted phrase pairs:
//! `source ||| target ||| links`, its inverse, and `source ||| target ||| orientations`.

use crate::alignment::Alignment;
use crate::class_set::ClassSet;
use crate::orientation::{Instance, Orientation, OrientationKind};
use crate::span::Span;

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
        self.text.extend_from_slice(&[0; 2 * BLOCK]);
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

    /// A phrase with everything behind it, and the phrase's length.
    #[inline]
    fn phrase(&self, span: Span) -> (&[u8], usize) {
        let bounds = &self.bounds[span.range()];
        let (first, last) = (bounds[0].0, bounds[bounds.len() - 1].1);
        (&self.text[first as usize..], (last - first) as usize)
    }
}

/// Why `|||` is refused.
pub(crate) fn separator_complaint() -> String {
    "the token ||| separates the columns of phrase tables and cannot stand in text".into()
}

/// A growing text that copies short pieces in blocks of fixed size: most phrases are shorter than
/// a block, and a block is two vector moves where a copy of any length is a call.
#[derive(Clone, Debug, Default)]
pub struct FastText {
    bytes: Vec<u8>,
    length: usize,
}

const BLOCK: usize = 32;

impl FastText {
    /// What was written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Forgets what was written, keeps the memory.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Room for `more` bytes and a block behind them.
    fn reserve(&mut self, more: usize) {
        let needed = self.length + more + BLOCK;
        if needed > self.bytes.len() {
            self.bytes.resize(needed.next_power_of_two(), 0);
        }
    }

    /// Appends `length` bytes of `padded`, which must be followed there by a block of anything.
    #[inline]
    fn push_padded(&mut self, padded: &[u8], length: usize) {
        let mut done = 0;
        loop {
            let (from, to) = (&padded[done..done + BLOCK], self.length + done);
            self.bytes[to..to + BLOCK].copy_from_slice(from);
            done += BLOCK;
            if done >= length {
                break;
            }
        }
        self.length += length;
    }

    #[inline]
    fn push<const N: usize>(&mut self, piece: &[u8; N]) {
        self.bytes[self.length..self.length + N].copy_from_slice(piece);
        self.length += N;
    }

    /// Appends what stands from `start` on in another text.
    #[inline]
    fn push_from(&mut self, other: &FastText, start: usize, length: usize) {
        self.push_padded(&other.bytes[start..], length);
    }

    fn push_link(&mut self, first: u32, second: u32) {
        if first < 10 && second < 10 {
            self.push(&[b'0' + first as u8, b'-', b'0' + second as u8, b' ']);
            return;
        }
        for (number, after) in [(first, b'-'), (second, b' ')] {
            for &digit in itoa::Buffer::new().format(number).as_bytes() {
                self.push(&[digit]);
            }
            self.push(&[after]);
        }
    }
}

/// The three files of one stretch of text, growing.
#[derive(Clone, Debug, Default)]
pub struct MosesText {
    /// `source ||| target ||| links`.
    pub direct: FastText,
    /// `target ||| source ||| links`.
    pub inverse: FastText,
    /// `source ||| target ||| orientations`.
    pub orientations: FastText,
}

const COLUMN: &[u8; 5] = b" ||| ";
/// A link of two numbers below 4096 with its separators.
const LONGEST_LINK: usize = 10;

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
        let spans = instance.spans;
        let (source, source_length) = source.phrase(spans.source);
        let (target, target_length) = target.phrase(spans.target);
        let links = alignment.links_of(spans.target);
        let columns = source_length + target_length + 2 * COLUMN.len();
        let most = columns + links * LONGEST_LINK + BLOCK;
        let (direct, inverse) = (&mut self.direct, &mut self.inverse);

        direct.reserve(most);
        let start = direct.length;
        direct.push_padded(source, source_length);
        direct.push(COLUMN);
        direct.push_padded(target, target_length);
        direct.push(COLUMN);
        self.orientations.reserve(most);
        self.orientations.push_from(direct, start, columns);
        let (orientation, length) = style.columns(instance);
        self.orientations.push_padded(orientation, length);
        self.orientations.push(b"\n");

        inverse.reserve(most);
        inverse.push_padded(target, target_length);
        inverse.push(COLUMN);
        inverse.push_padded(source, source_length);
        inverse.push(COLUMN);
        for position in spans.target.start..spans.target.end {
            let target_offset = position - spans.target.start;
            for &source in alignment.sources(position as usize) {
                direct.push_link(source - spans.source.start, target_offset);
                inverse.push_link(target_offset, source - spans.source.start);
            }
        }
        // The space after the last link becomes the end of the line.
        direct.bytes[direct.length - 1] = b'\n';
        inverse.bytes[inverse.length - 1] = b'\n';
    }
}

/// How the orientation column looks: the names of every pair of classes, ready to copy.
#[derive(Clone, Debug)]
pub struct OrientationStyle {
    columns: [[([u8; 2 * BLOCK], usize); 4]; 4],
}

impl OrientationStyle {
    /// `word` fills the first of the column's three parts, `phrase` the second, `hier` the third;
    /// after `word` alone the separators are left out.
    pub fn new(kind: OrientationKind, classes: ClassSet) -> Self {
        use Orientation::*;
        let all = [Monotone, Swap, DiscontinuousLeft, DiscontinuousRight];
        let finest = match classes {
            ClassSet::Msd | ClassSet::Monotonicity => classes,
            _ => ClassSet::Mslr,
        };
        let name = |orientation: Orientation| {
            let class = finest.class(orientation).unwrap_or_default();
            finest.moses_names()[class]
        };
        let columns = all.map(|backward| {
            all.map(|forward| {
                let names = format!("{} {}", name(backward), name(forward));
                let text = match kind {
                    OrientationKind::Word => names,
                    OrientationKind::Phrase => format!(" | {names} | "),
                    OrientationKind::Hier => format!(" |  | {names}"),
                };
                let mut padded = [0; 2 * BLOCK];
                padded[..text.len()].copy_from_slice(text.as_bytes());
                (padded, text.len())
            })
        });
        OrientationStyle { columns }
    }

    #[inline]
    fn columns(&self, instance: &Instance) -> (&[u8], usize) {
        let (padded, length) = &self.columns[instance.backward as usize][instance.forward as usize];
        (padded, *length)
    }
}
