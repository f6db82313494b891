//! Who is told about work of several stages: a terminal, a notebook, a log, nobody.

use crate::Progress;

/// Someone who watches. Libraries talk to this and never to a terminal.
pub trait Observer: Sync {
    /// A remark for people.
    fn say(&self, remark: &str);

    /// A piece of work begins; `total` is the number of its units if that is known. What comes
    /// back is told how far it is, and dropped at the end.
    fn begin(&self, work: &str, unit: &str, total: Option<u64>) -> Box<dyn Progress + '_>;
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn say(&self, _remark: &str) {}

    fn begin(&self, _work: &str, _unit: &str, _total: Option<u64>) -> Box<dyn Progress + '_> {
        Box::new(())
    }
}
