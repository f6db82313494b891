//! Says a meaning in an Arabic without clitics: verb first or subject first, adjectives and possessors behind the noun.

use crate::lexicon::arabic_forms::{adjective, noun, verb};
use crate::lexicon::function_words::Arabic;
use crate::lexicon::{Fixed, Lexicon, NO_WORD};
use crate::meaning::{
    Clause, Degree, Expression, Gap, Head, Id, Joint, Meaning, Modifier, NONE, NounPhrase,
    Predicate, Second, Tense,
};
use crate::side::Side;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Nominative,
    Accusative,
    Genitive,
}

/// Gender and number as verbs show it: also the offset of the verb form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreement {
    Masculine = 0,
    Feminine = 1,
    Men = 2,
}

impl Agreement {
    /// A verb before its subject agrees in gender only.
    fn before_subject(self) -> Self {
        if self == Agreement::Men {
            Agreement::Masculine
        } else {
            self
        }
    }
}

/// The Arabic speaker.
pub struct Speaker<'a> {
    lexicon: &'a Lexicon,
    meaning: &'a Meaning,
    side: &'a mut Side,
    words: Arabic,
}

impl<'a> Speaker<'a> {
    /// Says the whole sentence.
    pub fn speak(lexicon: &'a Lexicon, meaning: &'a Meaning, side: &'a mut Side) {
        side.clear(meaning.ids);
        let words = lexicon.function.arabic;
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
                self.side.lean(second.connective.id);
                self.clause(main, Case::Nominative, None);
            }
            Some(second) => {
                self.clause(main, Case::Nominative, None);
                self.second(second);
            }
            None => self.clause(main, Case::Nominative, None),
        }
        let question = main.question.is_some();
        let stop = if question {
            self.words.question_mark
        } else {
            self.words.stop
        };
        self.side.say(stop, self.meaning.stop);
    }

    fn second(&mut self, second: Second) {
        let start = self.side.here();
        self.expression(&self.lexicon.connectives, second.connective);
        let case = match second.joint {
            Joint::Reason | Joint::Concession => Case::Accusative,
            Joint::Coordination | Joint::Time => Case::Nominative,
        };
        self.clause(self.meaning.clause(second.clause), case, None);
        self.side.close(second.connective.id, start);
    }

    /// `subject_case` is accusative after أن and its sisters; `outer` is the noun of a relative clause.
    fn clause(&mut self, clause: &Clause, subject_case: Case, outer: Option<&NounPhrase>) {
        let start = self.side.here();
        if let Some(question) = clause.question {
            self.side.say(self.words.question, question);
            self.side.lean(clause.id);
        }
        if clause.time_position == 0 {
            self.time(clause);
        }
        self.subject_and_verb(clause, subject_case, outer);
        if let Some(frequency) = clause.frequency {
            self.expression(&self.lexicon.frequencies, frequency);
        }
        if clause.time_position == 1 {
            self.time(clause);
        }
        self.complement(clause);
        if let Some(manner) = clause.manner {
            self.expression(&self.lexicon.manners, manner);
        }
        if let Some(place) = clause.place {
            let start = self.side.here();
            self.expression(&self.lexicon.places, place.preposition);
            self.noun_phrase(place.noun_phrase, Case::Genitive);
            self.side.close(place.id, start);
        }
        if clause.time_position == 2 {
            self.time(clause);
        }
        self.side.close(clause.id, start);
    }

    fn subject_and_verb(&mut self, clause: &Clause, case: Case, outer: Option<&NounPhrase>) {
        let subject = clause
            .subject
            .map(|number| self.meaning.noun_phrase(number));
        let governing = if clause.gap == Gap::Subject {
            outer
        } else {
            subject
        };
        let full = governing.map_or(Agreement::Masculine, |phrase| self.agreement(phrase));
        let dropped = subject.is_none_or(|p| matches!(p.head, Head::Pronoun { dropped: true, .. }));
        if clause.marked_order {
            self.subject(clause, case);
            self.verb_group(clause, full);
        } else {
            self.verb_group(clause, if dropped { full } else { full.before_subject() });
            self.subject(clause, case);
        }
    }

    fn subject(&mut self, clause: &Clause, case: Case) {
        let Some(number) = clause.subject else {
            return;
        };
        let phrase = self.meaning.noun_phrase(number);
        match phrase.head {
            Head::Pronoun { dropped: true, .. } => {}
            Head::Pronoun { feminine, .. } => {
                let word = match (phrase.plural, feminine) {
                    (true, _) => self.words.they,
                    (false, true) => self.words.she,
                    (false, false) => self.words.he,
                };
                self.side.say(word, phrase.leaf);
                self.side.core(phrase.id);
            }
            _ => {
                // Behind the verb the subject is nominative whatever introduces the clause.
                let case = if clause.marked_order {
                    case
                } else {
                    Case::Nominative
                };
                self.noun_phrase(number, case);
            }
        }
    }

    fn verb_group(&mut self, clause: &Clause, agreement: Agreement) {
        match clause.predicate {
            Predicate::Verb { verb, .. } | Predicate::Speech { verb, .. } => {
                self.verb(clause, verb, agreement);
            }
            Predicate::Adjective(_) | Predicate::Noun(_) => self.copula(clause, agreement),
        }
    }

    fn verb(&mut self, clause: &Clause, number: u32, agreement: Agreement) {
        let forms = &self.lexicon.verbs[number as usize].source;
        let plural = agreement == Agreement::Men;
        let set = match (clause.tense, clause.negation) {
            (Tense::Past, None) => verb::PAST,
            (Tense::Past, Some(leaf)) => {
                self.verbal(self.words.not_past, leaf, clause);
                verb::JUSSIVE
            }
            (Tense::Present, None) => verb::PRESENT,
            (Tense::Present, Some(leaf)) => {
                self.verbal(self.words.not_present, leaf, clause);
                verb::PRESENT
            }
            (Tense::Future, None) => {
                self.verbal(self.words.will, clause.tense_leaf, clause);
                verb::PRESENT
            }
            (Tense::Future, Some(leaf)) => {
                self.verbal(self.words.not_future, leaf, clause);
                // The subjunctive looks like the jussive in the plural and like the present elsewhere.
                if plural { verb::JUSSIVE } else { verb::PRESENT }
            }
        };
        self.verbal(forms[set + agreement as usize], clause.leaf, clause);
    }

    /// Says a word of the verb group.
    fn verbal(&mut self, word: u32, leaf: Id, clause: &Clause) {
        self.side.say(word, leaf);
        self.side.core(clause.id);
    }

    /// The present has no copula unless it is denied.
    fn copula(&mut self, clause: &Clause, agreement: Agreement) {
        let words = self.words;
        let was = [words.was_masculine, words.was_feminine, words.was_plural];
        let be = [words.be_masculine, words.be_feminine, words.be_plural];
        let is_not = [
            words.is_not_masculine,
            words.is_not_feminine,
            words.is_not_plural,
        ];
        let form = agreement as usize;
        match (clause.tense, clause.negation) {
            (Tense::Past, None) => self.verbal(was[form], clause.leaf, clause),
            (Tense::Past, Some(leaf)) => {
                self.verbal(words.not_past, leaf, clause);
                self.verbal(be[form], clause.leaf, clause);
            }
            (_, Some(leaf)) => self.verbal(is_not[form], leaf, clause),
            (_, None) => {}
        }
    }

    fn complement(&mut self, clause: &Clause) {
        let governed = clause.tense == Tense::Past || clause.negation.is_some();
        let case = if governed {
            Case::Accusative
        } else {
            Case::Nominative
        };
        match clause.predicate {
            Predicate::Verb {
                verb,
                object: Some(object),
            } => {
                let verb = &self.lexicon.verbs[verb as usize];
                if verb.source_marker == NO_WORD {
                    self.noun_phrase(object, Case::Accusative);
                } else {
                    let leaf = if verb.english_marker == NO_WORD {
                        NONE
                    } else {
                        clause.preposition
                    };
                    self.side.say(verb.source_marker, leaf);
                    self.side.lean(clause.id);
                    for id in self.meaning.conjuncts(object) {
                        self.side.lean(id);
                    }
                    self.noun_phrase(object, Case::Genitive);
                }
            }
            Predicate::Verb { object: None, .. } => {}
            Predicate::Speech {
                verb,
                clause: inner,
                that,
            } => {
                // قال alone takes إن.
                let word = if verb == 0 {
                    self.words.that_said
                } else {
                    self.words.that
                };
                self.side.say(word, that);
                self.clause(self.meaning.clause(inner), Case::Accusative, None);
            }
            Predicate::Adjective(modifier) => {
                if let Some(subject) = clause.subject {
                    self.predicate_adjective(modifier, subject, case, clause.id);
                }
            }
            Predicate::Noun(number) => {
                self.noun_phrase(number, case);
                self.side.core(clause.id);
            }
        }
    }

    fn predicate_adjective(&mut self, modifier: Modifier, subject: u32, case: Case, clause: Id) {
        let phrase = self.meaning.noun_phrase(subject);
        let form = self.adjective_form(phrase, case, false);
        self.adjective(modifier, form, Some(clause));
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

    fn noun_phrase(&mut self, number: u32, case: Case) {
        let phrase = self.meaning.noun_phrase(number);
        let start = self.side.here();
        match phrase.head {
            Head::Noun(noun) => self.common_noun(phrase, noun, case),
            Head::Person(person) => self.head(self.lexicon.people[person as usize].source, phrase),
            Head::Town(town) => self.head(self.lexicon.towns[town as usize].source, phrase),
            Head::Pronoun { .. } => {}
        }
        self.side.close(phrase.id, start);
    }

    fn head(&mut self, word: u32, phrase: &NounPhrase) {
        self.side.say(word, phrase.leaf);
        self.side.core(phrase.id);
    }

    fn common_noun(&mut self, phrase: &NounPhrase, number: u32, case: Case) {
        if let Some(leaf) = phrase.demonstrative {
            self.side.say(self.this(phrase), leaf);
            self.side.core(phrase.id);
        }
        if let Some((leaf, numeral)) = phrase.numeral {
            // Three to ten take the other gender.
            let feminine = self.lexicon.nouns[number as usize].feminine;
            let form = if feminine { 1 } else { 2 };
            self.side
                .say(self.lexicon.numerals[numeral as usize][form], leaf);
        }
        let elative = match phrase.adjectives[0] {
            Some(
                modifier @ Modifier {
                    degree: Degree::Superlative,
                    ..
                },
            ) => {
                let forms = &self.lexicon.adjectives[modifier.adjective as usize].source;
                self.side.say(forms[adjective::ELATIVE], modifier.leaf);
                self.side.core(phrase.id);
                true
            }
            _ => false,
        };
        let form = noun_form(phrase, case, elative);
        self.head(self.lexicon.nouns[number as usize].source[form], phrase);
        if let Some((owner, _, _)) = phrase.possessor {
            self.noun_phrase(owner, Case::Genitive);
        }
        if !elative {
            let form = self.adjective_form(phrase, case, phrase.definite);
            // With ال an adjective says the article, too.
            let block = phrase.definite.then_some(phrase.id);
            for modifier in phrase.adjectives.into_iter().flatten() {
                self.adjective(modifier, form, block);
            }
        }
        if let Some(number) = phrase.relative {
            let clause = self.meaning.clause(number);
            // After an indefinite noun the clause follows without a pronoun.
            if phrase.definite {
                self.side.say(self.who(phrase), clause.pronoun);
                self.side.lean(clause.id);
            }
            self.clause(clause, Case::Nominative, Some(phrase));
        }
        if let Some((other, leaf)) = phrase.coordinated {
            self.side.say(self.words.and, leaf);
            self.noun_phrase(other, case);
        }
    }

    fn adjective(&mut self, modifier: Modifier, form: usize, block: Option<Id>) {
        let forms = &self.lexicon.adjectives[modifier.adjective as usize].source;
        self.side.say(forms[form], modifier.leaf);
        if let Some(block) = block {
            self.side.core(block);
        }
        if let Degree::Very(leaf) = modifier.degree {
            self.side.say(self.words.very, leaf);
        }
    }

    fn adjective_form(&self, phrase: &NounPhrase, case: Case, definite: bool) -> usize {
        let feminine = self.is_feminine(phrase);
        let people = phrase.plural && self.lexicon.is_person(phrase.head);
        let form = match (people, feminine) {
            (true, true) => adjective::WOMEN,
            (true, false) if case == Case::Nominative => adjective::MEN,
            (true, false) => adjective::MEN_OBLIQUE,
            (false, _) if phrase.plural || feminine => adjective::FEMININE,
            (false, _) if case == Case::Accusative && !definite => return adjective::ACCUSATIVE,
            (false, _) => adjective::MASCULINE,
        };
        if definite {
            adjective::DEFINITE + form
        } else {
            form
        }
    }

    fn agreement(&self, phrase: &NounPhrase) -> Agreement {
        let people = phrase.plural && self.lexicon.is_person(phrase.head);
        match (people, self.is_feminine(phrase)) {
            (true, false) => Agreement::Men,
            (false, false) if !phrase.plural => Agreement::Masculine,
            _ => Agreement::Feminine,
        }
    }

    fn this(&self, phrase: &NounPhrase) -> u32 {
        if phrase.plural && self.lexicon.is_person(phrase.head) {
            return self.words.these_people;
        }
        match self.agreement(phrase) {
            Agreement::Masculine => self.words.this_masculine,
            _ => self.words.this_feminine,
        }
    }

    fn who(&self, phrase: &NounPhrase) -> u32 {
        match self.agreement(phrase) {
            Agreement::Masculine => self.words.who_masculine,
            Agreement::Feminine => self.words.who_feminine,
            Agreement::Men => self.words.who_plural,
        }
    }

    fn is_feminine(&self, phrase: &NounPhrase) -> bool {
        match phrase.head {
            Head::Noun(noun) => self.lexicon.nouns[noun as usize].feminine,
            Head::Person(person) => self.lexicon.people[person as usize].feminine,
            Head::Town(_) => true,
            Head::Pronoun { feminine, .. } => feminine,
        }
    }
}

fn noun_form(phrase: &NounPhrase, case: Case, elative: bool) -> usize {
    let oblique = usize::from(case != Case::Nominative);
    if elative {
        noun::SINGULAR
    } else if phrase.numeral.is_some() {
        noun::PLURAL + 1
    } else if phrase.possessor.is_some() {
        if phrase.plural {
            noun::CONSTRUCT_PLURAL + oblique
        } else {
            noun::SINGULAR
        }
    } else if phrase.definite {
        if phrase.plural {
            noun::DEFINITE_PLURAL + oblique
        } else {
            noun::DEFINITE
        }
    } else if phrase.plural {
        noun::PLURAL + oblique
    } else if case == Case::Accusative {
        noun::ACCUSATIVE
    } else {
        noun::SINGULAR
    }
}
