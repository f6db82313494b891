//! The best derivations of the finished search, lazily (Huang and Chiang 2005, algorithm 3; here
//! every arc has one tail, so the lattice is a plain graph).

use super::chart::{Chart, NONE};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// One way to arrive at a node: an arc and the rank of the derivation of the node it comes from.
#[derive(Clone, Copy)]
struct Way {
    score: f32,
    arc: u32,
    rank: u32,
}

impl Ord for Way {
    fn cmp(&self, other: &Self) -> Ordering {
        let scores = self.score.total_cmp(&other.score);
        scores.then((other.arc, other.rank).cmp(&(self.arc, self.rank)))
    }
}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Way {}

#[derive(Default)]
struct Ranking {
    found: Vec<Way>,
    waiting: BinaryHeap<Way>,
}

/// A node that stands for all complete translations.
const GOAL: u32 = NONE;

/// The derivations of a chart, best first.
pub(crate) struct Derivations<'a> {
    chart: &'a Chart,
    rankings: HashMap<u32, Ranking, FxBuildHasher>,
}

impl<'a> Derivations<'a> {
    /// `chart` must be searched.
    pub fn new(chart: &'a Chart) -> Self {
        let waiting = chart.stacks.last().map_or(&[][..], |stack| &stack.members);
        let ways = waiting.iter().map(|&node| Way {
            score: chart.hypotheses[node as usize].score,
            arc: node,
            rank: 0,
        });
        let goal = Ranking {
            found: Vec::new(),
            waiting: ways.collect(),
        };
        let mut rankings = HashMap::default();
        rankings.insert(GOAL, goal);
        Derivations { chart, rankings }
    }

    /// The options of the derivation with this rank, first to last, and its score.
    pub fn derivation(&mut self, rank: usize) -> Option<(Vec<u32>, f32)> {
        let best = self.way(GOAL, rank)?;
        let mut options = Vec::new();
        // At the goal the arc names a node; everywhere else a hypothesis on the way to one.
        let (mut node, mut rank) = (best.arc, best.rank as usize);
        while let Some(way) = self.way(node, rank) {
            let hypothesis = &self.chart.hypotheses[way.arc as usize];
            if hypothesis.option == NONE {
                break;
            }
            options.push(hypothesis.option);
            (node, rank) = (hypothesis.parent, way.rank as usize);
        }
        options.reverse();
        Some((options, best.score))
    }

    /// The way with this rank to a node. Recursion goes back one phrase at a time.
    fn way(&mut self, node: u32, rank: usize) -> Option<Way> {
        if !self.rankings.contains_key(&node) {
            let ranking = self.first_ways(node);
            self.rankings.insert(node, ranking);
        }
        loop {
            let ranking = self.rankings.get_mut(&node)?;
            if let Some(&way) = ranking.found.get(rank) {
                return Some(way);
            }
            let way = ranking.waiting.pop()?;
            ranking.found.push(way);
            if let Some(next) = self.next_way(node, way)
                && let Some(ranking) = self.rankings.get_mut(&node)
            {
                ranking.waiting.push(next);
            }
        }
    }

    fn first_ways(&self, node: u32) -> Ranking {
        let mut ranking = Ranking::default();
        let mut arc = node;
        while arc != NONE {
            let hypothesis = &self.chart.hypotheses[arc as usize];
            ranking.waiting.push(Way {
                score: hypothesis.score,
                arc,
                rank: 0,
            });
            arc = hypothesis.alternative;
        }
        ranking
    }

    /// The same arc with the next worse derivation before it.
    fn next_way(&mut self, node: u32, way: Way) -> Option<Way> {
        let rank = way.rank + 1;
        let score = if node == GOAL {
            self.way(way.arc, rank as usize)?.score
        } else {
            let hypothesis = self.chart.hypotheses[way.arc as usize];
            if hypothesis.parent == NONE {
                return None;
            }
            let best_before = self.chart.hypotheses[hypothesis.parent as usize].score;
            let before = self.way(hypothesis.parent, rank as usize)?.score;
            before + (hypothesis.score - best_before)
        };
        Some(Way {
            score,
            ..way.with_rank(rank)
        })
    }
}

impl Way {
    fn with_rank(self, rank: u32) -> Way {
        Way { rank, ..self }
    }
}
