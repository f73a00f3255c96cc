// SPDX-License-Identifier: Apache-2.0
//! Recording, waiting, querying and entering a stream do not allocate on the Rust side.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use gpustream::{CURRENT, Event, Stream, StreamGuard};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: forwards to the system's allocator and counts in a thread-local.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's obligation.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligation.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(function: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    function();
    ALLOCATIONS.get() - before
}

#[test]
fn counting_works() {
    assert_eq!(allocations(|| drop(Box::new(1))), 1);
}

#[test]
fn none_on_hot_calls() {
    let (stream, other, event, timed) =
        (Stream::new().unwrap(), Stream::new().unwrap(), Event::new().unwrap(), Event::timed().unwrap());
    let all = || {
        event.record(&stream).unwrap();
        stream.record_event(&timed).unwrap();
        event.wait(&other).unwrap();
        other.wait_event(&event).unwrap();
        other.wait_stream(&stream).unwrap();
        event.query().unwrap();
        stream.query().unwrap();
        let guard = StreamGuard::new(&other).unwrap();
        event.record(CURRENT).unwrap();
        drop(guard);
        drop((stream.clone(), event.clone()));
        drop(Event::new().unwrap());
        stream.synchronize().unwrap();
        timed.synchronize().unwrap();
        assert!(timed.elapsed_ms(&timed).unwrap() >= 0.0);
        assert_eq!(stream, stream.clone());
    };
    all(); // loads the library
    assert_eq!(allocations(all), 0);
}
