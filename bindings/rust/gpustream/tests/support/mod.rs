// SPDX-License-Identifier: Apache-2.0
//! Helpers of several tests.
#![allow(dead_code)] // each test uses its part

use std::ffi::c_void;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use gpustream::{Device, Graph, GraphExec, HostBuffer, InstantiateFlags, Module, Result, Status, Stream, StreamRef};

/// Bounds hangs; says nothing about speed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Holds streams until it is opened, so that their work is certainly not done.
#[derive(Clone, Default)]
pub struct Gate {
    shared: Arc<(Mutex<bool>, Condvar)>,
}

impl Gate {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn hold(&self, stream: &StreamRef) {
        let shared = self.shared.clone();
        let wait = move || {
            let (open, opened) = &*shared;
            let (_open, timed_out) = opened.wait_timeout_while(open.lock().unwrap(), PATIENCE, |open| !*open).unwrap();
            assert!(!timed_out.timed_out(), "the gate was not opened in time");
        };
        // SAFETY: the function waits for a thread of the test, never for a stream.
        unsafe { stream.launch_host(wait) }.unwrap();
    }

    pub fn open(&self) {
        *self.shared.0.lock().unwrap() = true;
        self.shared.1.notify_all();
    }

    pub fn is_open(&self) -> bool {
        *self.shared.0.lock().unwrap()
    }
}

/// A stream of its own that is current on the test's thread, which other tests then do not hold up.
#[track_caller]
pub fn current_stream() -> Stream {
    let stream = Stream::new().unwrap();
    stream.set_current().unwrap();
    stream
}

/// A stream held by a gate, which opens at the latest when this is dropped.
pub struct Held {
    pub stream: Stream,
    pub gate: Gate,
}

impl Held {
    pub fn new() -> Self {
        Self::on(Stream::new().unwrap())
    }

    pub fn current() -> Self {
        Self::on(current_stream())
    }

    pub fn on(stream: Stream) -> Self {
        let gate = Gate::new();
        gate.hold(&stream);
        Self { stream, gate }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.gate.open();
    }
}

struct Unpark(Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// An executor of one future, on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let (mut future, waker) = (pin!(future), Arc::new(Unpark(thread::current())).into());
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Counts how often it is woken. A task that keeps its waker keeps a reference to it.
#[derive(Default)]
pub struct Woken(pub AtomicU32);
impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A shared object with kernels for the host backend.
pub fn kernels() -> PathBuf {
    let build =
        std::env::var_os("GPUSTREAM_BUILD_DIR").expect("GPUSTREAM_BUILD_DIR names the build folder of the core");
    let path = PathBuf::from(build).join("tests/parity/libgpustream_parity_native.so");
    assert!(path.is_file(), "{} is missing: build gpustream_parity_native", path.display());
    path
}

/// A function that counts its calls.
pub fn counter() -> (Arc<AtomicU32>, impl Fn() + Send + Sync + Clone + 'static) {
    let count = Arc::new(AtomicU32::new(0));
    let counted = count.clone();
    (count, move || _ = counted.fetch_add(1, Ordering::Relaxed))
}

/// The module of that file.
#[track_caller]
pub fn module() -> Module {
    // SAFETY: the shared object's initialisers are harmless.
    unsafe { Module::load_file(Device::CURRENT, kernels()) }.unwrap()
}

/// An empty graph of the current device.
#[track_caller]
pub fn empty() -> Graph {
    Graph::new(Device::CURRENT).unwrap()
}

/// Launches a graph of a test: its functions touch no device, and its memory outlives the launch.
#[track_caller]
pub fn launch(exec: &GraphExec, stream: &StreamRef) {
    // SAFETY: as above.
    unsafe { exec.launch(stream) }.unwrap();
}

/// Launches a graph once and waits for it; as [`launch`].
#[track_caller]
pub fn run(graph: &Graph) {
    let stream = Stream::new().unwrap();
    launch(&graph.instantiate(InstantiateFlags::empty()).unwrap(), &stream);
    stream.synchronize().unwrap();
}

/// Bytes that graphs write and tests read afterwards, and their address.
pub fn bytes(values: &[u8]) -> (Arc<HostBuffer>, *mut c_void) {
    let buffer = Arc::new(HostBuffer::from_slice(values).unwrap());
    let address = buffer.as_ptr().cast_mut().cast();
    (buffer, address)
}

/// Runs the test `case` of this program in a process of its own, with the case's name in a variable; it must pass.
#[track_caller]
pub fn in_process(variable: &str, case: &str, environment: &[(&str, &Path)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "case", "--nocapture"]).env(variable, case).envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{case}: {}\n{text}", output.status);
}

#[track_caller]
pub fn status<T>(result: Result<T>) -> Status {
    match result {
        Ok(_) => Status::OK,
        Err(error) => {
            assert!(!error.message().is_empty(), "no text: {error:?}");
            error.status()
        }
    }
}

/// Repeats a check until it succeeds; fails after a minute.
#[track_caller]
pub fn until(mut so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < deadline, "never came true");
        std::thread::yield_now();
    }
}

/// Tests that change or count state of the process take turns.
pub fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
