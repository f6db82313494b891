//! The translations that a search looked at, as a graph whose arcs are phrases: for those who complete, correct or rescore.

use crate::Result;
use crate::model::LogLinear;
use crate::options::{Origin, SentenceOptions};
use crate::search::{Chart, NONE};
use crate::translation::Translation;
use chiasm_phrases::Span;
use hashbrown::{HashMap, HashSet};
use serde::Serialize;

/// Which arcs of the search are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphLimits {
    /// Those of which some complete translation scores at most so much less than the best.
    pub beam: f32,
    /// So many of the best at most; those of the best translation are always among them.
    pub arcs: usize,
}

impl Default for GraphLimits {
    fn default() -> Self {
        GraphLimits {
            beam: 10.0,
            arcs: 20_000,
        }
    }
}

/// A graph from node 0 to its last node; arcs go from lower to higher numbers, and every path is a translation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WordGraph {
    /// How many nodes.
    pub nodes: u32,
    /// The phrases, sorted by the node they come from.
    pub arcs: Vec<GraphArc>,
}

/// One phrase.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphArc {
    /// The node it comes from.
    pub from: u32,
    /// The node it leads to.
    pub to: u32,
    /// The source words it translates.
    pub source: Span,
    /// What it says.
    pub words: Vec<String>,
    /// Links: positions in the source sentence and in `words`.
    pub links: Vec<(u32, u32)>,
    /// The source word is not known and was copied.
    pub unknown: bool,
    /// What it adds to the score.
    pub score: f32,
    /// The share of all translations in the graph, weighed by their scores, that go through it.
    pub posterior: f32,
}

/// An arc while the graph is being made: nodes and arcs are hypotheses of the search.
struct Step {
    from: u32,
    to: u32,
    option: u32,
    score: f32,
    /// The score of the best complete translation through it.
    through: f32,
}

impl WordGraph {
    /// The graph of a chart that was searched with alternatives kept.
    pub(crate) fn of_chart(chart: &Chart, model: &LogLinear, limits: GraphLimits) -> Result<Self> {
        let mut steps = steps(chart);
        let best = steps
            .iter()
            .map(|step| step.through)
            .fold(f32::NEG_INFINITY, f32::max);
        // Sums of the same path differ by rounding, depending on where they are taken.
        let least = best - best.abs() * 1e-5 - 1e-3;
        steps.retain(|step| step.through >= least - limits.beam);
        if steps.len() > limits.arcs {
            let mut order: Vec<f32> = steps.iter().map(|step| step.through).collect();
            order.sort_unstable_by(|a, b| b.total_cmp(a));
            let bar = order[limits.arcs.max(1) - 1].min(least);
            steps.retain(|step| step.through >= bar);
        }
        // Where rounding has cut a path, what led to the cut goes, too. Steps come from the end to the beginning.
        let goals = chart.stacks.last().map_or(&[][..], |stack| &stack.members);
        let mut alive: HashSet<u32> = goals.iter().copied().collect();
        steps.retain(|step| {
            let kept = alive.contains(&step.to);
            if kept {
                alive.insert(step.from);
            }
            kept
        });
        // The same from the beginning to the end.
        let mut reached: HashSet<u32> = std::iter::once(0).collect();
        steps.reverse();
        steps.retain(|step| {
            let kept = reached.contains(&step.from);
            if kept {
                reached.insert(step.to);
            }
            kept
        });
        let mut graph = WordGraph::default();
        let numbers = numbered(&steps);
        // A sentence without words is done where it begins.
        graph.nodes = numbers.len() as u32 + u32::from(!steps.is_empty());
        let last = graph.nodes - 1;
        for step in &steps {
            let from = numbers[&step.from];
            let to = numbers.get(&step.to).copied().unwrap_or(last);
            graph.arcs.push(arc(&chart.options, model, step, from, to)?);
        }
        graph.arcs.sort_by(|a, b| {
            (a.from, a.to, a.source, &a.words).cmp(&(b.from, b.to, b.source, &b.words))
        });
        Ok(graph)
    }

    /// Goes on with the graph of the words that follow in the same sentence.
    pub(crate) fn append(&mut self, next: WordGraph, source_offset: u32) {
        let node_offset = self.nodes.saturating_sub(1);
        self.nodes = node_offset + next.nodes;
        self.arcs.extend(next.arcs.into_iter().map(|mut arc| {
            arc.from += node_offset;
            arc.to += node_offset;
            arc.source = arc.source.shifted(source_offset);
            arc.links
                .iter_mut()
                .for_each(|link| link.0 += source_offset);
            arc
        }));
    }

