// SPDX-License-Identifier: Apache-2.0
//! Without the C library, or with one of another version, every call returns a typed error and every drop is harmless.
//! A process loads the library once, so each case runs in a process of its own.
#![cfg(not(any(feature = "link", feature = "bundled")))]

mod support;

use std::env;
use std::error::Error as _;
use std::path::Path;
use std::process::Command;

use gpustream::sys::{LoadError, MissingSymbol};
use gpustream::{Backend, CURRENT, Device, Event, HostBuffer, Reason, Status, Stream};
use support::{in_process, status};

const CASE: &str = "GPUSTREAM_NO_LIBRARY_CASE";

#[test]
fn case() {
    match env::var(CASE).as_deref() {
        Ok("absent") => absent(),
        Ok("old") => old(),
        Ok(other) => panic!("no case {other}"),
        Err(_) => {} // the test run itself: each case has a test below
    }
}

/// Runs a case with a library that has only these functions.
#[track_caller]
fn run_with(case: &str, functions: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("lib.c"), folder.path().join("libgpustream.so.0"));
    std::fs::write(&source, functions).unwrap();
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let built = Command::new(compiler).args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(built.unwrap().success());
    in_process(CASE, case, &[("GPUSTREAM_LIBRARY", &library)]);
}

#[test]
fn there_is_none() {
    in_process(CASE, "absent", &[("GPUSTREAM_LIBRARY", Path::new("/nonexistent/libgpustream.so.0"))]);
}

fn absent() {
    let error = Stream::new().unwrap_err();
    assert_eq!((error.status(), error.reason()), (Status::UNAVAILABLE, Some(Reason::NoLibrary)));
    assert!(error.to_string().contains("/nonexistent/libgpustream.so.0"), "{error}");
    assert!(matches!(error.source().unwrap().downcast_ref(), Some(LoadError::NotFound { .. })));
    let all = [
        status(Event::new()),
        status(Device::current()),
        status(Device::count()),
        status(Backend::default_backend()),
        status(gpustream::init()),
        status(gpustream::version()),
        status(CURRENT.synchronize()),
        status(CURRENT.notify(|_| ())),
        status(HostBuffer::new(8)),
        status(gpustream::call_on_init(|| Ok(()))),
        status(gpustream::set_log(None::<fn(gpustream::LogLevel, &str)>)),
    ];
    assert_eq!(all, [Status::UNAVAILABLE; 11]);
    // Names do not need the library.
    assert_eq!((Status::SCOPE.name(), Status(77).name()), ("GS_ERROR_SCOPE", "unknown status"));
    // SAFETY: a number that names no stream; copying and destroying it is harmless.
    let stream = unsafe { Stream::from_handle(std::ptr::without_provenance_mut(1)) };
    drop(stream.clone());
}

#[test]
fn it_lacks_functions() {
    run_with("old", "unsigned gs_abi_version(void) { return 1; } unsigned gs_version(void) { return 1203; }");
}

fn old() {
    assert_eq!(gpustream::version().unwrap(), gpustream::Version { major: 0, minor: 12, patch: 3 });
    let error = Stream::new().unwrap_err();
    assert_eq!((error.status(), error.reason()), (Status::UNAVAILABLE, Some(Reason::NoSymbol)));
    assert_eq!(error.function(), "gs_stream_create");
    let missing: Option<&MissingSymbol> = error.source().unwrap().downcast_ref();
    assert_eq!(missing.unwrap().name(), "gs_stream_create");
    assert_eq!(status(CURRENT.query()), Status::UNAVAILABLE);
    // SAFETY: as above.
    drop(unsafe { Stream::from_handle(std::ptr::without_provenance_mut(1)) });
}
