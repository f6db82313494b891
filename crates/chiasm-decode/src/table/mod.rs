//! The phrase table: a trie of source phrases over flat arrays, made to be memory-mapped.
//!
//! ```text
//! nodes     word, first child, first option; breadth first, so that a node's children and
//!           options end where the next node's begin; the last node is a sentinel
//! options   target phrase, link set; a node's options are neighbours
//! targets   target phrases, each stored once
//! links     sets of inner links, each stored once
//! scores    natural logarithms, one row an option: phrase scores, then reordering scores
//! ```
//! Nothing is checked when the file is opened; every read is, and names the section it failed in.

mod builder;
mod scores;

pub use builder::PhraseTableBuilder;
pub use scores::Precision;

use chiasm_phrases::PhraseLink;
use chiasm_store::{Array, Result, Sections, Writer};
use scores::ScoreMatrix;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A node of the trie of source phrases.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Node {
    word: u32,
    first_child: u32,
    first_option: u32,
}

/// One translation of a source phrase.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct OptionRecord {
    target: u32,
    links: u32,
}

/// A node of the trie: a source phrase or the beginning of one.
pub(crate) type NodeNumber = u32;

/// The empty source phrase, where every look-up begins.
pub(crate) const ROOT: NodeNumber = 0;

/// The phrase table of a system.
#[derive(Clone)]
pub struct PhraseTable {
    nodes: Array<Node>,
    options: Array<OptionRecord>,
    target_ends: Array<u32>,
    target_words: Array<u32>,
    link_ends: Array<u32>,
    link_pairs: Array<PhraseLink>,
    scores: ScoreMatrix,
    origin: Option<Sections>,
}

/// What is called with each source phrase and the range of its options.
pub type Visitor<'a, E> =
    dyn FnMut(&[u32], std::ops::Range<usize>) -> std::result::Result<(), E> + 'a;

/// One translation, read from the table.
#[derive(Clone, Copy, Debug)]
pub struct TableOption<'a> {
    /// The target words.
    pub target: &'a [u32],
    /// Inner links.
    pub links: &'a [PhraseLink],
}

