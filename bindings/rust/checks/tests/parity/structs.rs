// SPDX-License-Identifier: Apache-2.0
//! Structs as bytes, and their fields by name, from the list of gpustream-sys.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;

use gpustream::sys::*;
use serde_json::Value as Json;

use super::value::{Names, Value};

/// The header's structs, which have no padding (tests/header of gpustream-sys checks that).
pub trait Plain: Default {
    const NAME: &'static str;

    fn value(&self) -> Value {
        Value::Struct(Self::NAME, as_bytes(self).to_vec())
    }
}

/// A struct from a JSON object of its fields. The others are 0, except for `struct_size`.
pub fn from_json<T: Plain>(names: &Names, fields: &serde_json::Map<String, Json>) -> Result<Vec<u8>, String> {
    let mut bytes = as_bytes(&T::default()).to_vec();
    for (field, json) in fields {
        let (start, size) = place(T::NAME, field)?;
        let value = match (names.resolve(json)?, size) {
            (Value::Text(text), _) if text.len() < size => text.into_bytes(),
            (Value::Real(real), 8) => real.to_ne_bytes().to_vec(),
            (Value::Bits(bits), 8) => bits.to_ne_bytes().to_vec(),
            (Value::Bits(bits), 4) => (bits as u32).to_ne_bytes().to_vec(),
            (other, _) => return Err(format!("{other} does not fit {}.{field}", T::NAME)),
        };
        bytes[start..start + value.len()].copy_from_slice(&value);
    }
    Ok(bytes)
}

pub fn as_bytes<T: Plain>(object: &T) -> &[u8] {
    // SAFETY: without padding all bytes are initialised.
    unsafe { std::slice::from_raw_parts((&raw const *object).cast(), size_of::<T>()) }
}

trait Field {
    fn read(bytes: &[u8]) -> Value;
}

macro_rules! numbers {
    ($($ty:ty => $signed:ident;)*) => { $(
        impl Field for $ty {
            fn read(bytes: &[u8]) -> Value {
                Value::Bits($signed(<$ty>::from_ne_bytes(bytes.try_into().expect("its size"))))
            }
        }
    )* };
}

fn extended<T: Into<i64>>(number: T) -> u64 {
    number.into().cast_unsigned()
}

fn whole<T: Into<u64>>(number: T) -> u64 {
    number.into()
}

numbers! { i32 => extended; i64 => extended; u32 => whole; u64 => whole; }

impl<const N: usize> Field for [c_char; N] {
    fn read(bytes: &[u8]) -> Value {
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(N);
        Value::Text(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}

impl<const N: usize> Field for [u8; N] {
    fn read(bytes: &[u8]) -> Value {
        Value::Struct("array", bytes.to_vec())
    }
}

impl Field for *mut c_void {
    fn read(bytes: &[u8]) -> Value {
        u64::read(bytes)
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })*) => {
        $(impl Plain for $name {
            const NAME: &'static str = stringify!($name);
        })*

        pub fn field(value: &Value, wanted: &str) -> Result<Value, String> {
            let Value::Struct(name, bytes) = value else { return Err(format!("{value} has no field {wanted}")) };
            match (*name, wanted) {
                $($((stringify!($name), stringify!($field)) => {
                    let start = offset_of!($name, $field);
                    Ok(<$ty as Field>::read(&bytes[start..start + size_of::<$ty>()]))
                })*)*
                _ => Err(format!("{name} has no field {wanted}")),
            }
        }

        /// Offset and size of a field.
        fn place(name: &str, field: &str) -> Result<(usize, usize), String> {
            match (name, field) {
                $($((stringify!($name), stringify!($field)) => Ok((offset_of!($name, $field), size_of::<$ty>())),)*)*
                _ => Err(format!("{name} has no field {field}")),
            }
        }
    };
}
gpustream::sys::for_each_struct!(fields);
