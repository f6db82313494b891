//! What a sentence means before it is said in either language: clauses, noun phrases and adjuncts by number.
//!
//! Every meaning that is said with words of its own is a leaf; every noun phrase, adjunct and clause is a constituent.
//! Both have a number out of one series. Source and target words that say the same leaf are linked.

/// Number of a leaf or constituent.
pub type Id = u16;
/// No leaf: the word has no sure link.
pub const NONE: Id = Id::MAX;

/// When it happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tense {
    /// It did.
    Past,
    /// It does.
    Present,
    /// It will.
    Future,
}

impl Tense {
    /// The bit in the tables of the lexicon.
    pub fn bit(self) -> u8 {
        match self {
            Tense::Past => 1,
            Tense::Present => 2,
            Tense::Future => 4,
        }
    }
}

/// What a noun phrase is built on.
#[derive(Clone, Copy, Debug)]
pub enum Head {
    /// Number of a noun.
    Noun(u32),
    /// Number of a person's name.
    Person(u32),
    /// Number of a town.
    Town(u32),
    /// he, she or they.
    Pronoun {
        /// she.
        feminine: bool,
        /// Not said in the source.
        dropped: bool,
    },
}

/// How much.
#[derive(Clone, Copy, Debug)]
pub enum Degree {
    /// big.
    Plain,
    /// very big.
    Very(Id),
    /// the biggest.
    Superlative,
}

/// An adjective at work.
#[derive(Clone, Copy, Debug)]
pub struct Modifier {
    /// Its leaf.
    pub leaf: Id,
    /// Number of the adjective.
    pub adjective: u32,
    /// Which English synonym.
    pub alternative: u8,
    /// How much.
    pub degree: Degree,
}

/// A fixed expression at work; part p is leaf `leaf + p`.
#[derive(Clone, Copy, Debug)]
pub struct Expression {
    /// The constituent.
    pub id: Id,
    /// The first of [`Expression::LEAVES`] leaves.
    pub leaf: Id,
    /// Number in its table.
    pub entry: u32,
}

impl Expression {
    /// Leaves set aside for one.
    pub const LEAVES: u16 = 4;
}

/// `of` or `'s`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Genitive {
    /// the door of the house.
    Of,
    /// the boy 's book.
    Saxon,
}

/// A noun phrase.
#[derive(Clone, Copy, Debug)]
pub struct NounPhrase {
    /// The constituent.
    pub id: Id,
    /// What it is built on.
    pub head: Head,
    /// Leaf of the head.
    pub leaf: Id,
    /// Which English synonym.
    pub alternative: u8,
    /// Known to the listener.
    pub definite: bool,
    /// More than one.
    pub plural: bool,
    /// this, these.
    pub demonstrative: Option<Id>,
    /// three: leaf and number.
    pub numeral: Option<(Id, u32)>,
    /// At most two.
    pub adjectives: [Option<Modifier>; 2],
    /// Whose: number of a noun phrase, its leaf, and how English says it.
    pub possessor: Option<(u32, Id, Genitive)>,
    /// who ..., that ...: number of the clause.
    pub relative: Option<u32>,
    /// and ...: number of the other noun phrase and leaf of `and`.
    pub coordinated: Option<(u32, Id)>,
    /// Leaf of Mr or Ms, where the language has a word for it.
    pub honorific: Id,
}

/// A place: preposition and noun phrase.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The constituent.
    pub id: Id,
    /// The preposition.
    pub preposition: Expression,
    /// Number of the noun phrase.
    pub noun_phrase: u32,
}

/// What is said of the subject.
#[derive(Clone, Copy, Debug)]
pub enum Predicate {
    /// Number of a verb and of its object, if it has one.
    Verb {
        /// Number of the verb.
        verb: u32,
        /// Number of the object.
        object: Option<u32>,
    },
    /// A verb of saying, and what is said.
    Speech {
        /// Number of the verb.
        verb: u32,
        /// Number of the clause.
        clause: u32,
        /// Leaf of `that`.
        that: Id,
    },
    /// is big.
    Adjective(Modifier),
    /// is a teacher.
    Noun(u32),
}

/// What the noun outside is in a relative clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// Nothing: it is not a relative clause.
    None,
    /// The subject.
    Subject,
    /// The object.
    Object,
}

