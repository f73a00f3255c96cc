// SPDX-License-Identifier: Apache-2.0
//! With the feature `serde`: tokens as parts of messages. Their bytes, or a sequence of numbers where a format has no bytes.

use std::fmt::{self, Formatter};

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::token::Token;

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.as_bytes())
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Token;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("the 128 bytes of a token")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Token, E> {
        bytes.try_into().map(Token::from_bytes).map_err(|_| E::invalid_length(bytes.len(), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Token, A::Error> {
        let mut bytes = [0; 128];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = numbers.next_element()?.ok_or_else(|| A::Error::invalid_length(index, &self))?;
        }
        match numbers.next_element::<u8>()? {
            None => Ok(Token::from_bytes(bytes)),
            Some(_) => Err(A::Error::invalid_length(bytes.len() + 1, &self)),
        }
    }
}
