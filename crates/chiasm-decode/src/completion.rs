//! How a translation goes on from the beginning that somebody has typed.
//!
//! What was typed need not be anything that the search looked at: among all paths of a word graph the one is taken whose
//! beginning is nearest to it, word edits and model score weighed against each other (Barrachina et al. 2009, "Statistical
//! approaches to computer-assisted translation", section 3.2). So there is always an answer.

use crate::word_graph::WordGraph;
use hashbrown::HashMap;
use serde::Serialize;

/// What leaving out, adding or replacing a word costs, in units of the model score. Chosen on development sets by how often
/// the next word is right (docs/adaptation.md).
const EDIT: f32 = 16.0;

/// What capitals in other places cost, as a share of an edit.
const OTHER_CASE: f32 = 0.01;

/// What follows the beginning of a translation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Completion {
    /// The last word that was typed, whole, if it was half typed and some path knows how it goes on.
    pub finished: Option<String>,
    /// The words after it.
    pub words: Vec<String>,
}

/// A place on an arc: before its word `word`.
#[derive(Clone, Copy)]
struct Place {
    arc: usize,
    word: usize,
}

/// The best way found so far.
struct Best {
    score: f32,
    /// Where the completion begins; `None`: all is said.
    place: Option<Place>,
    finished: Option<Place>,
}

/// For every number of typed words, the best score of saying them on the way to a place.
#[derive(Clone)]
struct Row {
    scores: Vec<f32>,
    /// The word that finishes the last typed one, if that is how it was said.
    finished: Option<Place>,
}

impl Row {
    fn nothing(typed: usize) -> Self {
        Row {
            scores: vec![f32::NEG_INFINITY; typed + 1],
            finished: None,
        }
    }

    fn all_said(&self) -> f32 {
        self.scores.last().copied().unwrap_or(f32::NEG_INFINITY)
    }

    /// Words may be typed that no path says.
    fn allow_additions(&mut self) {
        let last = self.scores.len() - 1;
        for typed in 1..=last {
            let added = self.scores[typed - 1] - EDIT;
            if added > self.scores[typed] {
                self.scores[typed] = added;
                if typed == last {
                    self.finished = None;
                }
            }
        }
    }

    fn take_better(&mut self, other: &Row, more: f32) {
        let last = self.scores.len() - 1;
        for (typed, (mine, theirs)) in self.scores.iter_mut().zip(&other.scores).enumerate() {
            if theirs + more > *mine {
                *mine = theirs + more;
                if typed == last {
                    self.finished = other.finished;
                }
            }
        }
    }
}

impl WordGraph {
    /// How the graph goes on after `typed`; the last of these words may be `half` typed.
    pub fn complete(&self, typed: &[String], half: bool) -> Completion {
        match self.best_way(typed, half) {
            Some(best) => self.completion(&best),
            None => Completion::default(),
        }
    }

    fn best_way(&self, typed: &[String], half: bool) -> Option<Best> {
        if self.nodes == 0 {
            return None;
        }
        let costs = Costs::new(self, typed, half);
        let (rest, _) = self.rests();
        let mut rows = vec![Row::nothing(typed.len()); self.nodes as usize];
        rows[0].scores[0] = 0.0;
        let mut best = Best {
            score: f32::NEG_INFINITY,
            place: None,
            finished: None,
        };
        let mut closed = 0;
        for (number, arc) in self.arcs.iter().enumerate() {
            // Arcs are sorted by where they come from and go to higher numbers, so nothing more arrives here.
            while closed <= arc.from as usize {
                rows[closed].allow_additions();
                closed += 1;
            }
            let mut row = rows[arc.from as usize].clone();
            let after = arc.score + rest[arc.to as usize];
            for word in 0..arc.words.len() {
                let place = Place { arc: number, word };
                best.offer(row.all_said() + after, Some(place), row.finished);
                row = costs.say(&row, place);
            }
            rows[arc.to as usize].take_better(&row, arc.score);
        }
        let last = rows.len() - 1;
        rows[last].allow_additions();
        best.offer(rows[last].all_said(), None, rows[last].finished);
        Some(best)
    }

