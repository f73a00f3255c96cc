// SPDX-License-Identifier: Apache-2.0
//! Types of parameters: how inputs are made from a step, and how outputs are collected.

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

use gpustream::sys::*;
use serde_json::Value as Json;

use super::arguments::{Arguments, pointer};
use super::structs::{Plain, from_json};
use super::value::Value;

pub trait Parameter: Sized {
    /// Storage that does not move during the call.
    type Kept;
    fn take(arguments: &mut Arguments<'_>) -> Result<Self::Kept, String>;
    fn get(kept: &mut Self::Kept) -> Self;
    fn collect(_: &Self::Kept) -> Option<Value> {
        None
    }
}

/// Inputs that are passed as they were taken.
macro_rules! inputs {
    ($($ty:ty = |$arguments:ident| $value:expr;)*) => { $(
        impl Parameter for $ty {
            type Kept = Self;
            fn take($arguments: &mut Arguments<'_>) -> Result<Self, String> {
                $value
            }
            fn get(kept: &mut Self) -> Self {
                *kept
            }
        }
    )* };
}

inputs! {
    i32 = |a| a.next_bits().map(|bits| bits as i32);
    u32 = |a| a.next_bits().map(|bits| bits as u32);
    i64 = |a| a.next_bits().map(|bits| bits as i64);
    u64 = |a| a.next_bits();
    usize = |a| a.next_bits().map(|bits| bits as usize);
    f64 = |a| a.next_value().map(|value| value.real());
    *mut c_void = |a| a.next_pointer();
    *const c_void = |a| match a.next_value()? {
        Value::Text(path) => a.keep_text(&path).map(<*const c_char>::cast),
        value => value.bits().map(|bits| pointer::<c_void>(bits).cast_const()),
    };
    *const c_char = |a| match a.next_value()? {
        Value::Text(text) => a.keep_text(&text),
        _ => Ok(null()),
    };
    *const i32 = |a| list(a, |bits| (bits as i32).to_ne_bytes());
    *const u32 = |a| list(a, |bits| (bits as u32).to_ne_bytes());
    *const i64 = |a| list(a, u64::to_ne_bytes);
    *const u64 = |a| list(a, u64::to_ne_bytes);
    *const usize = |a| list(a, u64::to_ne_bytes);
}

macro_rules! handles {
    ($($(#[$doc:meta])* $target:ident, $name:ident;)*) => {
        inputs! {
            $($name = |a| a.next_pointer();
            *const $name = |a| list(a, u64::to_ne_bytes);)*
        }
    };
}
for_each_handle!(handles);

/// Callbacks are functions of the native library, by name.
macro_rules! callbacks {
    ($(($($argument:ident),*))*) => { $(
        impl<R, $($argument),*> Parameter for Option<unsafe extern "C" fn($($argument),*) -> R> {
            type Kept = Self;
            fn take(arguments: &mut Arguments<'_>) -> Result<Self, String> {
                // SAFETY: null, or a function of the type for which the case's author chose it.
                arguments.next_function().map(|address| unsafe { transmute::<*mut c_void, Self>(address) })
            }
            fn get(kept: &mut Self) -> Self {
                *kept
            }
        }
    )* };
}
callbacks! { () (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }

/// A struct: a variable, or a JSON object of its fields; or an array of structs from a JSON list.
impl<T: Plain> Parameter for *const T {
    type Kept = Self;
    fn take(arguments: &mut Arguments<'_>) -> Result<Self, String> {
        let json = arguments.next()?;
        let mut bytes = Vec::new();
        for one in json.as_array().map_or(std::slice::from_ref(json), Vec::as_slice) {
            if let Json::Object(fields) = one {
                bytes.extend(from_json::<T>(arguments.names, fields)?);
                continue;
            }
            match arguments.names.resolve(one)? {
                Value::Struct(name, struct_bytes) if name == T::NAME => bytes.extend(struct_bytes),
                Value::Bits(0) if !json.is_array() => return Ok(null()),
                other => return Err(format!("{other} is no {}", T::NAME)),
            }
        }
        Ok(arguments.keep_bytes(&bytes).cast::<T>().cast_const())
    }
    fn get(kept: &mut Self) -> Self {
        *kept
    }
}

/// An array of numbers or handles from a JSON list; null from null.
fn list<T, const N: usize>(arguments: &mut Arguments<'_>, bytes: impl Fn(u64) -> [u8; N]) -> Result<*const T, String> {
    let json = arguments.next()?;
    if json.is_null() {
        return Ok(null());
    }
    let mut array = Vec::new();
    for one in json.as_array().ok_or("a list is wanted")? {
        array.extend(bytes(arguments.names.resolve(one)?.bits()?));
    }
    Ok(arguments.keep_bytes(&array).cast::<T>().cast_const())
}

/// An output: its storage, and whether NULL is passed instead.
pub struct Output<T> {
    value: T,
    is_null: bool,
}

impl<T> Output<T> {
    fn take(initial: T, arguments: &mut Arguments<'_>) -> Self {
        Self { value: initial, is_null: arguments.next_output_is_null() }
    }

    fn get(&mut self) -> *mut T {
        if self.is_null { null_mut() } else { &raw mut self.value }
    }
}

macro_rules! outputs {
    ($([$($generic:tt)*] $ty:ty: $initial:expr => |$value:ident| $shown:expr;)*) => { $(
        impl<$($generic)*> Parameter for *mut $ty {
            type Kept = Output<$ty>;
            fn take(arguments: &mut Arguments<'_>) -> Result<Self::Kept, String> {
                Ok(Output::take($initial, arguments))
            }
            fn get(kept: &mut Self::Kept) -> Self {
                kept.get()
            }
            fn collect(kept: &Self::Kept) -> Option<Value> {
                let $value = &kept.value;
                Some($shown)
            }
        }
    )* };
}

outputs! {
    [] i32: 0 => |v| Value::signed(i64::from(*v));
    [] u32: 0 => |v| Value::Bits(u64::from(*v));
    [] i64: 0 => |v| Value::signed(*v);
    [] u64: 0 => |v| Value::Bits(*v);
    [] usize: 0 => |v| Value::Bits(*v as u64);
    [] f64: 0.0 => |v| Value::Real(*v);
    [] c_char: 0 => |v| Value::Bits(*v as u8 as u64); // a text without room
    // Handles and addresses.
    [T] *mut T: null_mut() => |v| Value::Bits(v.expose_provenance() as u64);
    [] *const c_char: null() => |v| (*v).value();
    [T: Plain] T: T::default() => |v| v.value();
}

/// Results of functions.
pub trait Returned {
    fn value(self) -> Value;
}

impl Returned for i32 {
    fn value(self) -> Value {
        Value::signed(self.into())
    }
}

impl Returned for u32 {
    fn value(self) -> Value {
        Value::Bits(self.into())
    }
}

impl Returned for usize {
    fn value(self) -> Value {
        Value::Bits(self as u64)
    }
}

impl Returned for *const c_char {
    fn value(self) -> Value {
        if self.is_null() {
            return Value::Bits(0);
        }
        // SAFETY: a text of the library, which is never freed.
        Value::Text(unsafe { CStr::from_ptr(self) }.to_string_lossy().into_owned())
    }
}
