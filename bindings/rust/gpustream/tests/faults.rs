// SPDX-License-Identifier: Apache-2.0
//! Futures and queues on a device that breaks. On the fake driver only, which breaks on request.

mod support;

use std::env;
use std::ffi::CString;
use std::os::unix::ffi::OsStringExt;

use gpustream::{Completion, CompletionQueue, Event, Status, Stream};
use support::{Held, PATIENCE, block_on, status};

/// Breaks a device of the fake driver with an error of the driver.
fn break_device(native: i32) -> bool {
    let Some(driver) = env::var_os("GPUSTREAM_LIBCUDA").filter(|path| path.to_string_lossy().contains("fake_cuda"))
    else {
        eprintln!("not run: GPUSTREAM_LIBCUDA names no fake driver");
        return false;
    };
    let path = CString::new(driver.into_vec()).unwrap();
    // SAFETY: the library is loaded already, and the function has this type.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        let function = libc::dlsym(library, c"fake_cuda_break_device".as_ptr());
        assert!(!function.is_null());
        std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn(i32, i32)>(function)(0, native);
    }
    true
}

/// Each of ten thousand awaits reports the fault, and each entry of a queue; the process goes on.
#[test]
fn everything_pending_reports_the_fault() {
    let held = Held::new();
    let (event, queue) = (Event::new().unwrap(), CompletionQueue::new(100).unwrap());
    event.record(&held.stream).unwrap();
    let mut futures: Vec<_> = (0..5000).map(|_| held.stream.finished().unwrap()).collect();
    futures.extend((0..5000).map(|_| std::future::IntoFuture::into_future(&event)));
    (0..100).for_each(|token| queue.add_stream(&held.stream, token).unwrap());
    if !break_device(700) {
        return;
    }
    held.gate.open();
    for future in futures {
        let error = block_on(future).unwrap_err();
        assert_eq!((error.status(), error.native(), error.is_sticky()), (Status::STICKY, 700, true), "{error}");
        assert!(error.to_string().ends_with(" (GS_ERROR_STICKY, 700)"), "{error}");
    }
    let (mut room, mut seen) = ([Completion::EMPTY; 16], 0);
    while seen < 100 {
        for entry in queue.wait(&mut room, Some(PATIENCE)).unwrap() {
            let error = entry.result().unwrap_err();
            assert_eq!((error.status(), error.native(), error.is_sticky()), (Status::STICKY, 700, true));
            seen += 1;
        }
    }
    assert_eq!(status(held.stream.synchronize_for(PATIENCE)), Status::STICKY);
    assert_eq!(status(Stream::new().and_then(|stream| stream.finished()).map(|_| ())), Status::STICKY);
}
