//! The spellings of one side: numbers in the inner loop, text only when it is written.

use rustc_hash::FxHashMap;

/// Word forms by number.
#[derive(Debug)]
pub struct Words {
    text: String,
    ends: Vec<u32>,
    index: FxHashMap<Box<str>, u32>,
}

impl Words {
    /// No words yet.
    pub fn new() -> Self {
        Words {
            text: String::new(),
            ends: vec![0],
            index: FxHashMap::default(),
        }
    }

    /// The number of a hand-written form: the same for the same form.
    pub fn intern(&mut self, form: &str) -> u32 {
        if let Some(&number) = self.index.get(form) {
            return number;
        }
        let number = self.push(form);
        self.index.insert(form.into(), number);
        number
    }

    /// A new form that is not looked up again (made-up words, of which there may be millions).
    pub fn push(&mut self, form: &str) -> u32 {
        self.text.push_str(form);
        self.ends.push(self.text.len() as u32);
        (self.ends.len() - 2) as u32
    }

    /// True if `form` is one of the hand-written ones.
    pub fn contains(&self, form: &str) -> bool {
        self.index.contains_key(form)
    }

    /// The spelling.
    pub fn spelling(&self, number: u32) -> &str {
        let number = number as usize;
        &self.text[self.ends[number] as usize..self.ends[number + 1] as usize]
    }
}
