//! Says a meaning in English.

use crate::Language;
use crate::lexicon::english_forms::takes_an;
use crate::lexicon::function_words::English;
use crate::lexicon::{Fixed, Lexicon, NO_WORD};
use crate::meaning::{
    Clause, Degree, Expression, Gap, Genitive, Head, Id, Joint, Meaning, Modifier, NONE,
    NounPhrase, Predicate, Second, Tense,
};
use crate::side::Side;

/// The English speaker.
pub struct Speaker<'a> {
    lexicon: &'a Lexicon,
    meaning: &'a Meaning,
    side: &'a mut Side,
    words: English,
    /// An `a` whose next word decides whether it is `an`.
    open_article: Option<usize>,
}

impl<'a> Speaker<'a> {
    /// Says the whole sentence.
    pub fn speak(lexicon: &'a Lexicon, meaning: &'a Meaning, side: &'a mut Side) {
        side.clear(meaning.ids);
        let words = lexicon.function.english;
        let mut speaker = Speaker {
            lexicon,
            meaning,
            side,
            words,
            open_article: None,
        };
        speaker.sentence();
    }

    fn sentence(&mut self) {
        let main = self.meaning.clause(self.meaning.main);
        match self.meaning.second {
            Some(second) if second.first_in_target => {
                self.second(second);
                self.say(self.words.comma, second.comma);
                self.side.lean(second.connective.id);
                self.clause(main, false);
            }
            Some(second) => {
                self.clause(main, false);
                if second.joint == Joint::Coordination {
                    self.say(self.words.comma, second.comma);
                    self.side.lean(second.connective.id);
                }
                self.second(second);
            }
            None => self.clause(main, false),
        }
        let stop = if main.question.is_some() {
            self.words.question
        } else {
            self.words.stop
        };
        self.say(stop, self.meaning.stop);
    }

    fn second(&mut self, second: Second) {
        let start = self.side.here();
        self.expression(&self.lexicon.connectives, second.connective);
        self.clause(self.meaning.clause(second.clause), false);
        // The connective and its clause are one phrase only where the source agrees, which the check finds out.
        self.side.close(second.connective.id, start);
    }

    fn say(&mut self, word: u32, leaf: Id) {
        if let Some(position) = self.open_article.take()
            && takes_an(self.lexicon.english.spelling(word))
        {
            self.side.words[position] = self.words.an;
        }
        self.side.say(word, leaf);
    }

    /// `outer_plural`: the number of the noun that a relative clause belongs to.
    fn clause(&mut self, clause: &Clause, outer_plural: bool) {
        let start = self.side.here();
        if clause.time_first {
            self.time(clause);
        }
        let plural = match clause.subject {
            Some(subject) => self.is_plural(self.meaning.noun_phrase(subject)),
            None => outer_plural,
        };
        self.subject_and_verb(clause, plural);
        self.complement(clause);
        if let Some(manner) = clause.manner {
            self.expression(&self.lexicon.manners, manner);
        }
        let late_time = !clause.time_first;
        if late_time && clause.time_before_place {
            self.time(clause);
        }
        if let Some(place) = clause.place {
            let start = self.side.here();
            self.expression(&self.lexicon.places, place.preposition);
            self.noun_phrase(place.noun_phrase);
            self.side.close(place.id, start);
        }
        if late_time && !clause.time_before_place {
            self.time(clause);
        }
        self.side.close(clause.id, start);
    }

    fn subject_and_verb(&mut self, clause: &Clause, plural: bool) {
        let copular = matches!(
            clause.predicate,
            Predicate::Adjective(_) | Predicate::Noun(_)
        );
        if copular {
            let copula = self.copula(clause.tense, plural);
            if clause.question.is_some() {
                self.verbal(copula, clause.leaf, clause);
                self.subject(clause);
                return;
            }
            self.subject(clause);
            // ليس is the copula and the negation in one.
            let merged =
                self.lexicon.language == Language::ArabicLike && clause.tense == Tense::Present;
            match clause.negation {
                Some(negation) => {
                    let leaf = if merged { negation } else { clause.leaf };
                    self.verbal(copula, leaf, clause);
                    self.verbal(self.words.not, negation, clause);
                }
                None => self.verbal(copula, clause.leaf, clause),
            }
            return;
        }
        if let Some(question) = clause.question {
            self.verbal(self.auxiliary(clause.tense, plural), question, clause);
            self.subject(clause);
        } else {
            self.subject(clause);
            if let Some(negation) = clause.negation {
                // `masen deshita` has a word for the past, لم and `nakatta` say it with the negation.
                let apart = self.lexicon.language == Language::JapaneseLike
                    && clause.tense == Tense::Past
                    && !clause.embedded;
                let leaf = if apart { clause.tense_leaf } else { negation };
                self.verbal(self.auxiliary(clause.tense, plural), leaf, clause);
                self.verbal(self.words.not, negation, clause);
            } else if clause.tense == Tense::Future {
                self.verbal(self.words.will, clause.tense_leaf, clause);
            }
        }
        if let Some(frequency) = clause.frequency {
            self.expression(&self.lexicon.frequencies, frequency);
        }
        self.verb(clause, plural);
    }

