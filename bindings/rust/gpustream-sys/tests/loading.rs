// SPDX-License-Identifier: Apache-2.0
//! How the library is found at run time, and the errors when it is not. A process loads it once, so each case runs in a
//! process of its own: this program again, with the case's name in the environment.
#![cfg(all(feature = "dlopen", not(feature = "link"), not(feature = "bundled")))]

use std::ffi::{CStr, OsStr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use gpustream_sys as sys;
use sys::LoadError;

const CASE: &str = "GPUSTREAM_LOADING_CASE";

const CASES: [(&str, fn()); 10] = [
    ("absent", absent),
    ("named", named),
    ("works", works),
    ("loaded_before", loaded_before),
    ("named_beside_another", named_beside_another),
    ("named_again", named_again),
    ("wrong_abi", wrong_abi),
    ("other_library", other_library),
    ("older", older),
    ("retry", retry),
];

#[test]
fn case() {
    if let Some(wanted) = env::var_os(CASE) {
        let (_, run) = CASES.iter().find(|(name, _)| wanted == *name).unwrap();
        run();
    }
}

/// Runs a case in a process of its own; it must succeed.
#[track_caller]
fn run(case: &str, variables: &[(&str, &Path)]) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "case", "--nocapture"]).env(CASE, case).env_remove("GPUSTREAM_LIBRARY");
    let output = command.env("LD_LIBRARY_PATH", "").envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{case}: {}\n{text}", output.status);
    assert!(text.contains("1 passed"), "{case} did not run\n{text}");
}

#[test]
fn it_is_found_or_refused() {
    let (library, folder, nowhere) =
        (library(), tempfile::tempdir().unwrap(), Path::new("/nonexistent/libgpustream.so.0"));
    let (copy, link) = (folder.path().join("libgpustream.so.0"), folder.path().join("link.so"));
    fs::copy(&library, &copy).unwrap();
    std::os::unix::fs::symlink(&library, &link).unwrap();
    let system = library.parent().unwrap();
    run("absent", &[]);
    // The folder is not tried, since the variable names another file.
    run("named", &[("GPUSTREAM_LIBRARY", nowhere), ("LD_LIBRARY_PATH", system)]);
    run("works", &[("LD_LIBRARY_PATH", system)]);
    run("works", &[("GPUSTREAM_LIBRARY", &library)]);
    run("loaded_before", &[("GPUSTREAM_OTHER_COPY", &copy), ("GPUSTREAM_LIBRARY", &library)]);
    run("named_beside_another", &[("GPUSTREAM_OTHER_COPY", &copy), ("GPUSTREAM_LATER", &library)]);
    run("named_again", &[("GPUSTREAM_OTHER_COPY", &library), ("GPUSTREAM_LATER", &link)]);
    run("retry", &[("GPUSTREAM_LATER", &library)]);
    for (case, source) in [
        ("wrong_abi", "unsigned gs_abi_version(void) { return 77; }"),
        ("other_library", "int other(void) { return 1; }"),
        ("older", "unsigned gs_abi_version(void) { return 1; } unsigned gs_version(void) { return 1; }"),
    ] {
        let made = tempfile::tempdir().unwrap();
        run(case, &[("GPUSTREAM_LIBRARY", &build(made.path(), source))]);
    }
}

/// The library the tests use.
fn library() -> PathBuf {
    let path = env::var_os("GPUSTREAM_LIBRARY").expect("GPUSTREAM_LIBRARY names the library to test with");
    fs::canonicalize(&path).unwrap_or_else(|error| panic!("{}: {error}", Path::new(&path).display()))
}

/// Compiles a library under the library's name.
fn build(folder: &Path, source: &str) -> PathBuf {
    let path = folder.join("libgpustream.so.0");
    fs::write(folder.join("lib.c"), source).unwrap();
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let soname = "-Wl,-soname,libgpustream.so.0";
    let status =
        Command::new(compiler).args(["-shared", "-fPIC", soname, "-o"]).arg(&path).arg(folder.join("lib.c")).status();
    assert!(status.unwrap().success());
    path
}

