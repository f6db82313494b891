//! Says a meaning in a romanised Japanese: verb last, everything that modifies before what it modifies, particles behind.

use crate::lexicon::function_words::Japanese;
use crate::lexicon::japanese_forms::verb;
use crate::lexicon::{Fixed, Lexicon, NO_WORD};
use crate::meaning::{
    Clause, Degree, Expression, Head, Id, Joint, Meaning, Modifier, NONE, NounPhrase, Place,
    Predicate, Second, Tense,
};
use crate::side::Side;

/// The Japanese speaker.
pub struct Speaker<'a> {
    lexicon: &'a Lexicon,
    meaning: &'a Meaning,
    side: &'a mut Side,
    words: Japanese,
}

impl<'a> Speaker<'a> {
    /// Says the whole sentence.
    pub fn speak(lexicon: &'a Lexicon, meaning: &'a Meaning, side: &'a mut Side) {
        side.clear(meaning.ids);
        let words = lexicon.function.japanese;
        Speaker {
            lexicon,
            meaning,
            side,
            words,
        }
        .sentence();
    }

    fn sentence(&mut self) {
        let main = self.meaning.clause(self.meaning.main);
        match self.meaning.second {
            Some(second) if second.first_in_source => {
                self.second(second);
                self.comma(second);
                self.clause(main);
            }
            Some(second) => {
                self.clause(main);
                self.comma(second);
                self.second(second);
            }
            None => self.clause(main),
        }
        if main.question.is_some() {
            // Together with the full stop it is the question mark.
            self.side.say(self.words.question, self.meaning.stop);
        }
        self.side.say(self.words.stop, self.meaning.stop);
    }

    fn comma(&mut self, second: Second) {
        self.side.say(self.words.comma, second.comma);
        self.side.lean(second.connective.id);
    }

    /// soshite stands before its clause, kara behind.
    fn second(&mut self, second: Second) {
        let start = self.side.here();
        let clause = self.meaning.clause(second.clause);
        if second.joint == Joint::Coordination {
            self.expression(&self.lexicon.connectives, second.connective);
            self.clause(clause);
        } else {
            self.clause(clause);
            self.expression(&self.lexicon.connectives, second.connective);
        }
        self.side.close(second.connective.id, start);
    }

    fn clause(&mut self, clause: &Clause) {
        let start = self.side.here();
        if clause.time_position == 0 {
            self.time(clause);
        }
        if clause.marked_order {
            self.object(clause);
        }
        self.subject(clause);
        if clause.time_position == 1 {
            self.time(clause);
        }
        if let Some(place) = clause.place {
            self.place(place);
        }
        if let Some(frequency) = clause.frequency {
            self.expression(&self.lexicon.frequencies, frequency);
        }
        if !clause.marked_order {
            self.object(clause);
        }
        if clause.time_position == 2 {
            self.time(clause);
        }
        if let Some(manner) = clause.manner {
            self.expression(&self.lexicon.manners, manner);
        }
        self.predicate(clause);
        self.side.close(clause.id, start);
    }

    fn place(&mut self, place: Place) {
        let start = self.side.here();
        self.noun_phrase(place.noun_phrase);
        let particle = self.side.here();
        self.expression(&self.lexicon.places, place.preposition);
        for id in self.meaning.conjuncts(place.noun_phrase) {
            self.side.core_at(id, particle);
        }
        self.side.close(place.id, start);
    }

    /// Says the particle of a noun phrase.
    fn particle(&mut self, word: u32, leaf: Id, phrase: u32) {
        self.side.say(word, leaf);
        for id in self.meaning.conjuncts(phrase) {
            self.side.core(id);
        }
    }

    fn subject(&mut self, clause: &Clause) {
        let Some(number) = clause.subject else {
            return;
        };
        let phrase = self.meaning.noun_phrase(number);
        match phrase.head {
            Head::Pronoun { dropped: true, .. } => return,
            Head::Pronoun { feminine, .. } => {
                let word = match (phrase.plural, feminine) {
                    (true, _) => self.words.they,
                    (false, true) => self.words.she,
                    (false, false) => self.words.he,
                };
                self.head_word(word, phrase);
            }
            _ => self.noun_phrase(number),
        }
        let particle = if clause.topic {
            self.words.topic
        } else {
            self.words.subject
        };
        self.particle(particle, NONE, number);
    }

    fn object(&mut self, clause: &Clause) {
        let Predicate::Verb {
            verb,
            object: Some(object),
        } = clause.predicate
        else {
            return;
        };
        self.noun_phrase(object);
        let verb = &self.lexicon.verbs[verb as usize];
        let demanded = verb.source_marker != self.lexicon.object_marker;
        let said = demanded && verb.english_marker != NO_WORD;
        let leaf = if said { clause.preposition } else { NONE };
        self.particle(verb.source_marker, leaf, object);
        if demanded {
            self.side.lean(clause.id);
        }
    }

    fn predicate(&mut self, clause: &Clause) {
        match clause.predicate {
            Predicate::Verb { verb, .. } => self.verb(clause, verb),
            Predicate::Speech {
                verb,
                clause: inner,
                that,
            } => {
                self.clause(self.meaning.clause(inner));
                self.side.say(self.words.that, that);
                self.verb(clause, verb);
            }
            Predicate::Noun(number) => {
                self.noun_phrase(number);
                self.side.core(clause.id);
                self.copula(clause);
            }
            Predicate::Adjective(modifier) => {
                let entry = &self.lexicon.adjectives[modifier.adjective as usize];
                self.degree(modifier);
                self.sequence(entry.predicative, modifier.leaf, Some(clause.id));
                let (attributive, predicative) = (entry.attributive, entry.predicative);
                let inflects = attributive.1 - attributive.0 == predicative.1 - predicative.0;
                if !(clause.embedded && inflects) {
                    self.copula(clause);
                }
            }
        }
    }