impl PhraseTable {
    /// Reads what [`PhraseTable::write_sections`] wrote.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        Ok(PhraseTable {
            nodes: sections.array("nodes")?,
            options: sections.array("options")?,
            target_ends: sections.array("target-ends")?,
            target_words: sections.array("target-words")?,
            link_ends: sections.array("link-ends")?,
            link_pairs: sections.array("links")?,
            scores: ScoreMatrix::from_sections(sections)?,
            origin: Some(sections.clone()),
        })
    }

    /// Writes the table's sections.
    pub fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        writer.array("nodes", &self.nodes)?;
        writer.array("options", &self.options)?;
        writer.array("target-ends", &self.target_ends)?;
        writer.array("target-words", &self.target_words)?;
        writer.array("link-ends", &self.link_ends)?;
        writer.array("links", &self.link_pairs)?;
        self.scores.write_sections(writer)
    }

    fn corrupt(&self, section: &str) -> chiasm_store::Error {
        let reason = "damaged: it points outside";
        match &self.origin {
            Some(sections) => sections.corrupt(section, reason),
            None => chiasm_store::Error::corrupt("phrase table", format!("{section}: {reason}")),
        }
    }

    /// How many phrase pairs.
    pub fn len(&self) -> usize {
        self.options.len()
    }

    /// No phrase pair?
    pub fn is_empty(&self) -> bool {
        self.options.is_empty()
    }

    /// How many nodes the trie of source phrases has.
    pub fn source_nodes(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// How many different target phrases.
    pub fn target_phrases(&self) -> usize {
        self.target_ends.len()
    }

    /// Scores a phrase pair has.
    pub fn columns(&self) -> usize {
        self.scores.columns()
    }

    /// How scores are stored.
    pub fn precision(&self) -> Precision {
        self.scores.precision()
    }

    /// The node of `parent`'s phrase with `word` added.
    pub(crate) fn child(&self, parent: NodeNumber, word: u32) -> Result<Option<NodeNumber>> {
        let (start, end) = self.range(parent, |node| node.first_child)?;
        let children = self
            .nodes
            .get(start..end)
            .filter(|_| start > parent as usize || start == end)
            .ok_or_else(|| self.corrupt("nodes"))?;
        let found = children.binary_search_by_key(&word, |node| node.word);
        Ok(found.ok().map(|offset| (start + offset) as NodeNumber))
    }

    /// The children of a node with their words.
    pub(crate) fn children(&self, parent: NodeNumber) -> Result<Vec<(u32, NodeNumber)>> {
        let (start, end) = self.range(parent, |node| node.first_child)?;
        let children = self
            .nodes
            .get(start..end)
            .filter(|_| start > parent as usize || start == end)
            .ok_or_else(|| self.corrupt("nodes"))?;
        Ok(children
            .iter()
            .enumerate()
            .map(|(offset, node)| (node.word, (start + offset) as NodeNumber))
            .collect())
    }

    /// The options of a node's phrase.
    pub(crate) fn options(&self, node: NodeNumber) -> Result<std::ops::Range<usize>> {
        let (start, end) = self.range(node, |node| node.first_option)?;
        if end > self.options.len() {
            return Err(self.corrupt("nodes"));
        }
        Ok(start..end)
    }

    fn range(&self, node: NodeNumber, field: impl Fn(&Node) -> u32) -> Result<(usize, usize)> {
        let index = node as usize;
        match (self.nodes.get(index), self.nodes.get(index + 1)) {
            (Some(this), Some(next)) if field(this) <= field(next) => {
                Ok((field(this) as usize, field(next) as usize))
            }
            _ => Err(self.corrupt("nodes")),
        }
    }

    /// Target words and links of an option.
    pub fn option(&self, option: usize) -> Result<TableOption<'_>> {
        let record = self
            .options
            .get(option)
            .ok_or_else(|| self.corrupt("options"))?;
        let target = slice(&self.target_ends, &self.target_words, record.target)
            .ok_or_else(|| self.corrupt("target-ends"))?;
        let links = slice(&self.link_ends, &self.link_pairs, record.links)
            .ok_or_else(|| self.corrupt("link-ends"))?;
        Ok(TableOption { target, links })
    }

    /// All scores of an option, as many as `into` has room for.
    pub fn scores(&self, option: usize, into: &mut [f32]) -> Result<()> {
        self.scores
            .read(option, into)
            .ok_or_else(|| self.corrupt("codes"))
    }

    /// The options of a source phrase.
    pub fn find(&self, source: &[u32]) -> Result<std::ops::Range<usize>> {
        let mut node = ROOT;
        for &word in source {
            match self.child(node, word)? {
                Some(child) => node = child,
                None => return Ok(0..0),
            }
        }
        self.options(node)
    }

    /// Calls `visit` with every source phrase and its options, in trie order.
    pub fn visit<E: From<chiasm_store::Error>>(
        &self,
        visit: &mut Visitor<'_, E>,
    ) -> std::result::Result<(), E> {
        self.visit_node(ROOT, &mut Vec::new(), visit)
    }

    fn visit_node<E: From<chiasm_store::Error>>(
        &self,
        node: NodeNumber,
        phrase: &mut Vec<u32>,
        visit: &mut Visitor<'_, E>,
    ) -> std::result::Result<(), E> {
        let options = self.options(node)?;
        if !options.is_empty() {
            visit(phrase, options)?;
        }
        // A damaged file must not make the recursion deep.
        if phrase.len() > usize::from(u8::MAX) {
            return Err(self.corrupt("nodes").into());
        }
        for (word, child) in self.children(node)? {
            phrase.push(word);
            self.visit_node(child, phrase, visit)?;
            phrase.pop();
        }
        Ok(())
    }
}

fn slice<'a, T>(ends: &[u32], values: &'a [T], index: u32) -> Option<&'a [T]> {
    let index = index as usize;
    let end = *ends.get(index)? as usize;
    let start = if index == 0 {
        0
    } else {
        ends[index - 1] as usize
    };
    values.get(start..end)
}
