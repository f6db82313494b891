//! Says a meaning in a romanised Japanese: verb last, everything that modifies before what it modifies, particles behind.

use crate::lexicon::class::PERSON;
use crate::lexicon::function_words::Japanese;
use crate::lexicon::japanese_forms::verb;
use crate::lexicon::{Fixed, Lexicon, NO_WORD};
use crate::meaning::{
    Clause, Degree, Expression, Head, Id, Joint, Meaning, Modifier, NONE, NounPhrase, Predicate,
    Second, Tense,
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
                self.side.say(self.words.comma, second.comma);
                self.clause(main, false);
            }
            Some(second) => {
                self.clause(main, false);
                self.side.say(self.words.comma, second.comma);
                self.second(second);
            }
            None => self.clause(main, false),
        }
        if let Some(question) = main.question {
            self.side.say(self.words.question, question);
        }
        self.side.say(self.words.stop, self.meaning.stop);
    }

    /// soshite stands before its clause, kara behind.
    fn second(&mut self, second: Second) {
        let start = self.side.here();
        let clause = self.meaning.clause(second.clause);
        if second.joint == Joint::Coordination {
            self.expression(&self.lexicon.connectives, second.connective);
            self.clause(clause, false);
        } else {
            self.clause(clause, true);
            self.expression(&self.lexicon.connectives, second.connective);
        }
        self.side.close(second.connective.id, start);
    }

    /// `plain`: the form of verbs inside a sentence.
    fn clause(&mut self, clause: &Clause, plain: bool) {
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
            let start = self.side.here();
            self.noun_phrase(place.noun_phrase);
            self.expression(&self.lexicon.places, place.preposition);
            self.side.close(place.id, start);
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
        self.predicate(clause, plain);
        self.side.close(clause.id, start);
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
                self.side.say(word, phrase.leaf);
            }
            _ => self.noun_phrase(number),
        }
        let particle = if clause.topic {
            self.words.topic
        } else {
            self.words.subject
        };
        self.side.say(particle, NONE);
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
        let linked =
            verb.english_marker != NO_WORD && verb.source_marker != self.lexicon.object_marker;
        let leaf = if linked { clause.preposition } else { NONE };
        self.side.say(verb.source_marker, leaf);
    }

    fn predicate(&mut self, clause: &Clause, plain: bool) {
        match clause.predicate {
            Predicate::Verb { verb, .. } => self.verb(clause, verb, plain),
            Predicate::Speech {
                verb,
                clause: inner,
                that,
            } => {
                self.clause(self.meaning.clause(inner), true);
                self.side.say(self.words.that, that);
                self.verb(clause, verb, plain);
            }
            Predicate::Noun(number) => {
                self.noun_phrase(number);
                self.copula(clause, plain);
            }
            Predicate::Adjective(modifier) => {
                let entry = &self.lexicon.adjectives[modifier.adjective as usize];
                self.degree(modifier);
                self.sequence(entry.predicative, modifier.leaf);
                let (attributive, predicative) = (entry.attributive, entry.predicative);
                let inflects = attributive.1 - attributive.0 == predicative.1 - predicative.0;
                if !(plain && inflects) {
                    self.copula(clause, plain);
                }
            }
        }
    }

    fn verb(&mut self, clause: &Clause, number: u32, plain: bool) {
        let entry = &self.lexicon.verbs[number as usize];
        let past = clause.tense == Tense::Past;
        if entry.source_prefix != NO_WORD {
            self.side.say(entry.source_prefix, clause.leaf);
        }
        let Some(negation) = clause.negation else {
            let form = match (plain, past) {
                (false, false) => verb::POLITE,
                (false, true) => verb::POLITE_PAST,
                (true, false) => verb::PLAIN,
                (true, true) => verb::PLAIN_PAST,
            };
            self.side.say(entry.source[form], clause.leaf);
            return;
        };
        let stem = if plain {
            verb::NEGATIVE_STEM
        } else {
            verb::POLITE_STEM
        };
        self.side.say(entry.source[stem], clause.leaf);
        self.negation(negation, plain, past);
    }

    fn negation(&mut self, leaf: Id, plain: bool, past: bool) {
        match (plain, past) {
            (true, false) => self.side.say(self.words.not_plain, leaf),
            (true, true) => self.side.say(self.words.not_plain_past, leaf),
            (false, _) => {
                self.side.say(self.words.not, leaf);
                if past {
                    self.side.say(self.words.not_past, leaf);
                }
            }
        }
    }

    fn copula(&mut self, clause: &Clause, plain: bool) {
        let past = clause.tense == Tense::Past;
        let Some(negation) = clause.negation else {
            let word = match (plain, past) {
                (false, false) => self.words.is,
                (false, true) => self.words.was,
                (true, false) => self.words.is_plain,
                (true, true) => self.words.was_plain,
            };
            self.side.say(word, clause.leaf);
            return;
        };
        self.side.say(self.words.de, clause.leaf);
        if plain {
            self.negation(negation, true, past);
            return;
        }
        self.side.say(self.words.is_not, negation);
        if past {
            self.side.say(self.words.was, negation);
        }
    }

    fn time(&mut self, clause: &Clause) {
        if let Some(time) = clause.time {
            self.expression(&self.lexicon.times, time);
        }
    }

    fn expression(&mut self, table: &[Fixed], expression: Expression) {
        let start = self.side.here();
        let (from, to) = table[expression.entry as usize].source;
        for &(word, part) in &self.lexicon.parts[from as usize..to as usize] {
            self.side.say(word, expression.leaf + Id::from(part));
        }
        self.side.close(expression.id, start);
    }

    fn sequence(&mut self, range: (u32, u32), leaf: Id) {
        for &word in &self.lexicon.sequences[range.0 as usize..range.1 as usize] {
            self.side.say(word, leaf);
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
        if let Some((clause, _)) = phrase.relative {
            self.clause(self.meaning.clause(clause), true);
        }
        if let Some((owner, leaf, _)) = phrase.possessor {
            self.noun_phrase(owner);
            self.side.say(self.words.of, leaf);
        }
        if let Some(leaf) = phrase.demonstrative {
            self.side.say(self.words.this, leaf);
        }
        if let Some((leaf, numeral)) = phrase.numeral {
            let counter = if self.is_person(phrase) {
                self.words.people
            } else {
                self.words.pieces
            };
            self.side
                .say(self.lexicon.numerals[numeral as usize][1], leaf);
            self.side.say(counter, leaf);
            self.side.say(self.words.of, leaf);
        }
        for modifier in phrase.adjectives.into_iter().flatten() {
            self.degree(modifier);
            let attributive = self.lexicon.adjectives[modifier.adjective as usize].attributive;
            self.sequence(attributive, modifier.leaf);
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
            Head::Noun(noun) => self
                .side
                .say(self.lexicon.nouns[noun as usize].source[0], phrase.leaf),
            Head::Person(person) => {
                self.side
                    .say(self.lexicon.people[person as usize].source, phrase.leaf);
                self.side.say(self.words.honorific, phrase.honorific);
            }
            Head::Town(town) => self
                .side
                .say(self.lexicon.towns[town as usize].source, phrase.leaf),
            Head::Pronoun { .. } => {}
        }
    }

    fn is_person(&self, phrase: &NounPhrase) -> bool {
        match phrase.head {
            Head::Noun(noun) => self.lexicon.nouns[noun as usize].class == PERSON,
            Head::Person(_) | Head::Pronoun { .. } => true,
            Head::Town(_) => false,
        }
    }
}
