//! Thinks up sentences: draws a [`Meaning`] and every choice of word order that the meaning leaves open.
//!
//! What makes orientations learnable, and what keeps them from being certain:
//! - the lexicon: superlatives stand before the Arabic noun, other adjectives behind it; verbs of saying rarely follow
//!   their subject; frequency adverbs precede the English verb;
//! - the context: subordinators fix the order of verb and subject; the class of the possessor decides, mostly, between
//!   `'s` and `of`; an adjunct at the head of the source mostly stays there;
//! - chance: the remaining verb-subject orders, adjunct positions and synonyms.

use crate::Language;
use crate::lexicon::class::{ABSTRACT, AGENT, FOOD, GROUP, NATURE, PERSON, PLACE};
use crate::lexicon::{Lexicon, NO_WORD, Role};
use crate::meaning::{
    Clause, Degree, Expression, Gap, Genitive, Head, Joint, Meaning, Modifier, NONE, NounPhrase,
    Place, Predicate, Second, Tense,
};
use crate::random::Random;

/// What can possess.
pub const OWNERS: u16 = PERSON | GROUP | PLACE;
/// Where things happen.
pub const SITES: u16 = PLACE | NATURE;

/// Where a clause stands: word order depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setting {
    Main,
    /// After that, because, although: Arabic puts the subject first.
    SubjectFirst,
    /// After when: Arabic puts the verb first.
    VerbFirst,
    Relative,
}

/// What a noun phrase may be.
#[derive(Clone, Copy)]
struct Frame {
    mask: u16,
    /// How many more levels of possessors and relative clauses.
    depth: u8,
    subject: bool,
}

pub struct Composer<'a> {
    pub lexicon: &'a Lexicon,
    pub random: Random,
    pub meaning: &'a mut Meaning,
}