/// A clause.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// The constituent.
    pub id: Id,
    /// Number of the subject, absent only where it is the gap.
    pub subject: Option<u32>,
    /// What is missing.
    pub gap: Gap,
    /// Leaf of the relative pronoun that introduces it.
    pub pronoun: Id,
    /// What is said.
    pub predicate: Predicate,
    /// Leaf of the verb or copula.
    pub leaf: Id,
    /// Leaf of the preposition that the verb demands.
    pub preposition: Id,
    /// Which English synonym of the verb.
    pub alternative: u8,
    /// When.
    pub tense: Tense,
    /// Leaf of the word that says the tense: a future marker, `did` of `did not`.
    pub tense_leaf: Id,
    /// Leaf of `not`.
    pub negation: Option<Id>,
    /// Leaf of the question marker.
    pub question: Option<Id>,
    /// Where.
    pub place: Option<Place>,
    /// When.
    pub time: Option<Expression>,
    /// How.
    pub manner: Option<Expression>,
    /// How often.
    pub frequency: Option<Expression>,
    /// Source: subject before the verb (Arabic), object before the subject (Japanese).
    pub marked_order: bool,
    /// Source: where the time stands, 0 first, 1 in the middle, 2 late.
    pub time_position: u8,
    /// Target: the time comes first.
    pub time_first: bool,
    /// Target: the time before the place.
    pub time_before_place: bool,
    /// Source: topic marker on the subject.
    pub topic: bool,
    /// Inside another clause, where Japanese verbs are plain.
    pub embedded: bool,
}

/// How two clauses are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joint {
    /// and, but.
    Coordination,
    /// because: the second explains; never first in Arabic.
    Reason,
    /// when: either may come first.
    Time,
    /// although: either may come first.
    Concession,
}

impl Joint {
    /// From the number in the table of connectives.
    pub fn from_code(code: u8) -> Self {
        match code {
            1 => Joint::Reason,
            2 => Joint::Time,
            3 => Joint::Concession,
            _ => Joint::Coordination,
        }
    }
}

/// A second clause and how it is joined.
#[derive(Clone, Copy, Debug)]
pub struct Second {
    /// Number of the clause.
    pub clause: u32,
    /// The connective.
    pub connective: Expression,
    /// How.
    pub joint: Joint,
    /// The second clause comes first in the source.
    pub first_in_source: bool,
    /// The second clause comes first in the target.
    pub first_in_target: bool,
    /// Leaf of the comma.
    pub comma: Id,
}

/// A sentence; kept and cleared, so that no sentence allocates.
#[derive(Default, Debug)]
pub struct Meaning {
    /// All noun phrases.
    pub noun_phrases: Vec<NounPhrase>,
    /// All clauses.
    pub clauses: Vec<Clause>,
    /// Number of the main clause.
    pub main: u32,
    /// The other one.
    pub second: Option<Second>,
    /// Leaf of the full stop or question mark.
    pub stop: Id,
    /// How many leaves and constituents there are.
    pub ids: u16,
}

impl Meaning {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.noun_phrases.clear();
        self.clauses.clear();
        self.second = None;
        self.ids = 0;
    }

    /// A new number.
    pub fn id(&mut self) -> Id {
        self.ids += 1;
        self.ids - 1
    }

    /// A new fixed expression.
    pub fn expression(&mut self, entry: u32) -> Expression {
        let id = self.id();
        let leaf = self.ids;
        self.ids += Expression::LEAVES;
        Expression { id, leaf, entry }
    }

    /// A noun phrase by number.
    pub fn noun_phrase(&self, number: u32) -> &NounPhrase {
        &self.noun_phrases[number as usize]
    }

    /// The constituents that a word belongs to which marks this noun phrase: it and what is coordinated with it.
    pub fn conjuncts(&self, number: u32) -> impl Iterator<Item = Id> + use<> {
        let phrase = self.noun_phrase(number);
        let other = phrase
            .coordinated
            .map(|(other, _)| self.noun_phrase(other).id);
        [Some(phrase.id), other].into_iter().flatten()
    }

    /// A clause by number.
    pub fn clause(&self, number: u32) -> &Clause {
        &self.clauses[number as usize]
    }
}
