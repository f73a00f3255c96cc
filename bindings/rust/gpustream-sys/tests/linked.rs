// SPDX-License-Identifier: Apache-2.0
//! The linked library works and cannot be replaced at run time.
#![cfg(all(feature = "link", not(feature = "bundled")))]

use std::path::Path;

use gpustream_sys as sys;

#[test]
fn it_is_called_without_being_opened() {
    let api = sys::api().unwrap();
    let mut count = -1;
    // SAFETY: the output is a local variable.
    assert_eq!(unsafe { api.gs_device_count(sys::GS_BACKEND_HOST, &raw mut count) }, Ok(sys::GS_OK));
    assert!(count >= 1);
    // SAFETY: no arguments.
    assert_eq!(unsafe { api.gs_instance_count() }, Ok(1));
    assert_eq!(sys::library_path(), Ok(Path::new("")));
}

#[test]
fn no_other_can_be_loaded() {
    let told = sys::load(Path::new("/nonexistent/libgpustream.so.0")).map(|_| ());
    assert!(matches!(told, Err(sys::LoadError::Already { .. })), "{told:?}");
}
