// SPDX-License-Identifier: Apache-2.0
//! Finds the library at run time, in the order that the crate's documentation states.

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::api::Api;
use crate::error::{Attempt, LoadError};

const NAME: &str = "libgpustream.so.0";

pub(crate) fn open(path: Option<&Path>) -> Result<Api, LoadError> {
    let mut attempts = Vec::new();
    // A copy that another language has loaded, from any file: a second one would have its own current streams.
    if let Some(loaded) = attempt(Path::new(NAME), RTLD_NOW | libc::RTLD_NOLOAD, &mut attempts) {
        return match path {
            Some(path) if !is_same_file(path, &loaded.path) => Err(LoadError::Already { path: loaded.path }),
            _ => Ok(loaded),
        };
    }
    attempts.clear();
    if let Some(path) = path {
        return attempt(path, RTLD_NOW, &mut attempts).ok_or(LoadError::NotFound { attempts });
    }
    // A file named by the user is used, or nothing.
    if let Some(named) = trusted_variable("GPUSTREAM_LIBRARY") {
        return attempt(&named, RTLD_NOW, &mut attempts).ok_or(LoadError::NotFound { attempts });
    }
    for own in own_copies() {
        if own.is_file() {
            if let Some(api) = attempt(&own, RTLD_NOW, &mut attempts) {
                return Ok(api);
            }
        } else {
            attempts.push(Attempt { name: own, reason: "no such file".into() });
        }
    }
    attempt(Path::new(NAME), RTLD_NOW, &mut attempts).ok_or(LoadError::NotFound { attempts })
}

fn attempt(name: &Path, flags: i32, attempts: &mut Vec<Attempt>) -> Option<Api> {
    // SAFETY: the library runs no code when it is loaded; the user vouches for the file.
    match unsafe { Library::open(Some(name), flags | RTLD_LOCAL) } {
        Ok(library) => {
            let find = |symbol: &'static [u8]| {
                // SAFETY: only the address is taken; `Api` knows the types.
                let found = unsafe { library.get::<*mut c_void>(symbol) };
                found.map_or(null_mut(), |symbol| symbol.into_raw())
            };
            let api = Api::new(path_of(find(b"gs_abi_version\0")).unwrap_or_else(|| name.into()), find);
            // Never closed: the library's threads and its handles outlive every owner.
            std::mem::forget(library);
            Some(api)
        }
        Err(error) => {
            // The text of dlerror is the source of libloading's error.
            let reason =
                std::error::Error::source(&error).map_or_else(|| error.to_string(), |source| source.to_string());
            attempts.push(Attempt { name: name.into(), reason });
            None
        }
    }
}

/// Whether both paths lead to the same file, as the system's loader compares them. An unreadable path is a different
/// file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

#[cfg(feature = "bundled")]
fn own_copies() -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Ok(executable) = std::env::current_exe() {
        if let Some(folder) = executable.parent() {
            places.push(folder.join(NAME));
            places.push(folder.join("../lib").join(NAME));
        }
    }
    // Set by build.rs, except where only documentation is built.
    places.extend(option_env!("GPUSTREAM_BUNDLED_LIBRARY").map(PathBuf::from));
    places
}

#[cfg(not(feature = "bundled"))]
fn own_copies() -> [PathBuf; 0] {
    []
}

/// A variable of the environment; ignored in a process with more rights than the user who set it (setuid).
fn trusted_variable(name: &str) -> Option<PathBuf> {
    // SAFETY: returns a number.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return None;
    }
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.into())
}

/// The file from which the code at an address was loaded.
fn path_of(address: *mut c_void) -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: takes any address; the struct is filled unless 0 is returned. Its text lives as long as the library,
    // which is never closed.
    unsafe {
        if libc::dladdr(address, info.as_mut_ptr()) == 0 {
            return None;
        }
        let name: *const c_char = info.assume_init().dli_fname;
        (!name.is_null()).then(|| PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes())))
    }
}
