//! The sentence pairs that were learned, as numbers: phrases are places in them.

use chiasm_phrases::PhraseLink;
use chiasm_text::Link;
use std::ops::Range;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Where a pair begins: in the source words, the target words, the links.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Place {
    pub source: u32,
    pub target: u32,
    pub links: u32,
}

/// All pairs, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub source: Vec<u32>,
    pub target: Vec<u32>,
    /// Source and target positions in their sentences, sorted by source.
    pub links: Vec<[u32; 2]>,
    /// Where each pair begins, and where the last one ends.
    pub places: Vec<Place>,
}

impl Default for Text {
    fn default() -> Self {
        Text {
            source: Vec::new(),
            target: Vec::new(),
            links: Vec::new(),
            places: vec![Place::default()],
        }
    }
}

impl Text {
    /// Is every place where something is?
    pub fn is_sound(&self) -> bool {
        let end = Place {
            source: self.source.len() as u32,
            target: self.target.len() as u32,
            links: self.links.len() as u32,
        };
        let rising = self.places.windows(2).all(|pair| {
            pair[0].source <= pair[1].source
                && pair[0].target <= pair[1].target
                && pair[0].links <= pair[1].links
        });
        rising && self.places.first() == Some(&Place::default()) && self.places.last() == Some(&end)
    }

    pub fn len(&self) -> usize {
        self.places.len() - 1
    }

    /// Adds a pair; the result is where it begins.
    pub fn add(&mut self, source: &[u32], target: &[u32], links: &[Link]) -> Place {
        let begin = self.places[self.len()];
        self.source.extend_from_slice(source);
        self.target.extend_from_slice(target);
        let links = links.iter().map(|link| [link.source, link.target]);
        self.links.extend(links);
        self.places.push(Place {
            source: self.source.len() as u32,
            target: self.target.len() as u32,
            links: self.links.len() as u32,
        });
        begin
    }

    /// The words of a pair.
    pub fn pair(&self, number: usize) -> (Range<usize>, Range<usize>) {
        let (begin, end) = (self.places[number], self.places[number + 1]);
        (
            begin.source as usize..end.source as usize,
            begin.target as usize..end.target as usize,
        )
    }

    /// The links between two stretches of one pair, counted from where these begin.
    pub fn links(&self, source: Range<usize>, target: Range<usize>) -> Vec<PhraseLink> {
        let after = |place: &Place| place.source as usize <= source.start;
        let number = self.places.partition_point(after).saturating_sub(1);
        let Some(end) = self.places.get(number + 1) else {
            return Vec::new();
        };
        let begin = self.places[number];
        let links = &self.links[begin.links as usize..end.links as usize];
        let inside = links.iter().filter_map(|link| {
            let (i, j) = (
                begin.source as usize + link[0] as usize,
                begin.target as usize + link[1] as usize,
            );
            let within = source.contains(&i) && target.contains(&j);
            within.then(|| PhraseLink::new((i - source.start) as u8, (j - target.start) as u8))
        });
        inside.collect()
    }
}