    fn subject(&mut self, clause: &Clause) {
        let Some(subject) = clause.subject else {
            return;
        };
        let phrase = self.meaning.noun_phrase(subject);
        if let Head::Pronoun { feminine, dropped } = phrase.head {
            let word = match (phrase.plural, feminine) {
                (true, _) => self.words.they,
                (false, true) => self.words.she,
                (false, false) => self.words.he,
            };
            // An Arabic verb says who; a Japanese one does not.
            let leaf = match (dropped, self.lexicon.language) {
                (false, _) => phrase.leaf,
                (true, Language::ArabicLike) => clause.leaf,
                (true, Language::JapaneseLike) => NONE,
            };
            self.say(word, leaf);
            if dropped {
                self.side.lean(clause.id);
            } else {
                self.side.core(phrase.id);
            }
            return;
        }
        self.noun_phrase(subject);
    }

    fn auxiliary(&self, tense: Tense, plural: bool) -> u32 {
        match (tense, plural) {
            (Tense::Past, _) => self.words.did,
            (Tense::Present, true) => self.words.r#do,
            (Tense::Present, false) => self.words.does,
            (Tense::Future, _) => self.words.will,
        }
    }

    fn copula(&self, tense: Tense, plural: bool) -> u32 {
        match (tense, plural) {
            (Tense::Past, true) => self.words.were,
            (Tense::Past, false) => self.words.was,
            (_, true) => self.words.are,
            (_, false) => self.words.is,
        }
    }

    fn verb(&mut self, clause: &Clause, plural: bool) {
        let (Predicate::Verb { verb, .. } | Predicate::Speech { verb, .. }) = clause.predicate
        else {
            return;
        };
        let verb = &self.lexicon.verbs[verb as usize];
        let bare =
            clause.negation.is_some() || clause.question.is_some() || clause.tense == Tense::Future;
        let form = match clause.tense {
            _ if bare => 0,
            Tense::Past => 2,
            Tense::Present if plural => 0,
            _ => 1,
        };
        let word = verb.english[clause.alternative as usize][form];
        self.verbal(word, clause.leaf, clause);
        if verb.english_marker == NO_WORD {
            return;
        }
        if verb.source_marker != NO_WORD && verb.source_marker != self.lexicon.object_marker {
            self.say(verb.english_marker, clause.preposition);
        } else {
            self.verbal(verb.english_marker, clause.leaf, clause);
        }
    }

    /// Says a word of the verb group.
    fn verbal(&mut self, word: u32, leaf: Id, clause: &Clause) {
        self.say(word, leaf);
        self.side.core(clause.id);
    }

    fn complement(&mut self, clause: &Clause) {
        match clause.predicate {
            Predicate::Verb {
                object: Some(object),
                ..
            } => self.noun_phrase(object),
            Predicate::Verb { object: None, .. } => {}
            Predicate::Speech {
                clause: inner,
                that,
                ..
            } => {
                self.say(self.words.that, that);
                self.clause(self.meaning.clause(inner), false);
            }
            // What is said of the subject is the head of a clause without a verb.
            Predicate::Adjective(modifier) => {
                self.modifier(modifier);
                self.side.core(clause.id);
            }
            Predicate::Noun(noun) => {
                self.noun_phrase(noun);
                self.side.core(clause.id);
            }
        }
    }

    fn time(&mut self, clause: &Clause) {
        if let Some(time) = clause.time {
            self.expression(&self.lexicon.times, time);
        }
    }

    fn expression(&mut self, table: &[Fixed], expression: Expression) {
        let start = self.side.here();
        let (from, to) = table[expression.entry as usize].english;
        for &(word, part) in &self.lexicon.parts[from as usize..to as usize] {
            self.say(word, expression.leaf + Id::from(part));
            self.side.core(expression.id);
        }
        self.side.close(expression.id, start);
    }

