// SPDX-License-Identifier: Apache-2.0
//! C assertions made from the declarations of this crate.

use std::ffi::{c_char, c_void};
use std::fmt::Write;
use std::mem::offset_of;

use gpustream_sys::*;

/// Compilers differ in the spaces that `stringify!` puts between the parts of a type.
fn tight(rust: &str) -> String {
    [("* ", "*"), (" <", "<"), ("< ", "<"), (" >", ">"), (" : ", ": ")]
        .iter()
        .fold(rust.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The C spelling of a type.
pub fn c_type(rust: &str) -> String {
    let rust = &tight(&rust.split_whitespace().collect::<Vec<_>>().join(" ")); // long types are spread over lines
    if let Some(target) = rust.strip_prefix("*const ") {
        let (before, after) = if target.starts_with('*') { ("", " const") } else { ("const ", "") };
        return format!("{before}{}{after} *", c_type(target));
    }
    if let Some(target) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(target));
    }
    if let Some(function) = rust.strip_prefix("Option<unsafe extern \"C\" fn(") {
        return c_callback(function.strip_suffix('>').expect("a closed type"));
    }
    match rust.as_str() {
        "u8" => "uint8_t",
        "i32" => "int32_t",
        "u32" => "uint32_t",
        "i64" => "int64_t",
        "u64" => "uint64_t",
        "f64" => "double",
        "usize" => "uintptr_t",
        "c_char" => "char",
        "c_void" => "void",
        "gs_log_fn" => "void (*)(void *, int32_t, const char *)",
        "gs_init_fn" => "gs_status_t (*)(void *)",
        "gs_host_fn" => "void (*)(void *)",
        "gs_notify_fn" => "void (*)(void *, gs_status_t)",
        name if name.starts_with("gs_") => name,
        other => panic!("no C spelling for the type {other}"),
    }
    .to_owned()
}

/// A pointer to a function, from `name: type, ...) -> type`.
fn c_callback(rust: &str) -> String {
    let (parameters, result) = rust.rsplit_once(')').expect("a list of parameters");
    let result = result.trim().strip_prefix("-> ").map_or("void".to_owned(), c_type);
    let type_of = |parameter: &str| parameter_type(parameter.rsplit_once(": ").map_or(parameter, |(_, ty)| ty));
    let parameters: Vec<String> = parameters.split(", ").filter(|part| !part.is_empty()).map(type_of).collect();
    format!("{result} (*)({})", if parameters.is_empty() { "void".into() } else { parameters.join(", ") })
}

/// `usize` is `size_t` for sizes and `uintptr_t` for native handles; both are the same type in C.
fn parameter_type(rust: &str) -> String {
    match tight(rust).as_str() {
        "usize" => "size_t".to_owned(),
        "*mut usize" => "size_t *".to_owned(),
        other => c_type(other),
    }
}

fn field_type(rust: &str) -> String {
    match rust.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(|rest| rest.split_once("; ")) {
        Some((element, count)) => format!("{}[{count}]", c_type(element)),
        None => c_type(rust),
    }
}

fn assert(out: &mut String, condition: &str, text: &str) {
    writeln!(out, "_Static_assert({condition}, \"{text}\");").unwrap();
}

macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        fn functions(out: &mut String) {
            $({
                let parameters: Vec<String> = vec![$(parameter_type(stringify!($ty))),*];
                let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
                let declared = format!("{} (*)({parameters})", c_type(stringify!($result)));
                let name = stringify!($name);
                let same = format!("__builtin_types_compatible_p(__typeof__(&{name}), {declared})");
                assert(out, &same, &format!("{name} differs, here it is {declared}"));
            })*
        }
    };
}
for_each_function!(functions);

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        fn constants(out: &mut String) {
            $({
                let name = stringify!($name);
                assert(out, &format!("{name} == ({})", $name), &format!("{name} differs, here it is {}", $name));
            })*
            for (backend, ordinal) in [(1, 0), (2, 65535)] {
                let made = GS_DEVICE(backend, ordinal);
                assert(out, &format!("GS_DEVICE({backend}, {ordinal}) == {made}"), "GS_DEVICE differs");
            }
        }
    };
}
for_each_constant!(constants);

macro_rules! handle_constants {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        fn handle_constants(out: &mut String) {
            $({
                let name = stringify!($name);
                assert(out, &format!("(uintptr_t){name} == {}u", $name.addr()), &format!("{name} differs"));
            })*
        }
    };
}
for_each_handle_constant!(handle_constants);

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })*) => {
        fn structs(out: &mut String) {
            $({
                let name = stringify!($name);
                assert(out, &format!("sizeof({name}) == {}", size_of::<$name>()), &format!("{name} has another size"));
                let same = format!("_Alignof({name}) == {}", align_of::<$name>());
                assert(out, &same, &format!("{name} has another alignment"));
                $({
                    let field = stringify!($field);
                    let same = format!("offsetof({name}, {field}) == {}", offset_of!($name, $field));
                    assert(out, &same, &format!("{name}.{field} is elsewhere"));
                    let declared = field_type(stringify!($ty));
                    let same = format!("__builtin_types_compatible_p(__typeof__((({name} *)0)->{field}), {declared})");
                    assert(out, &same, &format!("{name}.{field} has another type"));
                })*
            })*
        }

        /// Padding of the structs.
        pub fn holes() -> Vec<String> {
            let mut found = Vec::new();
            $({
                let mut end = 0;
                $(
                    if offset_of!($name, $field) != end {
                        found.push(format!("before {}.{}", stringify!($name), stringify!($field)));
                    }
                    end = offset_of!($name, $field) + size_of::<$ty>();
                )*
                if end != size_of::<$name>() {
                    found.push(format!("at the end of {}", stringify!($name)));
                }
            })*
            found
        }
    };
}
for_each_struct!(structs);

macro_rules! aliases {
    ($($(#[$doc:meta])* $name:ident = $ty:ty;)*) => {
        fn aliases(out: &mut String) {
            $({
                let name = stringify!($name);
                let same = format!("__builtin_types_compatible_p({name}, {})", c_type(stringify!($ty)));
                assert(out, &same, &format!("{name} is another type"));
            })*
        }
    };
}
for_each_alias!(aliases);

/// All of them, as a file to compile.
pub fn program() -> String {
    let mut out = String::from("#include \"gpustream.h\"\n");
    functions(&mut out);
    constants(&mut out);
    handle_constants(&mut out);
    aliases(&mut out);
    structs(&mut out);
    assert(&mut out, "sizeof(gs_stream_t) == sizeof(void *) && sizeof(gs_status_t) == 4", "handles or statuses differ");
    out
}
