//! Semantic classes as bit masks: verbs and adjectives choose their nouns by them.

/// People.
pub const PERSON: u16 = 1;
/// Organisations.
pub const GROUP: u16 = 1 << 1;
/// Animals.
pub const ANIMAL: u16 = 1 << 2;
/// Places and buildings.
pub const PLACE: u16 = 1 << 3;
/// Things one can hold.
pub const THING: u16 = 1 << 4;
/// What is written or said.
pub const TEXT: u16 = 1 << 5;
/// What is eaten or drunk.
pub const FOOD: u16 = 1 << 6;
/// Parts of the body.
pub const BODY: u16 = 1 << 7;
/// Landscape and weather.
pub const NATURE: u16 = 1 << 8;
/// Ideas and events.
pub const ABSTRACT: u16 = 1 << 9;
/// Clothes.
pub const CLOTHES: u16 = 1 << 10;
/// Vehicles.
pub const VEHICLE: u16 = 1 << 11;

/// Whoever can want something.
pub const AGENT: u16 = PERSON | GROUP;
/// What can be touched.
pub const OBJECT: u16 = THING | TEXT | FOOD | CLOTHES | VEHICLE;
/// Everything.
pub const ANY: u16 = (1 << 12) - 1;
