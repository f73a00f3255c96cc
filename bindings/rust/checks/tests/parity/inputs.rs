// SPDX-License-Identifier: Apache-2.0
//! A test of the runner itself: how structs and arrays are made from JSON.

use gpustream::sys::*;
use gpustream_checks::built;
use libloading::Library;
use serde_json::json;

use super::arguments::Arguments;
use super::parameter::Parameter;
use super::value::{Names, Value};

/// The elements of an array made from JSON; none if the input is a null pointer.
fn take<T: Copy>(input: &serde_json::Value, count: usize) -> Result<Vec<T>, String>
where
    *const T: Parameter,
{
    // SAFETY: the library runs no code when it is loaded.
    let native = unsafe { Library::new(built("tests/parity/libgpustream_parity_native.so")) };
    let native = native.map_err(|error| error.to_string())?;
    let mut names = Names::new(&json!({"GS_SEVEN": 7}))?;
    names.set("stream", Value::Bits(1 << 60));
    let step = json!({"args": [input]});
    let mut arguments = Arguments::new(&names, &step, &native);
    let mut kept = <*const T>::take(&mut arguments)?;
    arguments.finish()?;
    let list = <*const T>::get(&mut kept);
    // SAFETY: each caller passes the length of its list; `arguments` keeps the elements.
    Ok(if list.is_null() { Vec::new() } else { unsafe { std::slice::from_raw_parts(list, count) }.to_vec() })
}

fn require(so: bool, text: &str) -> Result<(), String> {
    if so { Ok(()) } else { Err(text.into()) }
}

pub fn structs_and_lists() -> Result<(), String> {
    let triples = json!([{"id": -3, "device_index": "GS_SEVEN"}, {"device_type": 2}]);
    let triples: Vec<gs_stream_triple_t> = take(&triples, 2)?;
    let found: Vec<_> = triples.iter().map(|one| (one.id, one.device_index, one.device_type)).collect();
    require(found == [(-3, 7, 0), (0, 0, 2)], &format!("{triples:?}"))?;

    let config: Vec<gs_launch_config_t> = take(&json!({"grid_x": 4}), 1)?;
    let size = size_of::<gs_launch_config_t>() as u32;
    require((config[0].struct_size, config[0].grid_x, config[0].grid_y) == (size, 4, 0), &format!("{config:?}"))?;

    let numbers: Vec<u32> = take(&json!([1, u32::MAX]), 2)?;
    require(numbers == [1, u32::MAX], &format!("{numbers:?}"))?;
    let streams: Vec<gs_stream_t> = take(&json!(["$stream", null]), 2)?;
    require(streams[0].addr() == 1 << 60 && streams[1].is_null(), &format!("{streams:?}"))?;
    require(take::<u32>(&json!(null), 1)?.is_empty(), "null is not a null pointer")?;

    for (wrong, reason) in [(json!([{"nothing": 1}]), "no field nothing"), (json!({"id": "text"}), "does not fit")] {
        let error = take::<gs_stream_triple_t>(&wrong, 1).err().unwrap_or_default();
        require(error.contains(reason), &format!("'{error}' instead of '{reason}'"))?;
    }
    Ok(())
}
