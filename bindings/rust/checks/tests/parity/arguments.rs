// SPDX-License-Identifier: Apache-2.0
//! The inputs of a step, taken one by one, and their storage during the call.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;

use libloading::Library;
use serde_json::Value as Json;

use super::value::{Names, Value};

pub struct Arguments<'a> {
    pub names: &'a Names,
    inputs: std::slice::Iter<'a, Json>,
    outputs: Option<&'a Vec<Json>>,
    outputs_taken: usize,
    native: &'a Library,
    texts: Vec<CString>,
    blocks: Vec<Box<[u64]>>,
}

impl<'a> Arguments<'a> {
    pub fn new(names: &'a Names, step: &'a Json, native: &'a Library) -> Self {
        let inputs = step["args"].as_array().map_or([].iter(), |list| list.iter());
        let outputs = step["out"].as_array();
        Self { names, inputs, outputs, outputs_taken: 0, native, texts: Vec::new(), blocks: Vec::new() }
    }

    pub fn next(&mut self) -> Result<&'a Json, String> {
        self.inputs.next().ok_or_else(|| "too few arguments".into())
    }

    pub fn next_value(&mut self) -> Result<Value, String> {
        let json = self.next()?;
        self.names.resolve(json)
    }

    pub fn next_bits(&mut self) -> Result<u64, String> {
        self.next_value()?.bits()
    }

    pub fn next_pointer<T>(&mut self) -> Result<*mut T, String> {
        self.next_bits().map(pointer)
    }

    /// A function of the native library; null if null is given.
    pub fn next_function(&mut self) -> Result<*mut c_void, String> {
        match self.next()? {
            Json::Null => Ok(null_mut()),
            json => symbol(self.native, json.as_str().ok_or("a function's name is wanted")?),
        }
    }

    pub fn finish(&mut self) -> Result<(), String> {
        if self.inputs.next().is_some() { Err("too many arguments".into()) } else { Ok(()) }
    }

    /// `"out": [null]` passes NULL for that output.
    pub fn next_output_is_null(&mut self) -> bool {
        let index = self.outputs_taken;
        self.outputs_taken += 1;
        self.outputs.and_then(|list| list.get(index)).is_some_and(Json::is_null)
    }

    pub fn keep_text(&mut self, text: &str) -> Result<*const std::ffi::c_char, String> {
        self.texts.push(CString::new(text).map_err(|error| error.to_string())?);
        Ok(self.texts[self.texts.len() - 1].as_ptr())
    }

    /// Keeps a copy of `bytes`, aligned to 8 bytes, during the call.
    pub fn keep_bytes(&mut self, bytes: &[u8]) -> *mut c_void {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        });
        self.blocks.push(words.collect());
        let last = self.blocks.len() - 1;
        self.blocks[last].as_mut_ptr().cast()
    }
}

/// A number as a pointer. The library checks handles; other addresses come from the library.
pub fn pointer<T>(bits: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(usize::try_from(bits).expect("64-bit addresses"))
}

pub fn symbol(library: &Library, name: &str) -> Result<*mut c_void, String> {
    // SAFETY: only the address is taken.
    let found = unsafe { library.get::<*mut c_void>(name.as_bytes()) };
    found.map(|symbol| *symbol).map_err(|_| format!("no native function {name}"))
}