    /// For each node the best score from it to the end, and the arc that leads there.
    fn rests(&self) -> (Vec<f32>, Vec<usize>) {
        let nodes = self.nodes as usize;
        let (mut rest, mut next) = (vec![f32::NEG_INFINITY; nodes], vec![usize::MAX; nodes]);
        rest[nodes - 1] = 0.0;
        for (number, arc) in self.arcs.iter().enumerate().rev() {
            let score = arc.score + rest[arc.to as usize];
            if score >= rest[arc.from as usize] {
                (rest[arc.from as usize], next[arc.from as usize]) = (score, number);
            }
        }
        (rest, next)
    }

    fn completion(&self, best: &Best) -> Completion {
        let (_, next) = self.rests();
        let mut words = Vec::new();
        if let Some(place) = best.place {
            let mut arc = &self.arcs[place.arc];
            words.extend_from_slice(&arc.words[place.word..]);
            while let Some(following) = self.arcs.get(next[arc.to as usize]) {
                words.extend_from_slice(&following.words);
                arc = following;
            }
        }
        let finished = best
            .finished
            .map(|place| self.arcs[place.arc].words[place.word].clone());
        Completion { finished, words }
    }
}

impl Best {
    fn offer(&mut self, score: f32, place: Option<Place>, finished: Option<Place>) {
        if score > self.score {
            *self = Best {
                score,
                place,
                finished,
            };
        }
    }
}

/// What it costs to read each typed word as each word of the graph.
struct Costs<'a> {
    graph: &'a WordGraph,
    /// A row of costs for each distinct word.
    rows: HashMap<&'a str, Vec<f32>>,
    half: bool,
}

impl<'a> Costs<'a> {
    fn new(graph: &'a WordGraph, typed: &[String], half: bool) -> Self {
        let mut rows: HashMap<&str, Vec<f32>> = HashMap::new();
        for word in graph.arcs.iter().flat_map(|arc| &arc.words) {
            rows.entry(word).or_insert_with(|| {
                let costs = typed.iter().enumerate().map(|(number, typed_word)| {
                    let last = number + 1 == typed.len();
                    match half && last {
                        true if word.starts_with(typed_word.as_str()) => 0.0,
                        true if continues(typed_word, word) => EDIT * OTHER_CASE,
                        _ => EDIT * difference(typed_word, word),
                    }
                });
                costs.collect()
            });
        }
        Costs { graph, rows, half }
    }

    /// The row after the path has said one word more.
    fn say(&self, before: &Row, place: Place) -> Row {
        let word = self.graph.arcs[place.arc].words[place.word].as_str();
        let costs = &self.rows[word];
        let mut after = Row {
            scores: before.scores.iter().map(|score| score - EDIT).collect(),
            finished: before.finished,
        };
        let last = costs.len();
        for (number, cost) in costs.iter().enumerate() {
            let read = before.scores[number] - cost;
            if read > after.scores[number + 1] {
                after.scores[number + 1] = read;
                if number + 1 == last {
                    let finishes = self.half && *cost <= EDIT * OTHER_CASE;
                    after.finished = finishes.then_some(place);
                }
            }
        }
        after.allow_additions();
        after
    }
}

/// Does the word go on from what was typed, but for capitals? A translation begins with one, its first word may not.
fn continues(typed: &str, word: &str) -> bool {
    let mut letters = word.chars().flat_map(char::to_lowercase);
    let mut typed = typed.chars().flat_map(char::to_lowercase);
    typed.all(|letter| letters.next() == Some(letter))
}

