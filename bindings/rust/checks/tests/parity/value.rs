// SPDX-License-Identifier: Apache-2.0
//! Values of the cases: of variables, constants and outputs.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use serde_json::Value as Json;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number or handle; signed ones are sign-extended.
    Bits(u64),
    Real(f64),
    Text(String),
    Struct(&'static str, Vec<u8>),
}

impl Value {
    pub fn signed(number: i64) -> Self {
        Self::Bits(number.cast_unsigned())
    }

    pub fn bits(&self) -> Result<u64, String> {
        match self {
            Self::Bits(bits) => Ok(*bits),
            other => Err(format!("{other} is no number")),
        }
    }

    pub fn real(&self) -> f64 {
        match self {
            Self::Bits(bits) => bits.cast_signed() as f64,
            Self::Real(real) => *real,
            Self::Text(_) | Self::Struct(..) => f64::NAN,
        }
    }

    /// Equality as the cases mean it: a number with a fraction equals a whole one of the same value.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Real(_), Self::Bits(_)) | (Self::Bits(_), Self::Real(_)) => self.real() == other.real(),
            _ => self == other,
        }
    }
}

impl Display for Value {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(bits) => write!(out, "{}", bits.cast_signed()),
            Self::Real(real) => write!(out, "{real}"),
            Self::Text(text) => write!(out, "'{text}'"),
            Self::Struct(name, _) => write!(out, "a {name}"),
        }
    }
}

/// Constants and variables.
pub struct Names {
    constants: HashMap<String, Value>,
    variables: HashMap<String, Value>,
}

impl Names {
    pub fn new(constants: &Json) -> Result<Self, String> {
        let mut names = Self { constants: HashMap::new(), variables: HashMap::new() };
        for (name, number) in constants.as_object().into_iter().flatten() {
            let value = names.resolve(number)?;
            names.constants.insert(name.clone(), value);
        }
        Ok(names)
    }

    pub fn set(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }

    /// A number, `"$variable"`, `"GS_CONSTANT"`, `"0x…"`, null, or a text that stands for itself.
    pub fn resolve(&self, json: &Json) -> Result<Value, String> {
        match json {
            Json::Null => Ok(Value::Bits(0)),
            Json::Bool(truth) => Ok(Value::Bits((*truth).into())),
            Json::Number(number) => Ok(match (number.as_i64(), number.as_u64()) {
                (Some(signed), _) => Value::signed(signed),
                (None, Some(unsigned)) => Value::Bits(unsigned),
                (None, None) => Value::Real(number.as_f64().ok_or("a number out of range")?),
            }),
            Json::String(text) => self.resolve_text(text),
            other => Err(format!("{other} is no value")),
        }
    }

    fn resolve_text(&self, text: &str) -> Result<Value, String> {
        if let Some(name) = text.strip_prefix('$') {
            return self.variables.get(name).cloned().ok_or_else(|| format!("no variable {name}"));
        }
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16).map(Value::Bits).map_err(|error| format!("{text}: {error}"));
        }
        Ok(self.constants.get(text).cloned().unwrap_or_else(|| Value::Text(text.to_owned())))
    }
}
