//! From a list of n-grams to the trie of packed bits.

use crate::arpa::{NgramList, OrderList};
use crate::bits::BitWriter;
use crate::compact::{CODE_BITS, CODES, Compact, Layout, Level, layouts};
use crate::entry;
use crate::hash;
use crate::probing::Unigram;
use crate::quantise::CodeBook;
use crate::{Error, Result};
use std::collections::HashSet;

/// Codes of back-offs that mean something of their own.
const NO_EXTENSION_CODE: u8 = 0;
const ZERO_CODE: u8 = 1;
const RESERVED_CODES: usize = 2;

/// A trie of a complete list.
pub(crate) fn from_list(list: &NgramList) -> Result<Compact> {
    let counts: Vec<u64> = list.orders.iter().map(|order| order.len() as u64).collect();
    let mut levels = Vec::new();
    // The n-grams of the order below in suffix order; words are in the order of their numbers.
    let words = list.vocabulary.len();
    let unigram_at = unigram_places(&list.orders[0], words);
    let mut parents: Vec<u32> = unigram_at.clone();
    let mut starts_of_words = vec![0; words + 1];
    for (index, layout) in layouts(&counts).into_iter().enumerate() {
        let order = index + 2;
        let sorted = suffix_order(&list.orders[index + 1], order)?;
        let starts = child_starts(
            &list.orders[index],
            &parents,
            &list.orders[index + 1],
            &sorted,
            order,
        )?;
        if index == 0 {
            starts_of_words = starts;
        } else {
            write_level(&mut levels, list, index, &parents, Some(&starts))?;
        }
        levels.push(Level {
            layout,
            nodes: Vec::new().into(),
            values: Vec::new().into(),
        });
        parents = sorted;
    }
    if counts.len() > 1 {
        write_level(&mut levels, list, counts.len() - 1, &parents, None)?;
    }
    let contexts = list
        .orders
        .get(1)
        .map(|order| contexts(order, 2))
        .unwrap_or_default();
    let unigrams: Vec<Unigram> = (0..words)
        .map(|word| {
            let at = unigram_at[word] as usize;
            let has_children = starts_of_words[word] < starts_of_words[word + 1];
            let is_context = contexts.contains(&hash::ngram(&[word as u32]));
            let mut unigram = stored_unigram(&list.orders[0], at, has_children, is_context);
            if counts.len() == 1 {
                // In a model of order 1 no word is a context, whatever the file says.
                unigram.backoff = entry::NO_EXTENSION;
            }
            unigram
        })
        .collect();
    Ok(Compact {
        unigrams: unigrams.into(),
        children: starts_of_words.into(),
        levels,
    })
}

fn stored_unigram(list: &OrderList, at: usize, has_children: bool, is_context: bool) -> Unigram {
    let mut probability = entry::store_probability(list.probabilities[at]);
    let mut backoff = entry::store_backoff(list.backoffs[at]);
    if has_children {
        probability = entry::mark_left(probability);
    }
    if is_context {
        backoff = entry::mark_right(backoff);
    }
    Unigram {
        probability,
        backoff,
    }
}

/// Where in the list each word is.
fn unigram_places(list: &OrderList, words: usize) -> Vec<u32> {
    let mut places = vec![0; words];
    for (at, &word) in list.words.iter().enumerate() {
        places[word as usize] = at as u32;
    }
    places
}

/// The n-grams sorted from the last word to the first.
fn suffix_order(list: &OrderList, order: usize) -> Result<Vec<u32>> {
    let words = |&at: &u32| list.words[at as usize * order..][..order].iter().rev();
    let mut sorted: Vec<u32> = (0..list.len() as u32).collect();
    sorted.sort_unstable_by(|a, b| words(a).cmp(words(b)));
    if sorted
        .windows(2)
        .any(|pair| words(&pair[0]).eq(words(&pair[1])))
    {
        return Err(Error::Impossible(format!(
            "a {order}-gram is in the model twice"
        )));
    }
    Ok(sorted)
}

/// Where the children of each parent begin, and the number of children in all.
fn child_starts(
    shorter: &OrderList,
    parents: &[u32],
    list: &OrderList,
    sorted: &[u32],
    order: usize,
) -> Result<Vec<u32>> {
    let mut starts = Vec::with_capacity(parents.len() + 1);
    let mut child = 0;
    for &parent in parents {
        starts.push(child as u32);
        let suffix = &shorter.words[parent as usize * (order - 1)..][..order - 1];
        while sorted
            .get(child)
            .is_some_and(|&at| &list.words[at as usize * order + 1..][..order - 1] == suffix)
        {
            child += 1;
        }
    }
    starts.push(child as u32);
    if child != sorted.len() {
        return Err(Error::Impossible(format!(
            "a {order}-gram has no suffix in the model"
        )));
    }
    Ok(starts)
}

/// The hashes of the contexts of n-grams.
fn contexts(list: &OrderList, order: usize) -> HashSet<u64> {
    let grams = list.words.chunks_exact(order);
    grams
        .map(|words| hash::ngram(&words[..order - 1]))
        .collect()
}

/// Packs the nodes of the order at `index` (0 are words), whose level has been begun.
fn write_level(
    levels: &mut [Level],
    list: &NgramList,
    index: usize,
    sorted: &[u32],
    starts: Option<&[u32]>,
) -> Result<()> {
    let (order, grams) = (index + 1, &list.orders[index]);
    let layout = levels[index - 1].layout;
    let is_context = list
        .orders
        .get(index + 1)
        .map(|next| contexts(next, order + 1));
    let probabilities = CodeBook::new(grams.probabilities.iter().map(|p| p.abs()).collect(), CODES);
    let filled = grams
        .backoffs
        .iter()
        .copied()
        .filter(|&backoff| backoff != 0.0);
    let backoffs = CodeBook::new(filled.collect(), CODES - RESERVED_CODES);
    let mut writer = BitWriter::default();
    for (node, &at) in sorted.iter().enumerate() {
        let at = at as usize;
        let words = &grams.words[at * order..][..order];
        writer.push(u64::from(words[0]), layout.word);
        let code = probabilities.code(grams.probabilities[at].abs());
        writer.push(u64::from(code), CODE_BITS);
        if let (Some(starts), Some(is_context)) = (starts, &is_context) {
            let code = match grams.backoffs[at] {
                0.0 if is_context.contains(&hash::ngram(words)) => ZERO_CODE,
                0.0 => NO_EXTENSION_CODE,
                backoff => backoffs.code(backoff) + RESERVED_CODES as u8,
            };
            writer.push(u64::from(code), CODE_BITS);
            writer.push(u64::from(starts[node]), layout.children);
        }
    }
    if let Some(starts) = starts {
        push_last(&mut writer, layout, starts[sorted.len()]);
    }
    let mut values = vec![0.0; 2 * CODES];
    values[..probabilities.values().len()].copy_from_slice(probabilities.values());
    values[CODES + usize::from(NO_EXTENSION_CODE)] = entry::NO_EXTENSION;
    let start = CODES + RESERVED_CODES;
    values[start..start + backoffs.values().len()].copy_from_slice(backoffs.values());
    levels[index - 1].nodes = writer.finish().into();
    levels[index - 1].values = values.into();
    Ok(())
}

/// The node behind the last, which only ends its children.
fn push_last(writer: &mut BitWriter, layout: Layout, end: u32) {
    writer.push(0, layout.word);
    writer.push(0, 2 * CODE_BITS);
    writer.push(u64::from(end), layout.children);
}
