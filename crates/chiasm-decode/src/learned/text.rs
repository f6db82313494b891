//! The sentence pairs that were learned, as numbers: phrases are places in them.

use super::flat::Flat;
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
    pub source: Flat<u32>,
    pub target: Flat<u32>,
    /// Source and target positions in their sentences, sorted by source.
    pub links: Flat<[u32; 2]>,
    /// Where each pair begins, and where the last one ends.
    pub places: Flat<Place>,
}

impl Default for Text {
    fn default() -> Self {
        Text {
            source: Flat::default(),
            target: Flat::default(),
            links: Flat::default(),
            places: Flat::from(vec![Place::default()]),
        }
    }
}

impl Text {
    /// Is every place where something is?
    pub fn is_sound(&self) -> bool {
        let rising = self.places.windows(2).all(|pair| {
            pair[0].source <= pair[1].source
                && pair[0].target <= pair[1].target
                && pair[0].links <= pair[1].links
        });
        rising
            && self.places.first() == Some(&Place::default())
            && self.places.last() == Some(&self.end())
    }

    fn end(&self) -> Place {
        Place {
            source: self.source.len() as u32,
            target: self.target.len() as u32,
            links: self.links.len() as u32,
        }
    }

    pub fn len(&self) -> usize {
        self.places.len() - 1
    }

    /// Adds a pair; the result is where it begins.
    pub fn add(&mut self, source: &[u32], target: &[u32], links: &[Link]) -> Place {
        let begin = self.places[self.len()];
        self.source.own().extend_from_slice(source);
        self.target.own().extend_from_slice(target);
        let links = links.iter().map(|link| [link.source, link.target]);
        self.links.own().extend(links);
        let end = self.end();
        self.places.own().push(end);
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