/// How much two words differ, from 0 to 1: edits of letters by the longer one's length.
fn difference(a: &str, b: &str) -> f32 {
    if a == b {
        return 0.0;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()] as f32 / a.len().max(b.len()).max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word_graph::GraphArc;
    use proptest::prelude::*;

    fn arc(from: u32, to: u32, words: &str, score: f32) -> GraphArc {
        GraphArc {
            from,
            to,
            source: chiasm_phrases::Span::new(0, 1),
            words: words
                .split(' ')
                .filter(|w| !w.is_empty())
                .map(String::from)
                .collect(),
            links: Vec::new(),
            unknown: false,
            score,
            posterior: 0.0,
        }
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn goes_on_where_the_typed_words_end() {
        let graph = WordGraph {
            nodes: 4,
            arcs: vec![
                arc(0, 1, "the house", -1.0),
                arc(0, 2, "a house", -2.0),
                arc(1, 3, "is small", -1.0),
                arc(2, 3, "was little", -1.0),
            ],
        };
        let said = |typed: &str, half| {
            let found = graph.complete(&words(typed), half);
            (found.finished, found.words.join(" "))
        };
        assert_eq!(said("", false), (None, "the house is small".into()));
        assert_eq!(said("the", false), (None, "house is small".into()));
        assert_eq!(said("a", false), (None, "house was little".into()));
        assert_eq!(
            said("the ho", true),
            (Some("house".into()), "is small".into())
        );
        assert_eq!(
            said("a house", true),
            (Some("house".into()), "was little".into())
        );
        assert_eq!(
            said("The HOU", true),
            (Some("house".into()), "is small".into())
        );
        assert_eq!(said("the hut", false).1, "is small");
        assert_eq!(said("the house is small", false), (None, String::new()));
        assert_eq!(said("ζ ζ ζ ζ ζ ζ ζ ζ", false).0, None);
    }

    /// All ways of all paths, one by one.
    fn slow(graph: &WordGraph, typed: &[String], half: bool) -> f32 {
        fn paths(
            graph: &WordGraph,
            node: u32,
            said: &mut Vec<String>,
            score: f32,
            out: &mut Vec<(Vec<String>, f32)>,
        ) {
            if node + 1 == graph.nodes {
                out.push((said.clone(), score));
            }
            for arc in graph.arcs.iter().filter(|arc| arc.from == node) {
                let length = said.len();
                said.extend_from_slice(&arc.words);
                paths(graph, arc.to, said, score + arc.score, out);
                said.truncate(length);
            }
        }
        fn edits(typed: &[String], said: &[String], half: bool) -> f32 {
            match (typed, said) {
                ([], []) => 0.0,
                ([], said) => EDIT * said.len() as f32,
                (typed, []) => EDIT * typed.len() as f32,
                ([first, typed_rest @ ..], [word, said_rest @ ..]) => {
                    let same = half && typed_rest.is_empty() && word.starts_with(first.as_str());
                    let read = if same {
                        0.0
                    } else {
                        EDIT * difference(first, word)
                    };
                    (read + edits(typed_rest, said_rest, half))
                        .min(EDIT + edits(typed, said_rest, half))
                        .min(EDIT + edits(typed_rest, said, half))
                }
            }
        }
        let mut all = Vec::new();
        paths(graph, 0, &mut Vec::new(), 0.0, &mut all);
        let ways = all.iter().flat_map(|(said, score)| {
            (0..=said.len()).map(move |cut| score - edits(typed, &said[..cut], half))
        });
        ways.fold(f32::NEG_INFINITY, f32::max)
    }

    proptest! {
        #[test]
        fn the_way_taken_is_the_best_of_all(
            arcs in prop::collection::vec((0u32..4, 1u32..4, prop::collection::vec("[ab]{1,2}", 0..3), -3.0f32..0.0), 1..8),
            typed in prop::collection::vec("[abc]{1,2}", 0..4),
            half in any::<bool>(),
        ) {
            let mut graph = WordGraph { nodes: 5, arcs: vec![arc(0, 4, "ab ba", -4.0)] };
            for (from, step, said, score) in arcs {
                graph.arcs.push(arc(from, (from + step).min(4), &said.join(" "), score));
            }
            graph.arcs.sort_by_key(|arc| (arc.from, arc.to));
            let found = graph.complete(&typed, half);
            // The completion is the end of some path, and what was typed before it costs what the best way costs.
            let expected = slow(&graph, &typed, half);
            let score = graph.best_way(&typed, half).map_or(f32::NAN, |best| best.score);
            prop_assert!((score - expected).abs() < 1e-3, "{} {}", score, expected);
            if let Some(word) = found.finished {
                prop_assert!(continues(typed.last().unwrap(), &word));
            }
        }
    }
}
