//! Word alignments in Pharaoh form: `0-0 1-2 2-1`, source position first, counted from 0.

use crate::{Lines, Result};
use std::path::Path;

/// One link between a source and a target position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// Position in the source sentence.
    pub source: u32,
    /// Position in the target sentence.
    pub target: u32,
}

/// Appends the links of a line to `into`, sorted by source then target, each once. The lengths
/// bound them; the error says which token is wrong.
pub fn parse(
    line: &str,
    source_length: usize,
    target_length: usize,
    into: &mut Vec<Link>,
) -> std::result::Result<(), String> {
    let start = into.len();
    let (mut sorted, mut last) = (true, None);
    for token in crate::tokens(line) {
        let link =
            parse_link(token).ok_or_else(|| format!("'{token}' is not a link such as 3-4"))?;
        if link.source as usize >= source_length {
            return Err(format!(
                "link {token} points outside the source sentence of {source_length} words"
            ));
        }
        if link.target as usize >= target_length {
            return Err(format!(
                "link {token} points outside the target sentence of {target_length} words"
            ));
        }
        sorted &= last.is_none_or(|last| last < link);
        last = Some(link);
        into.push(link);
    }
    if !sorted {
        into[start..].sort_unstable();
        let mut kept = start;
        for index in start..into.len() {
            if index == start || into[index] != into[kept - 1] {
                into[kept] = into[index];
                kept += 1;
            }
        }
        into.truncate(kept);
    }
    Ok(())
}

fn parse_link(token: &str) -> Option<Link> {
    let (source, rest) = parse_number(token.as_bytes())?;
    let (target, rest) = parse_number(rest.strip_prefix(b"-")?)?;
    rest.is_empty().then_some(Link { source, target })
}

/// One to nine digits (no sentence is longer), and what follows them.
#[inline]
fn parse_number(text: &[u8]) -> Option<(u32, &[u8])> {
    let (mut number, mut length) = (0, 0);
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0')) {
        if digit > 9 || length == 9 {
            break;
        }
        number = number * 10 + u32::from(digit);
        length += 1;
    }
    (length > 0).then(|| (number, &text[length..]))
}

/// Appends links as text, without a line end.
pub fn format(links: &[Link], into: &mut String) {
    use std::fmt::Write;
    for (index, link) in links.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        let _ = write!(into, "{space}{}-{}", link.source, link.target);
    }
}

/// The links of many sentences: those of sentence `i` are `links[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// Where each sentence begins, and where the last one ends.
    pub offsets: Vec<u64>,
    /// All links.
    pub links: Vec<Link>,
}

impl Default for Links {
    fn default() -> Self {
        Links {
            offsets: vec![0],
            links: Vec::new(),
        }
    }
}

impl Links {
    /// Reads a file; `lengths(i)` gives the source and target length of sentence `i`, or `None`
    /// where there is no such sentence.
    pub fn read(
        path: impl AsRef<Path>,
        lengths: impl Fn(usize) -> Option<(usize, usize)>,
    ) -> Result<Self> {
        let mut links = Links::default();
        let mut lines = Lines::open(path)?;
        loop {
            let number = lines.number();
            let Some(line) = lines.next_line()? else {
                break;
            };
            let outcome = match lengths(number as usize) {
                Some((source, target)) => parse(line, source, target, &mut links.links),
                None => Err(format!("{number} lines expected, as in the text")),
            };
            outcome.map_err(|message| lines.error(message))?;
            links.offsets.push(links.links.len() as u64);
        }
        let next = lines.number();
        if lengths(next as usize).is_some() {
            let message = "the file ends here, but the text has more lines";
            return Err(crate::Error::line(lines.path(), next, message));
        }
        Ok(links)
    }

    /// Adds the links of one sentence.
    pub fn push(&mut self, sentence: &[Link]) {
        self.links.extend_from_slice(sentence);
        self.offsets.push(self.links.len() as u64);
    }

    /// How many sentences.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The links of one sentence.
    pub fn sentence(&self, index: usize) -> &[Link] {
        &self.links[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn links(line: &str) -> std::result::Result<Vec<Link>, String> {
        let mut into = vec![Link {
            source: 9,
            target: 9,
        }];
        parse(line, 3, 4, &mut into)?;
        Ok(into.split_off(1))
    }

    #[test]
    fn sorted_and_each_once() {
        let found = links("2-0 0-1 0-1  0-0\t1-3 ").unwrap();
        let pairs: Vec<(u32, u32)> = found.iter().map(|l| (l.source, l.target)).collect();
        assert_eq!(pairs, [(0, 0), (0, 1), (1, 3), (2, 0)]);
        assert_eq!(links("").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for bad in [
            "1",
            "1-",
            "-1",
            "a-1",
            "1-2-3",
            "1–2",
            "+1-1",
            "9999999999-0",
            "1 - 2",
            "0p1",
        ] {
            assert!(links(bad).unwrap_err().contains("is not a link"), "{bad}");
        }
        let source = links("0-0 3-0").unwrap_err();
        assert_eq!(
            source,
            "link 3-0 points outside the source sentence of 3 words"
        );
        let target = links("0-4").unwrap_err();
        assert_eq!(
            target,
            "link 0-4 points outside the target sentence of 4 words"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_links_or_an_error(line in "[0-9 -]{0,20}|\\PC{0,10}") {
            let _ = links(&line);
        }

        #[test]
        fn written_links_are_read(pairs in prop::collection::btree_set((0u32..3, 0u32..4), 0..12)) {
            let sorted: Vec<Link> =
                pairs.into_iter().map(|(source, target)| Link { source, target }).collect();
            let mut line = String::new();
            format(&sorted, &mut line);
            prop_assert_eq!(links(&line).unwrap(), sorted);
        }
    }

    #[test]
    fn line_counts_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links");
        std::fs::write(&path, "0-0\n\n1-1\n").unwrap();
        let read = |count: usize| Links::read(&path, |i| (i < count).then_some((2, 2)));
        assert_eq!(
            read(3).unwrap().sentence(2),
            &[Link {
                source: 1,
                target: 1
            }]
        );
        let long = read(2).unwrap_err().to_string();
        assert!(
            long.ends_with("links: line 3: 2 lines expected, as in the text"),
            "{long}"
        );
        let short = read(4).unwrap_err().to_string();
        assert!(short.ends_with("links: line 3: the file ends here, but the text has more lines"));
    }
}
