//! Noun phrases: pronouns, names, and nouns with all that can hang on them.

use super::{Composer, Frame, OWNERS, Setting};
use crate::Language;
use crate::lexicon::class::{ABSTRACT, AGENT, FOOD, PERSON, PLACE};
use crate::lexicon::{NO_WORD, Role};
use crate::meaning::{Degree, Gap, Genitive, Head, Modifier, NONE, NounPhrase, Predicate, Tense};

impl Composer<'_> {
    pub(super) fn pronoun(&mut self, setting: Setting) -> u32 {
        let plural = self.random.chance(0.25);
        let feminine = !plural && self.random.chance(0.4);
        let dropped = match self.lexicon.language {
            // هو must be said after أن; elsewhere the verb is enough.
            Language::ArabicLike => setting != Setting::SubjectFirst && self.random.chance(0.8),
            Language::JapaneseLike => self.random.chance(0.25),
        };
        let mut phrase = self.bare_phrase(Head::Pronoun { feminine, dropped });
        phrase.plural = plural;
        phrase.definite = true;
        self.file(phrase)
    }

    fn bare_phrase(&mut self, head: Head) -> NounPhrase {
        NounPhrase {
            id: self.meaning.id(),
            head,
            leaf: self.meaning.id(),
            alternative: 0,
            definite: true,
            plural: false,
            demonstrative: None,
            numeral: None,
            adjectives: [None; 2],
            possessor: None,
            relative: None,
            coordinated: None,
            honorific: NONE,
        }
    }

    fn file(&mut self, phrase: NounPhrase) -> u32 {
        self.meaning.noun_phrases.push(phrase);
        self.meaning.noun_phrases.len() as u32 - 1
    }

    pub(super) fn town(&mut self) -> u32 {
        let town = self.lexicon.towns_by_rank.draw(&mut self.random);
        let phrase = self.bare_phrase(Head::Town(town));
        self.file(phrase)
    }

    fn person(&mut self) -> u32 {
        let person = self.lexicon.people_by_rank.draw(&mut self.random);
        let mut phrase = self.bare_phrase(Head::Person(person));
        if self.lexicon.language == Language::JapaneseLike {
            phrase.honorific = self.meaning.id();
        }
        self.file(phrase)
    }

    /// A noun and nothing else.
    pub(super) fn simple_noun(&mut self, mask: u16) -> u32 {
        let noun = self.lexicon.draw_noun(mask, &mut self.random);
        let synonyms = self.lexicon.nouns[noun as usize].synonyms;
        let mut phrase = self.bare_phrase(Head::Noun(noun));
        phrase.alternative = self.synonym(synonyms);
        self.file(phrase)
    }

    pub(super) fn noun_phrase(&mut self, frame: Frame) -> u32 {
        if frame.mask & PERSON != 0 && self.random.chance(0.15) {
            return self.person();
        }
        if frame.mask & PLACE != 0 && self.random.chance(0.12) {
            return self.town();
        }
        let number = self.simple_noun(frame.mask);
        let mut phrase = *self.meaning.noun_phrase(number);
        let Head::Noun(noun) = phrase.head else {
            return number;
        };
        let noun = self.lexicon.nouns[noun as usize];
        // Verbs and relative clauses of several women would need forms that this grammar leaves out.
        let woman = noun.feminine && noun.class == PERSON;
        let never_plural = noun.mass || (woman && frame.subject);
        phrase.plural = !never_plural && self.random.chance(0.22);
        phrase.definite = self.random.chance(if frame.subject { 0.85 } else { 0.6 });
        self.modify(&mut phrase, noun.class);
        if frame.depth > 0 {
            self.deepen(&mut phrase, noun.class, woman);
        }
        if !frame.subject
            && phrase.possessor.is_none()
            && phrase.relative.is_none()
            && self.random.chance(0.06)
        {
            let other = self.simple_noun(noun.class);
            self.meaning.noun_phrases[other as usize].definite = phrase.definite;
            phrase.coordinated = Some((other, self.meaning.id()));
        }
        self.meaning.noun_phrases[number as usize] = phrase;
        number
    }

    /// Adjectives, numerals, demonstratives.
    fn modify(&mut self, phrase: &mut NounPhrase, class: u16) {
        let countable = phrase.plural;
        match self.random.below(100) {
            0..10 if countable => {
                let numeral = self
                    .lexicon
                    .draw_rank(self.lexicon.numerals.len(), &mut self.random);
                phrase.numeral = Some((self.meaning.id(), numeral));
                phrase.definite = false;
            }
            0..8 => {
                phrase.demonstrative = Some(self.meaning.id());
                phrase.definite = true;
            }
            8..40 => phrase.adjectives[0] = Some(self.modifier(class, true)),
            40..44 => {
                phrase.adjectives[0] = Some(self.modifier(class, false));
                let second = self.modifier(class, false);
                let first = phrase.adjectives[0].map(|m| m.adjective);
                if first != Some(second.adjective) {
                    phrase.adjectives[1] = Some(second);
                }
            }
            44..49 => self.superlative(phrase, class),
            _ => {}
        }
    }

    fn superlative(&mut self, phrase: &mut NounPhrase, class: u16) {
        let mut modifier = self.modifier(class, false);
        let entry = &self.lexicon.adjectives[modifier.adjective as usize];
        let elative = entry.source[crate::lexicon::arabic_forms::adjective::ELATIVE] != NO_WORD;
        let said = self.lexicon.language == Language::JapaneseLike || elative;
        if said && entry.english[modifier.alternative as usize][1] != NO_WORD {
            modifier.degree = Degree::Superlative;
            phrase.plural = false;
            phrase.definite = true;
        }
        phrase.adjectives[0] = Some(modifier);
    }

    pub(super) fn modifier(&mut self, class: u16, degree: bool) -> Modifier {
        let adjective = self.lexicon.draw_adjective(class, &mut self.random);
        let synonyms = self.lexicon.adjectives[adjective as usize].synonyms;
        let leaf = self.meaning.id();
        let alternative = self.synonym(synonyms);
        let very = degree && self.random.chance(0.12);
        let degree = if very {
            Degree::Very(self.meaning.id())
        } else {
            Degree::Plain
        };
        Modifier {
            leaf,
            adjective,
            alternative,
            degree,
        }
    }

    /// A possessor or a relative clause.
    fn deepen(&mut self, phrase: &mut NounPhrase, class: u16, woman: bool) {
        let superlative = matches!(
            phrase.adjectives[0],
            Some(Modifier {
                degree: Degree::Superlative,
                ..
            })
        );
        let plain = phrase.demonstrative.is_none() && phrase.numeral.is_none() && !superlative;
        let roll = self.random.below(100);
        if plain && roll < 22 && class & FOOD == 0 {
            phrase.definite = true;
            phrase.possessor = Some(self.possessor(class));
        } else if (22..34).contains(&roll) && !(woman && phrase.plural) && !superlative {
            phrase.relative = Some(self.relative_clause(class));
        }
    }

    fn possessor(&mut self, class: u16) -> (u32, u16, Genitive) {
        let mask = if class == ABSTRACT || class == PLACE {
            OWNERS
        } else {
            AGENT
        };
        let owner = match self.random.below(100) {
            0..25 => self.person(),
            25..40 if mask & PLACE != 0 => self.town(),
            _ => self.simple_noun(mask),
        };
        let person = self.class_of(owner) == PERSON;
        let saxon = if person { 0.85 } else { 0.15 };
        let genitive = if self.random.chance(saxon) {
            Genitive::Saxon
        } else {
            Genitive::Of
        };
        (owner, self.meaning.id(), genitive)
    }

    fn relative_clause(&mut self, class: u16) -> u32 {
        let animate = class & AGENT != 0;
        let tense = if self.random.chance(0.7) {
            Tense::Past
        } else {
            Tense::Present
        };
        if animate && self.random.chance(0.6) {
            let verb = self
                .lexicon
                .draw_verb(Role::SubjectOf, class, &mut self.random);
            let mask = self.lexicon.verbs[verb as usize].object;
            let object = self.noun_phrase(Frame {
                mask,
                depth: 0,
                subject: false,
            });
            let predicate = Predicate::Verb {
                verb,
                object: Some(object),
            };
            let mut clause = self.bare_clause(predicate, tense);
            (clause.gap, clause.pronoun) = (Gap::Subject, self.meaning.id());
            return self.finish_clause(clause, None, Setting::Relative, false);
        }
        let verb = self
            .lexicon
            .draw_verb(Role::ObjectOf, class, &mut self.random);
        let mask = self.lexicon.verbs[verb as usize].subject;
        let subject = self.noun_phrase(Frame {
            mask,
            depth: 0,
            subject: true,
        });
        let mut clause = self.bare_clause(Predicate::Verb { verb, object: None }, tense);
        (clause.gap, clause.pronoun) = (Gap::Object, self.meaning.id());
        self.finish_clause(clause, Some(subject), Setting::Relative, false)
    }
}
