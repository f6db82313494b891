//! Options as one types them (`--learner svm --c 0.01`), read without a command line: so a recipe is
//! written in a configuration as it would be typed.

use crate::{Error, Result};
use std::str::FromStr;

/// One option: `--name value`, `--name=value`, or `--name` alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedOption {
    /// Its name, without the hyphens.
    pub name: String,
    /// What stands behind it.
    pub value: Option<String>,
}

impl TypedOption {
    /// All options of a line.
    pub fn all(line: &str) -> Result<Vec<TypedOption>> {
        let mut options: Vec<TypedOption> = Vec::new();
        for word in line.split_whitespace() {
            match word.strip_prefix("--") {
                Some(named) => {
                    let (name, value) = match named.split_once('=') {
                        Some((name, value)) => (name, Some(value.to_string())),
                        None => (named, None),
                    };
                    let name = name.to_string();
                    options.push(TypedOption { name, value });
                }
                None => match options.last_mut() {
                    Some(option) if option.value.is_none() => option.value = Some(word.into()),
                    _ => {
                        let reason = format!("unexpected argument '{word}' found");
                        return Err(Error::Recipe(reason));
                    }
                },
            }
        }
        Ok(options)
    }

    /// The value, read.
    pub fn read<T: FromStr<Err: ToString>>(&self) -> Result<T> {
        let value = self.required()?;
        value.parse().map_err(|error: T::Err| {
            let reason = error.to_string();
            Error::Recipe(format!(
                "invalid value '{value}' for '--{}': {reason}",
                self.name
            ))
        })
    }

    /// The value as it stands.
    pub fn required(&self) -> Result<&str> {
        let missing = || Error::Recipe(format!("a value is required for '--{}'", self.name));
        self.value.as_deref().ok_or_else(missing)
    }

    /// An option that takes no value.
    pub fn flag(&self) -> Result<bool> {
        match &self.value {
            None => Ok(true),
            Some(value) => {
                let reason = format!("unexpected value '{value}' for '--{}'", self.name);
                Err(Error::Recipe(reason))
            }
        }
    }

    /// `on` or `off`.
    pub fn switch(&self) -> Result<bool> {
        match self.required()? {
            "on" => Ok(true),
            "off" => Ok(false),
            other => {
                let name = &self.name;
                let reason = format!("invalid value '{other}' for '--{name}': on or off expected");
                Err(Error::Recipe(reason))
            }
        }
    }

    /// Nobody knows this option.
    pub fn unexpected(&self) -> Error {
        Error::Recipe(format!("unexpected argument '--{}' found", self.name))
    }
}
