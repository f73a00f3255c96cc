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
        let (start, value) = written(T::NAME, field, &names.resolve(json)?)?;
        bytes[start..start + value.len()].copy_from_slice(&value);
    }
    Ok(bytes)
}

fn as_bytes<T: Plain>(object: &T) -> &[u8] {
    // SAFETY: without padding all bytes are initialised.
    unsafe { std::slice::from_raw_parts((&raw const *object).cast(), size_of::<T>()) }
}

/// Types of fields.
trait Field {
    fn read(bytes: &[u8]) -> Value;

    /// The bytes of a field with that value; `None` if the field cannot have it.
    fn write(value: &Value) -> Option<Vec<u8>>;
}

macro_rules! numbers {
    ($($ty:ty => $signed:ident;)*) => { $(
        impl Field for $ty {
            fn read(bytes: &[u8]) -> Value {
                Value::Bits($signed(<$ty>::from_ne_bytes(bytes.try_into().expect("its size"))))
            }

            fn write(value: &Value) -> Option<Vec<u8>> {
                value.bits().ok().map(|bits| (bits as $ty).to_ne_bytes().to_vec())
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

fn size(number: usize) -> u64 {
    number as u64
}

numbers! {
    i16 => extended; i32 => extended; i64 => extended;
    u8 => whole; u16 => whole; u32 => whole; u64 => whole; usize => size;
}

impl Field for f64 {
    fn read(bytes: &[u8]) -> Value {
        Value::Real(Self::from_ne_bytes(bytes.try_into().expect("its size")))
    }

    fn write(value: &Value) -> Option<Vec<u8>> {
        let real = value.real();
        (!real.is_nan()).then(|| real.to_ne_bytes().to_vec())
    }
}

impl<const N: usize> Field for [c_char; N] {
    fn read(bytes: &[u8]) -> Value {
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(N);
        Value::Text(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    fn write(value: &Value) -> Option<Vec<u8>> {
        match value {
            Value::Text(text) if text.len() < N => Some(text.clone().into_bytes()),
            _ => None,
        }
    }
}

/// Arrays of numbers are compared as bytes, and are outputs only.
macro_rules! arrays {
    ($($ty:ty)*) => { $(
        impl<const N: usize> Field for [$ty; N] {
            fn read(bytes: &[u8]) -> Value {
                Value::Struct("array", bytes.to_vec())
            }

            fn write(_: &Value) -> Option<Vec<u8>> {
                None
            }
        }
    )* };
}
arrays! { u8 i16 u16 i32 u32 i64 u64 usize f64 }

/// Pointers, handles and callbacks are numbers.
macro_rules! addresses {
    ($([$($generic:ident),*] $ty:ty;)*) => { $(
        impl<$($generic),*> Field for $ty {
            fn read(bytes: &[u8]) -> Value {
                u64::read(bytes)
            }

            fn write(value: &Value) -> Option<Vec<u8>> {
                u64::write(value)
            }
        }
    )* };
}
addresses! {
    [T] *mut T;
    [T] *const T;
    [R] Option<unsafe extern "C" fn() -> R>;
    [R, A] Option<unsafe extern "C" fn(A) -> R>;
    [R, A, B] Option<unsafe extern "C" fn(A, B) -> R>;
    [R, A, B, C] Option<unsafe extern "C" fn(A, B, C) -> R>;
    [R, A, B, C, D] Option<unsafe extern "C" fn(A, B, C, D) -> R>;
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

        /// Offset and bytes of a field with a value.
        fn written(name: &str, field: &str, value: &Value) -> Result<(usize, Vec<u8>), String> {
            let (start, bytes) = match (name, field) {
                $($((stringify!($name), stringify!($field)) => {
                    (offset_of!($name, $field), <$ty as Field>::write(value))
                })*)*
                _ => return Err(format!("{name} has no field {field}")),
            };
            bytes.map(|bytes| (start, bytes)).ok_or_else(|| format!("{value} does not fit {name}.{field}"))
        }
    };
}
gpustream::sys::for_each_struct!(fields);
