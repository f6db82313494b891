//! What a joint model says of a step of the search.

use super::Search;
use crate::options::shift;
use chiasm_lm::State;
use chiasm_neural::{EDGE, HISTORY, JointModel, NOTHING};

/// The words before the next one, as a state remembers them.
pub(crate) fn history_of(state: &State) -> [u32; HISTORY] {
    let mut history = [NOTHING; HISTORY];
    for (word, &known) in history.iter_mut().zip(state.context()) {
        *word = known;
    }
    history
}

impl Search<'_> {
    /// The weighted score of an option's words after `states`, those of all models; at the end of the sentence with its end.
    #[inline]
    pub(super) fn joint_score(&self, option: u32, is_last: bool, states: &mut [State]) -> f32 {
        match self.model.system().joint_model() {
            None => 0.0,
            Some(joint) => self.joint_score_by(joint, option, is_last, states),
        }
    }

    fn joint_score_by(
        &self,
        joint: &JointModel,
        option: u32,
        is_last: bool,
        states: &mut [State],
    ) -> f32 {
        let system = self.model.system();
        let place = system.language_models().len() + system.operation_models().len();
        let state = &mut states[place];
        let weight = self.model.weights.joint;
        let options = &self.chart.options;
        let (words, range) = (&options.joint, options.words.range(option as usize));
        let mut history = history_of(state);
        let mut total = 0.0;
        for place in range.clone().take(HISTORY) {
            let context = words.context(words.centres[place]);
            total += weight * joint.score(context, &history, words.ids[place]);
            shift(&mut history, words.ids[place]);
        }
        // From here on the history lies inside the phrase.
        if range.len() > HISTORY {
            total += words.inside[range.start + HISTORY];
            for (word, &id) in history.iter_mut().zip(words.ids[range].iter().rev()) {
                *word = id;
            }
        }
        *state = State::of_context(&history);
        if is_last && self.ends_sentence {
            let end = words.context(self.length() as u32);
            total += weight * joint.score(end, &history, EDGE);
            *state = State::empty();
        }
        total
    }
}