    /// Verbs inside a sentence are plain, others polite.
    fn verb(&mut self, clause: &Clause, number: u32) {
        let entry = &self.lexicon.verbs[number as usize];
        let (plain, past) = (clause.embedded, clause.tense == Tense::Past);
        if entry.source_prefix != NO_WORD {
            self.verbal(entry.source_prefix, clause.leaf, clause);
        }
        let Some(negation) = clause.negation else {
            let form = match (plain, past) {
                (false, false) => verb::POLITE,
                (false, true) => verb::POLITE_PAST,
                (true, false) => verb::PLAIN,
                (true, true) => verb::PLAIN_PAST,
            };
            self.verbal(entry.source[form], clause.leaf, clause);
            return;
        };
        let stem = if plain {
            verb::NEGATIVE_STEM
        } else {
            verb::POLITE_STEM
        };
        self.verbal(entry.source[stem], clause.leaf, clause);
        self.negation(clause, negation);
    }

    /// Says a word of the verb group.
    fn verbal(&mut self, word: u32, leaf: Id, clause: &Clause) {
        self.side.say(word, leaf);
        self.side.core(clause.id);
    }

    fn negation(&mut self, clause: &Clause, leaf: Id) {
        let past = clause.tense == Tense::Past;
        match (clause.embedded, past) {
            (true, false) => self.verbal(self.words.not_plain, leaf, clause),
            (true, true) => self.verbal(self.words.not_plain_past, leaf, clause),
            (false, _) => {
                self.verbal(self.words.not, leaf, clause);
                if past {
                    self.verbal(self.words.not_past, clause.tense_leaf, clause);
                }
            }
        }
    }

    fn copula(&mut self, clause: &Clause) {
        let (plain, past) = (clause.embedded, clause.tense == Tense::Past);
        let Some(negation) = clause.negation else {
            let word = match (plain, past) {
                (false, false) => self.words.is,
                (false, true) => self.words.was,
                (true, false) => self.words.is_plain,
                (true, true) => self.words.was_plain,
            };
            self.verbal(word, clause.leaf, clause);
            return;
        };
        self.verbal(self.words.de, clause.leaf, clause);
        if plain {
            self.negation(clause, negation);
            return;
        }
        self.verbal(self.words.is_not, negation, clause);
        if past {
            self.verbal(self.words.was, clause.leaf, clause);
        }
    }

    fn time(&mut self, clause: &Clause) {
        if let Some(time) = clause.time {
            self.expression(&self.lexicon.times, time);
        }
    }

    fn expression(&mut self, table: &[Fixed], expression: Expression) {
        let words = self.lexicon.source_parts(table, expression.entry);
        self.side.express(words, expression);
    }

    fn sequence(&mut self, range: (u32, u32), leaf: Id, block: Option<Id>) {
        for &word in &self.lexicon.sequences[range.0 as usize..range.1 as usize] {
            self.side.say(word, leaf);
            if let Some(block) = block {
                self.side.core(block);
            }
        }
    }

    fn degree(&mut self, modifier: Modifier) {
        match modifier.degree {
            Degree::Plain => {}
            Degree::Very(leaf) => self.side.say(self.words.very, leaf),
            Degree::Superlative => self.side.say(self.words.most, modifier.leaf),
        }
    }

    fn noun_phrase(&mut self, number: u32) {
        let phrase = self.meaning.noun_phrase(number);
        let start = self.side.here();
        if let Some(clause) = phrase.relative {
            self.clause(self.meaning.clause(clause));
        }
        if let Some((owner, leaf, _)) = phrase.possessor {
            self.noun_phrase(owner);
            self.particle(self.words.of, leaf, owner);
        }
        if let Some(leaf) = phrase.demonstrative {
            self.side.say(self.words.this, leaf);
            self.side.core(phrase.id);
        }
        if let Some((leaf, numeral)) = phrase.numeral {
            let counter = if self.lexicon.is_person(phrase.head) {
                self.words.people
            } else {
                self.words.pieces
            };
            let start = self.side.here();
            self.side
                .say(self.lexicon.numerals[numeral as usize][1], leaf);
            self.side.core(leaf);
            for word in [counter, self.words.of] {
                self.side.say(word, NONE);
                self.side.lean(leaf);
            }
            self.side.close(leaf, start);
        }
        for modifier in phrase.adjectives.into_iter().flatten() {
            self.degree(modifier);
            let attributive = self.lexicon.adjectives[modifier.adjective as usize].attributive;
            self.sequence(attributive, modifier.leaf, None);
        }
        self.head(phrase);
        if let Some((other, leaf)) = phrase.coordinated {
            self.side.say(self.words.and, leaf);
            self.noun_phrase(other);
        }
        self.side.close(phrase.id, start);
    }

    fn head(&mut self, phrase: &NounPhrase) {
        match phrase.head {
            Head::Noun(noun) => {
                self.head_word(self.lexicon.nouns[noun as usize].source[0], phrase);
            }
            Head::Person(person) => {
                self.head_word(self.lexicon.people[person as usize].source, phrase);
                self.side.say(self.words.honorific, phrase.honorific);
            }
            Head::Town(town) => self.head_word(self.lexicon.towns[town as usize].source, phrase),
            Head::Pronoun { .. } => {}
        }
    }

    fn head_word(&mut self, word: u32, phrase: &NounPhrase) {
        self.side.say(word, phrase.leaf);
        self.side.core(phrase.id);
    }
}
