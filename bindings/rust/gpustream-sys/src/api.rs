// SPDX-License-Identifier: Apache-2.0
//! The functions of the library, opened at run time or linked, behind one interface.

use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::error::{LoadError, MissingSymbol};
use crate::structs::*;
use crate::types::*;

/// Opened: a pointer per function, absent where the library is older than this crate.
#[cfg(not(gpustream_linked))]
macro_rules! define {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        /// The functions of the loaded library; get it from [`api`].
        #[cfg_attr(not(gpustream_opened), allow(dead_code))]
        pub struct Api {
            pub(crate) path: PathBuf,
            $($name: Option<unsafe extern "C" fn($($ty),*) -> $result>,)*
        }

        impl Api {
            /// `find` gives a symbol's address by its name, NUL included; null if there is none.
            #[cfg(gpustream_opened)]
            pub(crate) fn new(path: PathBuf, find: impl Fn(&'static [u8]) -> *mut c_void) -> Self {
                Self {
                    path,
                    // SAFETY: the header check holds the types against the C declarations. A null pointer is `None`.
                    $($name: unsafe {
                        std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn($($ty),*) -> $result>>(
                            find(concat!(stringify!($name), "\0").as_bytes()),
                        )
                    },)*
                }
            }

            $(
                #[doc = concat!("Calls `", stringify!($name), "`, as `gpustream.h` describes it.")]
                ///
                /// # Safety
                ///
                /// Pointers must be null or valid for what the header says the function does with them.
                #[inline(always)]
                pub unsafe fn $name(&self, $($argument: $ty),*) -> Result<$result, MissingSymbol> {
                    match self.$name {
                        // SAFETY: the caller's.
                        Some(function) => Ok(unsafe { function($($argument),*) }),
                        None => Err(MissingSymbol::new(stringify!($name))),
                    }
                }
            )*
        }
    };
}

/// Linked: the linker has found them all.
#[cfg(gpustream_linked)]
macro_rules! define {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        mod linked {
            use super::*;
            // build.rs names the library.
            unsafe extern "C" {
                $(pub(super) fn $name($($argument: $ty),*) -> $result;)*
            }
        }

        /// The functions of the linked library; get it from [`api`].
        pub struct Api {
            path: PathBuf,
        }

        impl Api {
            $(
                #[doc = concat!("Calls `", stringify!($name), "`, as `gpustream.h` describes it.")]
                ///
                /// # Safety
                ///
                /// Pointers must be null or valid for what the header says the function does with them.
                #[inline(always)]
                pub unsafe fn $name(&self, $($argument: $ty),*) -> Result<$result, MissingSymbol> {
                    // SAFETY: the caller's.
                    Ok(unsafe { linked::$name($($argument),*) })
                }
            )*
        }
    };
}

for_each_function!(define);

/// Set once, never freed: handles stay valid for the process's life, and so must the code.
static LOADED: AtomicPtr<Api> = AtomicPtr::new(null_mut());
static LOADING: Mutex<()> = Mutex::new(());

/// The functions of the library, which is loaded by the first call.
///
/// A failure is not remembered: the next call tries again, so that [`load`] can still be told a path.
///
/// # Errors
///
/// [`LoadError`] if there is no library, it is no gpustream, or its ABI is another one.
#[inline]
pub fn api() -> Result<&'static Api, LoadError> {
    loaded().map_or_else(|| first(None), Ok)
}

/// The functions of the library if it is loaded already.
#[inline]
pub fn loaded() -> Option<&'static Api> {
    // SAFETY: what was stored is never freed or written again.
    unsafe { LOADED.load(Ordering::Acquire).as_ref() }
}

/// Loads the library from a file, instead of looking for it. If the process has loaded that file already, for another
/// language, it is taken.
///
/// # Errors
///
/// [`LoadError::Already`] if this crate uses a library already (with the feature `link` that is always so), or if the
/// process has loaded one from another file. Else as [`api`].
pub fn load(path: &Path) -> Result<&'static Api, LoadError> {
    first(Some(path))
}

/// The file the library was loaded from, or an empty path if the system does not say.
///
/// # Errors
///
/// As [`api`].
pub fn library_path() -> Result<&'static Path, LoadError> {
    api().map(|api| api.path.as_path())
}

#[cold]
fn first(path: Option<&Path>) -> Result<&'static Api, LoadError> {
    let _guard = LOADING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(api) = loaded() {
        return if path.is_none() { Ok(api) } else { Err(LoadError::Already { path: api.path.clone() }) };
    }
    let found = find(path)?;
    check_abi(&found)?; // failures come again with each call, so they leave nothing behind
    let found = Box::leak(Box::new(found));
    LOADED.store(found, Ordering::Release);
    Ok(found)
}

#[cfg(gpustream_opened)]
fn find(path: Option<&Path>) -> Result<Api, LoadError> {
    crate::open::open(path)
}

#[cfg(gpustream_linked)]
fn find(path: Option<&Path>) -> Result<Api, LoadError> {
    let linked = Api { path: PathBuf::new() };
    match path {
        None => Ok(linked),
        Some(_) => Err(LoadError::Already { path: linked.path }),
    }
}

#[cfg(not(any(gpustream_opened, gpustream_linked)))]
fn find(_: Option<&Path>) -> Result<Api, LoadError> {
    Err(LoadError::NoFeature)
}

fn check_abi(api: &Api) -> Result<(), LoadError> {
    // SAFETY: no arguments.
    match unsafe { api.gs_abi_version() } {
        Ok(crate::GS_ABI_VERSION) => Ok(()),
        Ok(found) => Err(LoadError::WrongAbi { path: api.path.clone(), found }),
        Err(_) => Err(LoadError::NotGpustream { path: api.path.clone() }),
    }
}