    /// Computes the posteriors of all arcs; scores count `scale` times.
    pub fn weigh(&mut self, scale: f64) {
        let nodes = self.nodes as usize;
        if nodes == 0 {
            return;
        }
        let (mut before, mut after) = (
            vec![f64::NEG_INFINITY; nodes],
            vec![f64::NEG_INFINITY; nodes],
        );
        (before[0], after[nodes - 1]) = (0.0, 0.0);
        // Arcs are sorted by where they come from, and go to higher numbers.
        for arc in &self.arcs {
            let through = before[arc.from as usize] + scale * f64::from(arc.score);
            before[arc.to as usize] = add_logarithms(before[arc.to as usize], through);
        }
        for arc in self.arcs.iter().rev() {
            let through = after[arc.to as usize] + scale * f64::from(arc.score);
            after[arc.from as usize] = add_logarithms(after[arc.from as usize], through);
        }
        for arc in &mut self.arcs {
            let through =
                before[arc.from as usize] + scale * f64::from(arc.score) + after[arc.to as usize];
            arc.posterior = (through - after[0]).exp().min(1.0) as f32;
        }
    }
}

impl WordGraph {
    /// For each word of a translation, how probable it is that a source word it comes from is translated by it. To be asked
    /// of a graph with posteriors.
    pub fn confidences(&self, translation: &Translation) -> Vec<f32> {
        let mut probable: HashMap<(u32, &str), f32> = HashMap::new();
        for arc in &self.arcs {
            // A path goes through one arc of those that cover a source word, so their posteriors add up.
            let mut said: Vec<(u32, &str)> = Vec::new();
            for (position, word) in arc.words.iter().enumerate() {
                let linked = |source: &u32| arc.links.contains(&(*source, position as u32));
                said.extend(origins(arc.source, linked).map(|source| (source, word.as_str())));
            }
            said.sort_unstable();
            said.dedup();
            for key in said {
                *probable.entry(key).or_default() += arc.posterior;
            }
        }
        let mut confidences = vec![0.0; translation.words.len()];
        for phrase in &translation.phrases {
            for target in phrase.target.range() {
                let word = translation.words[target].as_str();
                let linked = |source: &u32| phrase.links.contains(&(*source as usize, target));
                let found = origins(phrase.source, linked)
                    .map(|source| probable.get(&(source, word)).copied().unwrap_or(0.0));
                confidences[target] = found.fold(0.0, f32::max).min(1.0);
            }
        }
        confidences
    }
}

/// The source words that a target word comes from: those that are linked, or the whole phrase if none is.
fn origins(span: Span, linked: impl Fn(&u32) -> bool) -> impl Iterator<Item = u32> {
    let some = (span.start..span.end).any(|source| linked(&source));
    (span.start..span.end).filter(move |source| !some || linked(source))
}

fn add_logarithms(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    match low {
        f64::NEG_INFINITY => high,
        _ => high + (low - high).exp().ln_1p(),
    }
}

/// All ways that lead to a complete translation.
fn steps(chart: &Chart) -> Vec<Step> {
    let goals = chart.stacks.last().map_or(&[][..], |stack| &stack.members);
    // The best score from a node to the end; nodes are found before those they come from, stack by stack.
    let mut rest: HashMap<u32, f32> = goals.iter().map(|&goal| (goal, 0.0)).collect();
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); chart.stacks.len()];
    if let Some(last) = waiting.last_mut() {
        last.extend_from_slice(goals);
    }
    let mut steps = Vec::new();
    for stack in (1..waiting.len()).rev() {
        for node in std::mem::take(&mut waiting[stack]) {
            let to_end = rest[&node];
            let mut way = node;
            while way != NONE {
                let hypothesis = &chart.hypotheses[way as usize];
                let parent = &chart.hypotheses[hypothesis.parent as usize];
                let score = hypothesis.score - parent.score;
                steps.push(Step {
                    from: hypothesis.parent,
                    to: node,
                    option: hypothesis.option,
                    score,
                    through: hypothesis.score + to_end,
                });
                let length = chart.options.options[hypothesis.option as usize].span.len();
                let known = rest.entry(hypothesis.parent).or_insert_with(|| {
                    waiting[stack - length].push(hypothesis.parent);
                    f32::NEG_INFINITY
                });
                *known = known.max(score + to_end);
                way = hypothesis.alternative;
            }
        }
    }
    steps
}

/// The numbers of the nodes that arcs come from, in the order of the search; complete translations have none.
fn numbered(steps: &[Step]) -> HashMap<u32, u32> {
    let mut nodes: Vec<u32> = steps.iter().map(|step| step.from).collect();
    nodes.push(0);
    // A hypothesis is made after the one it goes on from, so their order is one from left to right.
    nodes.sort_unstable();
    nodes.dedup();
    nodes.into_iter().zip(0..).collect()
}

fn arc(
    options: &SentenceOptions,
    model: &LogLinear,
    step: &Step,
    from: u32,
    to: u32,
) -> Result<GraphArc> {
    let option = &options.options[step.option as usize];
    let words = &options.words.words[options.words.range(step.option as usize)];
    let links = options.links(model, step.option as usize)?;
    let inside = links
        .iter()
        .filter(|link| link.is_within(option.span.len(), words.len()));
    Ok(GraphArc {
        from,
        to,
        source: option.span,
        words: words
            .iter()
            .map(|&word| options.target_word(model, word).to_string())
            .collect(),
        links: inside
            .map(|link| {
                (
                    option.span.start + u32::from(link.source),
                    u32::from(link.target),
                )
            })
            .collect(),
        unknown: option.origin == Origin::Unknown,
        score: step.score,
        posterior: 0.0,
    })
}
