// SPDX-License-Identifier: Apache-2.0
//! Loads the library once per process.

use std::path::Path;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::api::Api;
use crate::constants::GS_ABI_VERSION;
use crate::error::LoadError;

/// Set once and never freed: handles stay valid until the process ends, and so must the code.
static LOADED: AtomicPtr<Api> = AtomicPtr::new(null_mut());
static LOADING: Mutex<()> = Mutex::new(());

/// The functions of the library; the first call loads it. Any thread may call it, and it blocks only while the library
/// is being loaded.
///
/// A failure is not remembered: the next call tries again, so a program can still call [`load`] with a path.
///
/// # Errors
///
/// [`LoadError::NotFound`]: there is no library. [`LoadError::NotGpustream`]: the file is another library.
/// [`LoadError::WrongAbi`]: its ABI version differs. [`LoadError::NoFeature`]: this crate was built without `dlopen`,
/// `link` and `bundled`.
#[inline]
pub fn api() -> Result<&'static Api, LoadError> {
    loaded().map_or_else(|| first(None), Ok)
}

/// The functions of the library if it is loaded already. Does not block.
#[inline]
pub fn loaded() -> Option<&'static Api> {
    // SAFETY: the stored value is never freed or changed.
    unsafe { LOADED.load(Ordering::Acquire).as_ref() }
}

/// Loads the library from a given file instead of searching for it. If the process has loaded that file already, for
/// another language, that copy is used.
///
/// # Errors
///
/// [`LoadError::Already`]: this crate uses a library already (always, with the feature `link`), or the process has
/// loaded one from another file. Otherwise as [`api`].
pub fn load(path: &Path) -> Result<&'static Api, LoadError> {
    first(Some(path))
}

/// The file from which the library was loaded; empty if the system does not report it, and with the feature `link`.
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
    check_abi(&found)?; // before anything is stored: each call reports a failure again
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
    let linked = Api { path: std::path::PathBuf::new() };
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
        Ok(GS_ABI_VERSION) => Ok(()),
        Ok(found) => Err(LoadError::WrongAbi { path: api.path.clone(), found }),
        Err(_) => Err(LoadError::NotGpustream { path: api.path.clone() }),
    }
}
