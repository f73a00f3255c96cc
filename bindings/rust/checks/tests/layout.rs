// SPDX-License-Identifier: Apache-2.0
//! Structs and numbers of gpustream-sys, as Rust compiled them, are those of the description, which the C compiler confirms
//! (`tests/abi/layout.c`). `tests/abi/check_rust.py` compares the functions.

use std::ffi::{c_char, c_void};
use std::fs;
use std::mem::offset_of;

use gpustream::sys::{self, *};
use gpustream_checks::tree;
use serde_json::{Value, json};

fn description() -> Value {
    serde_json::from_str(&fs::read_to_string(tree().join("api/gpustream.json")).unwrap()).unwrap()
}

/// These members of each object in a list.
fn members(list: &Value, names: &[&str]) -> Vec<Vec<Value>> {
    let of = |object: &Value| names.iter().map(|name| object[name].clone()).collect();
    list.as_array().unwrap().iter().map(of).collect()
}

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        fn constants() -> Vec<Vec<Value>> { vec![$(vec![json!(stringify!($name)), json!($name)]),*] }
    };
}
sys::for_each_constant!(constants);

macro_rules! handle_constants {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        fn handle_constants() -> Vec<Vec<Value>> { vec![$(vec![json!(stringify!($name)), json!($name.addr())]),*] }
    };
}
sys::for_each_handle_constant!(handle_constants);

#[test]
fn numbers() {
    let described = description();
    let mut wanted = members(&described["statuses"], &["name", "value"]);
    wanted.extend(members(&described["constants"], &["name", "value"]));
    for one in constants().into_iter().chain(handle_constants()) {
        let place = wanted.iter().position(|other| *other == one);
        wanted.swap_remove(place.unwrap_or_else(|| panic!("{one:?} is not in the description")));
    }
    assert!(wanted.is_empty(), "{wanted:?} are missing");
    assert_eq!(GS_DEVICE(2, 65535), 0x2_ffff);
}

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })*) => {
        /// Name, size, alignment, fields with their places and sizes, and the `struct_size` that the default states.
        fn structs() -> Vec<(Vec<Value>, Vec<Vec<Value>>, u32)> {
            vec![$((
                vec![json!(stringify!($name)), json!(size_of::<$name>()), json!(align_of::<$name>())],
                vec![$(vec![json!(stringify!($field)), json!(offset_of!($name, $field)), json!(size_of::<$ty>())]),*],
                // SAFETY: every struct has at least 4 bytes, all of which are initialised.
                unsafe { (&raw const *&$name::default()).cast::<u32>().read_unaligned() },
            )),*]
        }
    };
}
sys::for_each_struct!(structs);

#[test]
fn layouts() {
    let described = &description()["structs"];
    let mut holes = Vec::new();
    for ((found, fields, stated), wanted) in structs().into_iter().zip(described.as_array().unwrap()) {
        assert_eq!(found, ["name", "size", "alignment"].map(|member| wanted[member].clone()));
        assert_eq!(fields, members(&wanted["fields"], &["name", "offset", "size"]), "{}", found[0]);
        let sized = fields[0][0] == "struct_size";
        assert_eq!(json!(stated), if sized { found[1].clone() } else { json!(0) }, "{}", found[0]);
        let mut end = 0;
        for field in &fields {
            if field[1] != end {
                holes.push(format!("before {}.{}", found[0], field[0]).replace('"', ""));
            }
            end = field[1].as_u64().unwrap() + field[2].as_u64().unwrap();
        }
        assert_eq!(found[1], end, "{} has padding at its end", found[0]);
    }
    assert_eq!(structs().len(), described.as_array().unwrap().len());
    // Four bytes between a number and a pointer; the library reads fields only.
    assert_eq!(holes, ["before gs_bridge_t.get"]);
}
