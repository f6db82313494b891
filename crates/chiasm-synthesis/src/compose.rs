//! Thinks up sentences: draws a [`Meaning`] and every choice of word order that the meaning leaves open.
//!
//! What makes orientations learnable, and what keeps them from being certain:
//! - the lexicon: superlatives stand before the Arabic noun, other adjectives behind it; verbs of saying rarely follow
//!   their subject; frequency adverbs precede the English verb;
//! - the context: subordinators fix the order of verb and subject; the class of the possessor decides, mostly, between
//!   `'s` and `of`; an adjunct at the head of the source mostly stays there;
//! - chance: the remaining verb-subject orders, adjunct positions and synonyms.

mod noun_phrases;

use crate::Language;
use crate::lexicon::class::{GROUP, NATURE, PERSON, PLACE};
use crate::lexicon::{Lexicon, Role};
use crate::meaning::{
    Clause, Expression, Gap, Head, Joint, Meaning, Modifier, NONE, Place, Predicate, Second, Tense,
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
            pronoun: NONE,
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
            embedded: false,
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
        clause.embedded = setting != Setting::Main;
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
}
