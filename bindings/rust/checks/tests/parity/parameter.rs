// SPDX-License-Identifier: Apache-2.0
//! Types of parameters: where an input's value comes from, where an output's goes.

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

use gpustream::sys::*;

use super::arguments::{Arguments, pointer};
use super::structs::{Plain, as_bytes};
use super::value::Value;

pub trait Parameter: Sized {
    /// What stays where it is during the call.
    type Kept;
    fn take(arguments: &mut Arguments<'_>) -> Result<Self::Kept, String>;
    fn get(kept: &mut Self::Kept) -> Self;
    fn collect(_: &Self::Kept) -> Option<Value> {
        None
    }
}

/// An input that is passed as it is taken.
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
    u64 = |a| a.next_bits();
    usize = |a| a.next_bits().map(|bits| bits as usize);
    gs_stream_t = |a| a.next_pointer();
    gs_event_t = |a| a.next_pointer();
    gs_module_t = |a| a.next_pointer();
    gs_kernel_t = |a| a.next_pointer();
    *mut c_void = |a| a.next_pointer();
    *const c_void = |a| match a.next_value()? {
        Value::Text(path) => a.keep_text(&path).map(<*const c_char>::cast),
        value => value.bits().map(|bits| pointer::<c_void>(bits).cast_const()),
    };
    *const c_char = |a| match a.next_value()? {
        Value::Text(text) => a.keep_text(&text),
        _ => Ok(null()),
    };
    // SAFETY: a function of the native library, of the type that the case's author chose it for; or null.
    gs_log_fn = |a| a.next_function().map(|address| unsafe { transmute::<*mut c_void, Self>(address) });
    // SAFETY: as above.
    gs_init_fn = |a| a.next_function().map(|address| unsafe { transmute::<*mut c_void, Self>(address) });
    // SAFETY: as above.
    gs_host_fn = |a| a.next_function().map(|address| unsafe { transmute::<*mut c_void, Self>(address) });
    // SAFETY: as above.
    gs_notify_fn = |a| a.next_function().map(|address| unsafe { transmute::<*mut c_void, Self>(address) });
    *const gs_stream_triple_t = |a| taken_struct(a);
    *const gs_ipc_handle_t = |a| taken_struct(a);
    *const gs_launch_config_t = |a| launch_config(a);
}

fn taken_struct<T: Plain>(arguments: &mut Arguments<'_>) -> Result<*const T, String> {
    match arguments.next_value()? {
        Value::Struct(name, bytes) if name == T::NAME => Ok(arguments.keep_bytes(&bytes).cast::<T>().cast_const()),
        Value::Bits(0) => Ok(null()),
        other => Err(format!("{other} is no {}", T::NAME)),
    }
}

fn launch_config(arguments: &mut Arguments<'_>) -> Result<*const gs_launch_config_t, String> {
    let json = arguments.next()?;
    if json.is_null() {
        return Ok(null());
    }
    let number =
        |list: &str, axis: usize| json[list][axis].as_u64().map(|n| n as u32).ok_or(format!("no {list}[{axis}]"));
    let standard = gs_launch_config_t::default();
    let config = gs_launch_config_t {
        struct_size: json["struct_size"].as_u64().map_or(standard.struct_size, |size| size as u32),
        grid_x: number("grid", 0)?,
        grid_y: number("grid", 1)?,
        grid_z: number("grid", 2)?,
        block_x: number("block", 0)?,
        block_y: number("block", 1)?,
        block_z: number("block", 2)?,
        shared_memory_bytes: json["shared"].as_u64().unwrap_or(0) as u32,
    };
    Ok(arguments.keep_bytes(as_bytes(&config)).cast::<gs_launch_config_t>().cast_const())
}

/// An output: its storage, and whether NULL is passed instead.
pub struct Output<T> {
    value: T,
    is_null: bool,
}

macro_rules! outputs {
    ($($ty:ty: $initial:expr => |$value:ident| $shown:expr;)*) => { $(
        impl Parameter for *mut $ty {
            type Kept = Output<$ty>;
            fn take(arguments: &mut Arguments<'_>) -> Result<Self::Kept, String> {
                Ok(Output { value: $initial, is_null: arguments.next_output_is_null() })
            }
            fn get(kept: &mut Self::Kept) -> Self {
                if kept.is_null { null_mut() } else { &raw mut kept.value }
            }
            fn collect(kept: &Self::Kept) -> Option<Value> {
                let $value = &kept.value;
                Some($shown)
            }
        }
    )* };
}

outputs! {
    i32: 0 => |v| Value::signed(i64::from(*v));
    u32: 0 => |v| Value::Bits(u64::from(*v));
    i64: 0 => |v| Value::signed(*v);
    u64: 0 => |v| Value::Bits(*v);
    usize: 0 => |v| Value::Bits(*v as u64);
    f64: 0.0 => |v| Value::Real(*v);
    gs_stream_t: null_mut() => |v| Value::Bits(v.addr() as u64);
    gs_event_t: null_mut() => |v| Value::Bits(v.addr() as u64);
    gs_module_t: null_mut() => |v| Value::Bits(v.addr() as u64);
    gs_kernel_t: null_mut() => |v| Value::Bits(v.addr() as u64);
    *mut c_void: null_mut() => |v| Value::Bits(v.expose_provenance() as u64);
    gs_error_info_t: Default::default() => |v| v.value();
    gs_stats_t: Default::default() => |v| v.value();
    gs_device_info_t: Default::default() => |v| v.value();
    gs_inventory_entry_t: Default::default() => |v| v.value();
    *const c_char: null() => |v| (*v).value();
    gs_stream_triple_t: Default::default() => |v| v.value();
    gs_ipc_handle_t: Default::default() => |v| v.value();
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

impl Returned for *const c_char {
    fn value(self) -> Value {
        if self.is_null() {
            return Value::Bits(0);
        }
        // SAFETY: a text of the library, which is never freed.
        Value::Text(unsafe { CStr::from_ptr(self) }.to_string_lossy().into_owned())
    }
}