fn absent() {
    let Err(error) = sys::api() else { panic!("found at {:?}", sys::library_path()) };
    let text = error.to_string();
    let LoadError::NotFound { attempts } = error else { panic!("{error:?}") };
    assert_eq!(attempts.len(), 1, "{attempts:?}");
    assert_eq!(attempts[0].name, Path::new("libgpustream.so.0"));
    assert!(attempts[0].reason.contains("cannot open shared object file"), "{attempts:?}");
    assert!(text.contains("GPUSTREAM_LIBRARY") && text.contains("cannot open"), "{text}");
}

fn named() {
    match sys::api().map(|_| ()) {
        Err(LoadError::NotFound { attempts }) => {
            assert_eq!(attempts.len(), 1);
            assert_eq!(attempts[0].name, Path::new("/nonexistent/libgpustream.so.0"));
        }
        other => panic!("{other:?}"),
    }
}

fn works() {
    let api = sys::api().unwrap();
    // SAFETY: no arguments; the text is static.
    let version = unsafe { CStr::from_ptr(api.gs_version_string().unwrap()) };
    assert!(version.to_str().unwrap().split('.').count() == 3, "{version:?}");
    let path = sys::library_path().unwrap();
    assert!(path.is_file(), "{}", path.display());
    assert_eq!(sys::load(path).map(|_| ()), Err(LoadError::Already { path: path.to_owned() }));
    assert!(std::ptr::eq(sys::api().unwrap(), api));
}

fn variable(name: &str) -> PathBuf {
    env::var_os(name).unwrap().into()
}

/// Loads a file before the crate is used, which must take that one.
fn beside_one_that_is_loaded(check: impl FnOnce(&Path)) {
    let loaded = variable("GPUSTREAM_OTHER_COPY");
    // SAFETY: the library runs nothing when it is loaded.
    let _kept = unsafe { libloading::Library::new(&loaded) }.unwrap();
    check(&loaded);
    assert_eq!(sys::library_path(), Ok(loaded.as_path()));
    // SAFETY: no arguments.
    assert_eq!(unsafe { sys::api().unwrap().gs_instance_count() }, Ok(1));
}

fn loaded_before() {
    beside_one_that_is_loaded(|_| ());
}

/// Two copies would each have their own current streams.
fn named_beside_another() {
    beside_one_that_is_loaded(|loaded| {
        for path in [variable("GPUSTREAM_LATER").as_path(), Path::new("/nonexistent")] {
            assert_eq!(sys::load(path).map(|_| ()), Err(LoadError::Already { path: loaded.to_owned() }));
        }
    });
}

fn named_again() {
    beside_one_that_is_loaded(|_| _ = sys::load(&variable("GPUSTREAM_LATER")).unwrap());
}

/// Bytes that this program has allocated and not yet freed.
fn allocated() -> usize {
    // SAFETY: no arguments.
    unsafe { libc::mallinfo2() }.uordblks
}

fn wrong_abi() {
    match sys::api().map(|_| ()) {
        Err(LoadError::WrongAbi { path, found: 77 }) => {
            assert_eq!(path.file_name(), Some(OsStr::new("libgpustream.so.0")))
        }
        other => panic!("{other:?}"),
    }
    assert!(sys::api().map(|_| ()).unwrap_err().to_string().contains("ABI version 77, but 1 is needed"));
    // A failed attempt is repeated by each call and keeps no memory. The test harness's own threads may allocate a
    // little.
    let before = allocated();
    for _ in 0..1000 {
        assert!(sys::api().is_err());
    }
    let grown = allocated().saturating_sub(before);
    assert!(grown < 100_000, "{grown} bytes in 1000 calls");
}

fn other_library() {
    assert!(matches!(sys::api(), Err(LoadError::NotGpustream { .. })));
}

fn older() {
    let api = sys::api().unwrap();
    // SAFETY: no arguments.
    unsafe {
        assert_eq!(api.gs_version(), Ok(1));
        let missing = api.gs_init().unwrap_err();
        assert_eq!(missing.name(), "gs_init");
        assert!(missing.to_string().contains("lacks gs_init"), "{missing}");
    }
}

fn retry() {
    assert!(sys::api().is_err());
    assert!(matches!(sys::load(Path::new("/nonexistent")), Err(LoadError::NotFound { .. })));
    sys::load(&variable("GPUSTREAM_LATER")).unwrap();
    works();
}