    fn is_plural(&self, phrase: &NounPhrase) -> bool {
        phrase.plural || phrase.coordinated.is_some()
    }

    fn noun_phrase(&mut self, number: u32) {
        let phrase = self.meaning.noun_phrase(number);
        let start = self.side.here();
        match phrase.possessor {
            Some((owner, leaf, Genitive::Saxon)) => {
                self.noun_phrase(owner);
                self.genitive(self.words.saxon, leaf, owner);
            }
            _ => self.determiner(phrase),
        }
        for modifier in phrase.adjectives.into_iter().flatten() {
            self.modifier(modifier);
        }
        self.head(phrase);
        if let Some((owner, leaf, Genitive::Of)) = phrase.possessor {
            self.genitive(self.words.of, leaf, owner);
            self.noun_phrase(owner);
        }
        if let Some(number) = phrase.relative {
            let clause = self.meaning.clause(number);
            let person = self.lexicon.is_person(phrase.head) && clause.gap == Gap::Subject;
            self.say(
                if person {
                    self.words.who
                } else {
                    self.words.that
                },
                clause.pronoun,
            );
            self.side.lean(clause.id);
            self.clause(clause, phrase.plural);
        }
        if let Some((other, leaf)) = phrase.coordinated {
            self.say(self.words.and, leaf);
            self.noun_phrase(other);
        }
        self.side.close(phrase.id, start);
    }

    /// Arabic has no word for it: order says it, and the owner's case.
    fn genitive(&mut self, word: u32, leaf: Id, owner: u32) {
        let said = self.lexicon.language != Language::ArabicLike;
        self.say(word, if said { leaf } else { NONE });
        self.side.lean(self.meaning.noun_phrase(owner).id);
    }

    fn determiner(&mut self, phrase: &NounPhrase) {
        let Head::Noun(noun) = phrase.head else {
            return;
        };
        if let Some(leaf) = phrase.demonstrative {
            let word = if phrase.plural {
                self.words.these
            } else {
                self.words.this
            };
            self.say(word, leaf);
            self.side.core(phrase.id);
        } else if let Some((leaf, numeral)) = phrase.numeral {
            self.say(self.lexicon.numerals[numeral as usize][0], leaf);
            self.side.core(leaf);
        } else if phrase.definite {
            self.say(self.words.the, self.article_leaf(phrase));
            self.side.core(phrase.id);
        } else if !phrase.plural && !self.lexicon.nouns[noun as usize].mass {
            self.say(self.words.a, NONE);
            self.side.core(phrase.id);
            self.open_article = Some(self.side.words.len() - 1);
        }
    }

    /// `the` is said by the Arabic noun with ال, unless adjectives have it as well. The noun before its possessor or
    /// behind a superlative has none.
    fn article_leaf(&self, phrase: &NounPhrase) -> Id {
        let alone = phrase.adjectives[0].is_none() && phrase.possessor.is_none();
        match self.lexicon.language {
            Language::ArabicLike if alone => phrase.leaf,
            _ => NONE,
        }
    }

    fn modifier(&mut self, modifier: Modifier) {
        let entry = &self.lexicon.adjectives[modifier.adjective as usize];
        let [plain, superlative] = entry.english[modifier.alternative as usize];
        match modifier.degree {
            Degree::Plain => self.say(plain, modifier.leaf),
            Degree::Very(leaf) => {
                self.say(self.words.very, leaf);
                self.say(plain, modifier.leaf);
            }
            Degree::Superlative => self.say(superlative, modifier.leaf),
        }
    }

    fn head(&mut self, phrase: &NounPhrase) {
        match phrase.head {
            Head::Noun(noun) => {
                let forms = self.lexicon.nouns[noun as usize].english[phrase.alternative as usize];
                self.say(forms[usize::from(phrase.plural)], phrase.leaf);
                self.side.core(phrase.id);
            }
            Head::Person(person) => {
                let name = self.lexicon.people[person as usize];
                if phrase.honorific != NONE {
                    let title = if name.feminine {
                        self.words.ms
                    } else {
                        self.words.mr
                    };
                    self.say(title, phrase.honorific);
                }
                self.say(name.english, phrase.leaf);
                self.side.core(phrase.id);
            }
            Head::Town(town) => {
                self.say(self.lexicon.towns[town as usize].english, phrase.leaf);
                self.side.core(phrase.id);
            }
            Head::Pronoun { .. } => {}
        }
    }
}