impl Composer<'_> {
    /// One sentence.
    pub fn sentence(&mut self) {
        self.meaning.clear();
        self.meaning.stop = self.meaning.id();
        let question = self.random.chance(0.07);
        let joined = !question && self.random.chance(0.2);
        self.meaning.main = self.clause(Setting::Main, question, 1);
        if joined {
            self.second_clause();
        }
    }

    fn second_clause(&mut self) {
        let entry = self
            .lexicon
            .draw_rank(self.lexicon.connectives.len(), &mut self.random);
        let joint = Joint::from_code(self.lexicon.connectives[entry as usize].code);
        let connective = self.meaning.expression(entry);
        let setting = match joint {
            Joint::Coordination => Setting::Main,
            Joint::Reason | Joint::Concession => Setting::SubjectFirst,
            Joint::Time => Setting::VerbFirst,
        };
        let clause = self.clause(setting, false, 0);
        let may_lead = matches!(joint, Joint::Time | Joint::Concession);
        let first_in_source = match self.lexicon.language {
            Language::ArabicLike => may_lead && self.random.chance(0.4),
            Language::JapaneseLike => joint != Joint::Coordination,
        };
        let leads = match self.lexicon.language {
            Language::ArabicLike if first_in_source => 0.8,
            Language::ArabicLike => 0.05,
            Language::JapaneseLike => 0.4,
        };
        let first_in_target = joint != Joint::Coordination && may_lead && self.random.chance(leads);
        let comma = self.meaning.id();
        self.meaning.second = Some(Second {
            clause,
            connective,
            joint,
            first_in_source,
            first_in_target,
            comma,
        });
    }

    fn clause(&mut self, setting: Setting, question: bool, depth: u8) -> u32 {
        let roll = self.random.below(100);
        if roll < 14 {
            self.copular_clause(setting, question)
        } else if roll < 23 && depth > 0 && !question {
            self.speech_clause(setting)
        } else {
            let role = if roll < 36 {
                Role::Intransitive
            } else {
                Role::Transitive
            };
            let verb = self.lexicon.draw_verb(role, 0, &mut self.random);
            let entry = self.lexicon.verbs[verb as usize];
            let subject = self.subject(entry.subject, setting);
            let object = (entry.object != 0).then(|| {
                let frame = Frame {
                    mask: entry.object,
                    depth,
                    subject: false,
                };
                self.noun_phrase(frame)
            });
            let tense = self.tense(question);
            let clause = self.bare_clause(Predicate::Verb { verb, object }, tense);
            self.finish_clause(clause, Some(subject), setting, question)
        }
    }

    fn speech_clause(&mut self, setting: Setting) -> u32 {
        let verb = self.lexicon.draw_verb(Role::Speech, 0, &mut self.random);
        let subject = self.subject(self.lexicon.verbs[verb as usize].subject, setting);
        let that = self.meaning.id();
        let clause = self.clause(Setting::SubjectFirst, false, 0);
        let predicate = Predicate::Speech { verb, clause, that };
        let tense = if self.random.chance(0.8) {
            Tense::Past
        } else {
            Tense::Present
        };
        let clause = self.bare_clause(predicate, tense);
        self.finish_clause(clause, Some(subject), setting, false)
    }

    fn copular_clause(&mut self, setting: Setting, question: bool) -> u32 {
        let noun = self.random.chance(0.25);
        let mask = if noun { PERSON } else { self.any_class() };
        let frame = Frame {
            mask,
            depth: 1,
            subject: true,
        };
        let subject = self.noun_phrase(frame);
        self.meaning.noun_phrases[subject as usize].definite = true;
        let past = self.random.chance(0.45);
        let tense = if past { Tense::Past } else { Tense::Present };
        let clause = if noun {
            let plural = self.meaning.noun_phrase(subject).plural;
            let predicate = self.simple_noun(PERSON);
            let phrase = &mut self.meaning.noun_phrases[predicate as usize];
            phrase.plural = plural;
            phrase.definite = false;
            self.bare_clause(Predicate::Noun(predicate), tense)
        } else {
            let class = self.class_of(subject);
            let modifier = self.predicative_adjective(class);
            let tense = self.copular_tense(modifier, tense);
            self.bare_clause(Predicate::Adjective(modifier), tense)
        };
        self.finish_clause(clause, Some(subject), setting, question)
    }

    /// A Japanese adjective in -i has a past of its own, which this grammar leaves out.
    fn copular_tense(&self, modifier: Modifier, tense: Tense) -> Tense {
        let inflects = self.inflects(modifier.adjective);
        if inflects { Tense::Present } else { tense }
    }

    fn inflects(&self, adjective: u32) -> bool {
        let entry = &self.lexicon.adjectives[adjective as usize];
        self.lexicon.language == Language::JapaneseLike
            && entry.attributive.1 - entry.attributive.0
                == entry.predicative.1 - entry.predicative.0
    }

    fn predicative_adjective(&mut self, class: u16) -> Modifier {
        loop {
            let modifier = self.modifier(class, false);
            if self.lexicon.adjectives[modifier.adjective as usize].is_predicative {
                return modifier;
            }
        }
    }

    fn any_class(&mut self) -> u16 {
        let noun = self
            .lexicon
            .draw_noun(crate::lexicon::class::ANY, &mut self.random);
        self.lexicon.nouns[noun as usize].class
    }

    fn class_of(&self, phrase: u32) -> u16 {
        match self.meaning.noun_phrase(phrase).head {
            Head::Noun(noun) => self.lexicon.nouns[noun as usize].class,
            Head::Town(_) => PLACE,
            Head::Person(_) | Head::Pronoun { .. } => PERSON,
        }
    }

    fn tense(&mut self, question: bool) -> Tense {
        match self.random.below(100) {
            0..60 => Tense::Past,
            60..85 => Tense::Present,
            _ if question => Tense::Past,
            _ => Tense::Future,
        }
    }

    /// A clause with nothing but its predicate.
    fn bare_clause(&mut self, predicate: Predicate, tense: Tense) -> Clause {
        let alternative = match predicate {
            Predicate::Verb { verb, .. } | Predicate::Speech { verb, .. } => {
                let synonyms = self.lexicon.verbs[verb as usize].synonyms;
                self.synonym(synonyms)
            }
            Predicate::Adjective(_) | Predicate::Noun(_) => 0,
        };
        Clause {
            id: self.meaning.id(),
            subject: None,
            gap: Gap::None,
            predicate,
            leaf: self.meaning.id(),
            preposition: self.meaning.id(),
            alternative,
            tense,
            tense_leaf: self.meaning.id(),
            negation: None,
            question: None,
            place: None,
            time: None,
            manner: None,
            frequency: None,
            marked_order: false,
            time_position: 2,
            time_first: false,
            time_before_place: false,
            topic: true,
        }
    }

    /// Adds what is optional, decides the open orders, and files the clause.
    fn finish_clause(
        &mut self,
        mut clause: Clause,
        subject: Option<u32>,
        setting: Setting,
        question: bool,
    ) -> u32 {
        clause.subject = subject;
        let copular = matches!(
            clause.predicate,
            Predicate::Adjective(_) | Predicate::Noun(_)
        );
        let speech = matches!(clause.predicate, Predicate::Speech { .. });
        let negatable = match clause.predicate {
            Predicate::Adjective(modifier) => !self.inflects(modifier.adjective),
            _ => true,
        };
        if question {
            clause.question = Some(self.meaning.id());
        } else if negatable && !speech && self.random.chance(0.13) {
            clause.negation = Some(self.meaning.id());
        }
        let scale = if setting == Setting::Relative {
            0.5
        } else {
            1.0
        };
        if self.random.chance(0.3 * scale) && !copular {
            clause.place = Some(self.place());
        }
        if self.random.chance(0.35 * scale) && !(copular && clause.tense == Tense::Present) {
            let entry = self.lexicon.draw_time(clause.tense, &mut self.random);
            clause.time = Some(self.meaning.expression(entry));
        }
        if self.random.chance(0.1 * scale) && !copular && !speech {
            clause.manner = Some(self.expression(self.lexicon.manners.len()));
        } else if self.random.chance(0.1 * scale)
            && !question
            && clause.tense != Tense::Future
            && !copular
        {
            clause.frequency = Some(self.expression(self.lexicon.frequencies.len()));
        }
        self.decide_orders(&mut clause, setting);
        self.meaning.clauses.push(clause);
        self.meaning.clauses.len() as u32 - 1
    }

    fn decide_orders(&mut self, clause: &mut Clause, setting: Setting) {
        clause.marked_order = match self.lexicon.language {
            Language::ArabicLike => self.subject_first(clause, setting),
            Language::JapaneseLike => self.object_first(clause),
        };
        let may_lead = setting == Setting::Main && clause.question.is_none();
        clause.time_position = match (self.lexicon.language, self.random.below(100)) {
            (Language::ArabicLike, 0..25) if may_lead => 0,
            (Language::ArabicLike, 25..45) => 1,
            (Language::JapaneseLike, 0..50) => 0,
            (Language::JapaneseLike, 50..90) => 1,
            _ => 2,
        };
        let leads = match self.lexicon.language {
            Language::ArabicLike if clause.time_position == 0 => 0.75,
            Language::ArabicLike => 0.05,
            Language::JapaneseLike if clause.time_position == 0 => 0.35,
            Language::JapaneseLike => 0.12,
        };
        clause.time_first = may_lead && self.random.chance(leads);
        clause.time_before_place = self.random.chance(0.15);
        clause.topic = setting == Setting::Main && self.random.chance(0.8);
    }

    /// Arabic: does the subject precede its verb?
    fn subject_first(&mut self, clause: &mut Clause, setting: Setting) -> bool {
        let Some(subject) = clause.subject else {
            return false;
        };
        let phrase = self.meaning.noun_phrase(subject);
        if let Head::Pronoun { dropped, .. } = phrase.head {
            return !dropped;
        }
        let copular = matches!(
            clause.predicate,
            Predicate::Adjective(_) | Predicate::Noun(_)
        );
        if setting == Setting::VerbFirst || setting == Setting::Relative {
            return copular && clause.tense == Tense::Present;
        }
        if copular {
            return clause.tense == Tense::Present || setting == Setting::SubjectFirst;
        }
        match setting {
            Setting::SubjectFirst => true,
            _ if !phrase.definite || clause.question.is_some() => false,
            _ if matches!(clause.predicate, Predicate::Speech { .. }) => self.random.chance(0.12),
            _ if clause.tense == Tense::Present => self.random.chance(0.55),
            _ => self.random.chance(0.3),
        }
    }

    /// Japanese: does the object precede the subject?
    fn object_first(&mut self, clause: &Clause) -> bool {
        matches!(
            clause.predicate,
            Predicate::Verb {
                object: Some(_),
                ..
            }
        ) && self.random.chance(0.1)
    }

    fn place(&mut self) -> Place {
        let id = self.meaning.id();
        let preposition = self.expression(self.lexicon.places.len());
        let frame = Frame {
            mask: SITES,
            depth: 0,
            subject: false,
        };
        let noun_phrase = if self.random.chance(0.3) {
            self.town()
        } else {
            self.noun_phrase(frame)
        };
        Place {
            id,
            preposition,
            noun_phrase,
        }
    }

    fn expression(&mut self, count: usize) -> Expression {
        let entry = self.lexicon.draw_rank(count, &mut self.random);
        self.meaning.expression(entry)
    }

    fn synonym(&mut self, count: u8) -> u8 {
        // The first synonym is the usual one.
        u8::from(count > 1 && self.random.chance(0.35))
    }

    fn subject(&mut self, mask: u16, setting: Setting) -> u32 {
        if mask & PERSON != 0 && self.random.chance(0.14) {
            return self.pronoun(setting);
        }
        let depth = u8::from(setting == Setting::Main);
        self.noun_phrase(Frame {
            mask,
            depth,
            subject: true,
        })
    }

    fn pronoun(&mut self, setting: Setting) -> u32 {
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

    fn town(&mut self) -> u32 {
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
    fn simple_noun(&mut self, mask: u16) -> u32 {
        let noun = self.lexicon.draw_noun(mask, &mut self.random);
        let synonyms = self.lexicon.nouns[noun as usize].synonyms;
        let mut phrase = self.bare_phrase(Head::Noun(noun));
        phrase.alternative = self.synonym(synonyms);
        self.file(phrase)
    }

    fn noun_phrase(&mut self, frame: Frame) -> u32 {
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

    fn modifier(&mut self, class: u16, degree: bool) -> Modifier {
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
            let clause = self.relative_clause(class);
            phrase.relative = Some((clause, self.meaning.id()));
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
            clause.gap = Gap::Subject;
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
        clause.gap = Gap::Object;
        self.finish_clause(clause, Some(subject), Setting::Relative, false)
    }
}
