//! What was learned, in a file of its own: read in a moment where counting it again would take longer. It is derived from
//! pairs that lie elsewhere, so whatever is not as it should be is an error here and no loss.

use super::flat::Flat;
use super::index::{Counts, Index};
use super::ngrams::NGrams;
use super::phrases::Phrases;
use super::{Learned, Strengths, Words};
use crate::system::System;
use crate::{Error, Result};
use chiasm_store::{Container, Sections, Writer};
use std::path::Path;
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, KnownLayout};

const KIND: &str = "learned";

/// Of the layout, and of the way in which pairs are counted.
const VERSION: u32 = 1;

impl Learned {
    /// Writes it with `about`, by which whoever reads it knows what it was made of; the system must be in a file.
    pub fn save(&self, system: &System, about: &[u64], path: impl AsRef<Path>) -> Result<()> {
        let Some(fingerprint) = system.fingerprint() else {
            return Err(Error::Input("the system is in no file".into()));
        };
        let mut writer = Writer::create(path, KIND, VERSION)?;
        writer.array("system", &[fingerprint])?;
        writer.array("about", about)?;
        self.write_sections(&mut writer)?;
        Ok(writer.finish()?)
    }

    /// Writes it into a file of several parts.
    pub(crate) fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        let phrases = &self.phrases;
        for (name, words) in [
            ("source", &self.source_words),
            ("target", &self.target_words),
        ] {
            writer.bytes(
                &format!("{name}/new"),
                words.spellings.join("\n").as_bytes(),
            )?;
        }
        writer.array("text/source", &phrases.text.source)?;
        writer.array("text/target", &phrases.text.target)?;
        writer.array("text/links", &phrases.text.links)?;
        writer.array("text/places", &phrases.text.places)?;
        writer.array("sources", &phrases.sources)?;
        writer.array("sources/index", &phrases.source_index.slots)?;
        writer.array("targets", &phrases.targets)?;
        writer.array("targets/index", &phrases.target_index.slots)?;
        writer.array("pairs", &phrases.pairs)?;
        writer.array("pairs/index", &phrases.pair_index.slots)?;
        writer.array("orientations", &phrases.orientations)?;
        writer.array("whole/index", &phrases.whole.slots)?;
        writer.array("ngrams", &self.ngrams.nodes)?;
        writer.array("ngrams/index", &self.ngrams.index.slots)?;
        for (name, counts) in [
            ("lexicon", &phrases.lexicon),
            ("linked", &phrases.linked),
            ("neighbours", &self.neighbours),
        ] {
            writer.array(&format!("{name}/keys"), &counts.keys)?;
            writer.array(&format!("{name}/counts"), &counts.counts)?;
            writer.array(&format!("{name}/index"), &counts.index.slots)?;
        }
        Ok(())
    }

    /// Reads what [`save`](Learned::save) wrote for the same system, and what it said about it.
    pub fn open(
        system: &System,
        strengths: Strengths,
        path: impl AsRef<Path>,
    ) -> Result<(Self, Vec<u64>)> {
        let sections = Container::open(path)?.expect_kind(KIND, VERSION)?;
        let made_for = flat::<u64>(&sections, "system")?;
        if *system.fingerprint().as_slice() != *made_for {
            return Err(sections.corrupt("system", "is another one").into());
        }
        sections.verify_mapped()?;
        let learned = Self::from_sections(system, strengths, &sections)?;
        Ok((learned, flat(&sections, "about")?.to_vec()))
    }

    /// Reads what [`write_sections`](Learned::write_sections) wrote.
    pub(crate) fn from_sections(
        system: &System,
        strengths: Strengths,
        sections: &Sections,
    ) -> Result<Self> {
        let mut learned = Learned::new(system, strengths);
        learned.source_words.read(sections, "source/new")?;
        learned.target_words.read(sections, "target/new")?;
        learned.phrases.read(sections)?;
        let nodes = flat(sections, "ngrams")?;
        let grams = index(sections, "ngrams/index", nodes.len())?;
        learned.ngrams = NGrams::from_parts(nodes, grams)
            .ok_or_else(|| sections.corrupt("ngrams", "is no trie"))?;
        learned.neighbours = counts(sections, "neighbours")?;
        let text = &learned.phrases.text;
        if !learned.source_words.have(&text.source) || !learned.target_words.have(&text.target) {
            return Err(sections
                .corrupt("text", "names words that are not there")
                .into());
        }
        Ok(learned)
    }
}

impl Words {
    fn read(&mut self, sections: &Sections, name: &str) -> Result<()> {
        let spellings = sections.text(name)?.split('\n');
        let spellings = spellings.filter(|word| !word.is_empty());
        self.spellings = Arc::new(spellings.map(String::from).collect());
        let numbered = self.spellings.iter().cloned().zip(self.known..);
        self.numbers = numbered.collect();
        Ok(())
    }

    fn have(&self, text: &[u32]) -> bool {
        let end = self.known as usize + self.spellings.len();
        text.iter().all(|&word| (word as usize) < end)
    }
}

impl Phrases {
    fn read(&mut self, sections: &Sections) -> Result<()> {
        self.text.source = flat(sections, "text/source")?;
        self.text.target = flat(sections, "text/target")?;
        self.text.links = flat(sections, "text/links")?;
        self.text.places = flat(sections, "text/places")?;
        self.sources = flat(sections, "sources")?;
        self.source_index = index(sections, "sources/index", self.sources.len())?;
        self.targets = flat(sections, "targets")?;
        self.target_index = index(sections, "targets/index", self.targets.len())?;
        self.pairs = flat(sections, "pairs")?;
        self.pair_index = index(sections, "pairs/index", self.pairs.len())?;
        self.orientations = flat(sections, "orientations")?;
        self.whole = index(
            sections,
            "whole/index",
            self.text.places.len().saturating_sub(1),
        )?;
        self.lexicon = counts(sections, "lexicon")?;
        self.linked = counts(sections, "linked")?;
        match self.is_sound() {
            true => Ok(()),
            false => Err(sections.corrupt("pairs", "leads nowhere").into()),
        }
    }
}

fn flat<T: FromBytes + Immutable + KnownLayout>(
    sections: &Sections,
    name: &str,
) -> Result<Flat<T>> {
    Ok(Flat::from(sections.array(name)?))
}

fn index(sections: &Sections, name: &str, records: usize) -> Result<Index> {
    Index::from_slots(flat(sections, name)?, records)
        .ok_or_else(|| sections.corrupt(name, "is no index").into())
}

fn counts(sections: &Sections, name: &str) -> Result<Counts> {
    let keys = flat(sections, &format!("{name}/keys"))?;
    let counts = flat(sections, &format!("{name}/counts"))?;
    if counts.len() != keys.len() {
        return Err(sections.corrupt(name, "has not one count a key").into());
    }
    let index = index(sections, &format!("{name}/index"), keys.len())?;
    Ok(Counts {
        keys,
        counts,
        index,
    })
}
