// SPDX-License-Identifier: Apache-2.0
//! The C compiler confirms that signatures, layouts and numbers of this crate, as Rust compiled them, are those of
//! `gpustream.h`. Headers with one difference each show that the check finds it.
//!
//! That no function is missing in functions.rs is checked in the repository, by tests/abi/check_rust.py.

mod assertions;
mod compiler;

use std::fs;
use std::path::{Path, PathBuf};

/// The place in the repository and in the package.
const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/core/include/");

/// The header as one text: each file that it includes stands where it is included first.
fn header() -> String {
    let mut text = String::new();
    append(&Path::new(INCLUDE).join("gpustream.h"), &mut Vec::new(), &mut text);
    text
}

fn append(path: &Path, seen: &mut Vec<PathBuf>, text: &mut String) {
    let file = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for line in file.lines() {
        let Some(name) = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let included = path.parent().unwrap().join(name).canonicalize().unwrap();
        if !seen.contains(&included) {
            seen.push(included.clone());
            append(&included, seen, text);
        }
    }
}

/// The differences between the declarations and a header's text; empty if there are none.
fn findings(header: &str) -> String {
    compiler::complaints(header, &assertions::program())
}

#[test]
fn declarations_equal_the_header() {
    assert_eq!(findings(&header()), "");
}

/// Changes one thing in the header; the check must find it and say where.
fn must_find(from: &str, to: &str, wanted: &str) {
    let header = header();
    assert!(header.contains(from), "the header has no '{from}'");
    let found = findings(&header.replacen(from, to, 1));
    assert!(found.contains(wanted), "the check says, about '{to}' for '{from}':\n{found}");
}

#[test]
fn changed_result() {
    must_find("gs_status_t gs_stream_query(", "int64_t gs_stream_query(", "gs_stream_query differs");
}

#[test]
fn changed_parameter() {
    must_find(
        "gs_stream_sleep(gs_stream_t stream, uint64_t",
        "gs_stream_sleep(gs_stream_t stream, uint32_t",
        "gs_stream_sleep differs",
    );
}

#[test]
fn exchanged_handles() {
    must_find(
        "gs_event_wait(gs_event_t event, gs_stream_t stream)",
        "gs_event_wait(gs_stream_t event, gs_event_t stream)",
        "gs_event_wait differs",
    );
}

#[test]
fn lost_const() {
    must_find("(void *dst, const void *src", "(void *dst, void *src", "gs_memcpy_async differs");
}

#[test]
fn changed_callback() {
    must_find("void (*fn)(void *arg, gs_status_t status)", "void (*fn)(void *arg)", "gs_stream_notify differs");
}

#[test]
fn removed_function() {
    must_find("GS_API gs_status_t gs_trim(void);", "", "gs_trim");
}

#[test]
fn changed_constant() {
    must_find("GS_ERROR_SCOPE = 14", "GS_ERROR_SCOPE = 15", "GS_ERROR_SCOPE differs");
    must_find("GS_DEVICE_NONE ((gs_device_t)(-2))", "GS_DEVICE_NONE ((gs_device_t)(-3))", "GS_DEVICE_NONE differs");
    must_find("(uintptr_t)0x7000000000000001u", "(uintptr_t)0x7000000000000002u", "GS_STREAM_CURRENT differs");
}

#[test]
fn changed_macro() {
    must_find("(((backend) << 16) | (ordinal))", "(((backend) << 24) | (ordinal))", "GS_DEVICE differs");
}

#[test]
fn removed_constant() {
    must_find("GS_LOG_INFO = 3", "GS_LOG_OTHER = 3", "GS_LOG_INFO");
}

#[test]
fn new_field() {
    must_find("uint64_t reclaim_rounds;", "uint64_t reclaim_rounds;\n uint64_t more;", "gs_stats_t has another size");
}

#[test]
fn exchanged_fields() {
    must_find("int32_t native_code;", "int32_t sticky_;", "gs_error_info_t.native_code");
    must_find("uint32_t grid_x, grid_y", "uint32_t grid_y, grid_x", "gs_launch_config_t.grid_x is elsewhere");
}

#[test]
fn changed_field() {
    must_find("int64_t id;", "double id;", "gs_stream_info_t.id has another type");
}

#[test]
fn structs_have_no_padding() {
    // Four bytes between a number and a pointer; the library reads fields only.
    assert_eq!(assertions::holes(), ["before gs_bridge_t.get"]);
}

#[test]
fn structs_know_their_sizes() {
    use gpustream_sys::*;
    assert_eq!(gs_error_info_t::default().struct_size as usize, size_of::<gs_error_info_t>());
    assert_eq!(gs_stats_t::default().struct_size as usize, size_of::<gs_stats_t>());
    assert_eq!(gs_device_info_t::default().struct_size as usize, size_of::<gs_device_info_t>());
    assert_eq!(gs_inventory_entry_t::default().struct_size as usize, size_of::<gs_inventory_entry_t>());
    assert_eq!(gs_launch_config_t::default().struct_size as usize, size_of::<gs_launch_config_t>());
}

#[test]
fn changed_alias() {
    must_find("typedef int32_t gs_backend_t;", "typedef int64_t gs_backend_t;", "gs_backend_t is another type");
}

#[test]
fn callbacks_are_compared_as_functions() {
    let inline = "Option<unsafe extern \"C\" fn(arg: *mut c_void, list: *const *const c_char, bytes: usize) -> i32>";
    let wanted = "int32_t (*)(void *, const char * const *, size_t)";
    assert_eq!(assertions::c_type(inline), wanted);
    let spaced = inline.replace('<', " < ").replace(": ", " : ").replace("i32>", "i32 >").replace('*', "* ");
    assert_eq!(assertions::c_type(&spaced), wanted);
    assert_eq!(assertions::c_type("Option<unsafe extern \"C\" fn()>"), "void (*)(void)");
    assert_eq!(assertions::c_type("*const gs_stream_t"), "const gs_stream_t *");
}
