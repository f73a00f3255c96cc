// SPDX-License-Identifier: Apache-2.0
//! The functions of the header by name, from the list of gpustream-sys, and the runner's own operations.

use std::ffi::{c_char, c_void};
use std::mem::transmute;

use gpustream::sys::{self, *};
use libloading::Library;

use super::arguments::{Arguments, pointer, symbol};
use super::parameter::{Parameter, Returned};
use super::structs::Plain;
use super::value::Value;

#[derive(Default)]
pub struct Outcome {
    pub status: Option<gs_status_t>,
    pub returned: Option<Value>,
    pub outputs: Vec<Value>,
}

macro_rules! dispatch {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        fn by_name(api: &Api, name: &str, arguments: &mut Arguments<'_>) -> Result<Outcome, String> {
            match name {
                $(stringify!($name) => {
                    $(let mut $argument = <$ty as Parameter>::take(arguments)?;)*
                    arguments.finish()?;
                    // SAFETY: the case's author vouches for addresses; handles are checked.
                    let returned = unsafe { api.$name($(<$ty as Parameter>::get(&mut $argument)),*) };
                    let returned = returned.map_err(|missing| missing.to_string())?;
                    let outputs: Vec<Option<Value>> = vec![$(<$ty as Parameter>::collect(&$argument)),*];
                    Ok(outcome(stringify!($result), returned.value(), outputs.into_iter().flatten().collect()))
                })*
                _ => Err(format!("no operation {name}")),
            }
        }
    };
}
sys::for_each_function!(dispatch);

#[allow(clippy::needless_pass_by_value)]
fn outcome(result: &str, returned: Value, outputs: Vec<Value>) -> Outcome {
    match (result, &returned) {
        ("gs_status_t", Value::Bits(bits)) => Outcome { status: Some(*bits as i32), returned: None, outputs },
        _ => Outcome { status: None, returned: Some(returned), outputs },
    }
}

pub fn call(api: &Api, native: &Library, name: &str, arguments: &mut Arguments<'_>) -> Result<Outcome, String> {
    match name {
        "gs_kernel_launch" => launch(api, arguments),
        own if own.contains('.') => call_own(native, own, arguments),
        _ => by_name(api, name, arguments),
    }
}

/// Kernel arguments are a list of typed values: `[["u32", 3], ["pointer", "$p"]]`.
fn kernel_arguments(arguments: &mut Arguments<'_>) -> Result<Vec<*mut c_void>, String> {
    let mut list: Vec<*mut c_void> = Vec::new();
    for argument in arguments.next()?.as_array().ok_or("a list of arguments is wanted")? {
        let bits = arguments.names.resolve(&argument[1])?.bits()?.to_le_bytes();
        let size = if argument[0] == "u32" { 4 } else { 8 };
        list.push(arguments.keep_bytes(&bits[..size]));
    }
    Ok(list)
}

fn launch(api: &Api, arguments: &mut Arguments<'_>) -> Result<Outcome, String> {
    let kernel = arguments.next_pointer()?;
    let config = <*const gs_launch_config_t as Parameter>::take(arguments)?;
    let mut list = kernel_arguments(arguments)?;
    let stream = arguments.next_pointer()?;
    arguments.finish()?;
    // SAFETY: the case's author vouches for the list, and the launch copies its values.
    let status = unsafe { api.gs_kernel_launch(kernel, config, list.as_mut_ptr(), stream) };
    let status = status.map_err(|missing| missing.to_string())?;
    Ok(Outcome { status: Some(status), ..Default::default() })
}

fn call_own(native: &Library, name: &str, arguments: &mut Arguments<'_>) -> Result<Outcome, String> {
    // SAFETY, for all below: functions of native.c with their types.
    let new = |function: &str| -> Result<u64, String> {
        // SAFETY: as above.
        let new = unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> *mut c_void>(symbol(native, function)?) };
        // SAFETY: as above.
        Ok(unsafe { new() }.expose_provenance() as u64)
    };
    let value = match name {
        "gate.new" => Value::Bits(new("parity_gate_new")?),
        "counter.new" => Value::Bits(new("parity_counter_new")?),
        "gate.open" => {
            let open = symbol(native, "parity_gate_open")?;
            // SAFETY: as above.
            unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(open)(arguments.next_pointer()?) };
            Value::Bits(0)
        }
        "counter.get" => {
            let get = symbol(native, "parity_counter_get")?;
            // SAFETY: as above.
            let get = unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> i64>(get) };
            // SAFETY: as above.
            Value::signed(unsafe { get(arguments.next_pointer()?) })
        }
        "counter.function" => Value::Bits(symbol(native, "parity_count")?.expose_provenance() as u64),
        "buffer.u32" => {
            let start = pointer::<u32>(arguments.next_bits()?);
            let index = arguments.next_bits()? as usize;
            // SAFETY: the case's author vouches for the address.
            Value::Bits(u64::from(unsafe { start.add(index).read() }))
        }
        "triple.new" => {
            let id = arguments.next_bits()?.cast_signed();
            let (index, kind) = (arguments.next_bits()? as i32, arguments.next_bits()? as i32);
            gs_stream_triple_t { id, device_index: index, device_type: kind }.value()
        }
        "ipc.new" => gs_ipc_handle_t { data: [arguments.next_bits()? as u8; 64] }.value(),
        _ => return Err(format!("no operation {name}")),
    };
    arguments.finish()?;
    Ok(Outcome { outputs: vec![value], ..Default::default() })
}
