//! The network against its definition, and training as a whole.

mod gradient;
mod reference;
mod whole;
