// SPDX-License-Identifier: Apache-2.0
//! Queues of completions.

mod support;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::thread;
use std::time::Duration;

use gpustream::{CaptureMode, Completion, CompletionQueue, Device, Event, Status, Stream};
use support::{Held, PATIENCE, status};

fn queue() -> CompletionQueue {
    CompletionQueue::new(1000).unwrap()
}

/// Takes that many entries.
#[track_caller]
fn take(queue: &CompletionQueue, count: usize) -> Vec<(u64, Status)> {
    let (mut room, mut taken) = ([Completion::EMPTY; 8], Vec::new());
    while taken.len() < count {
        let entries = queue.wait(&mut room, Some(PATIENCE)).unwrap();
        taken.extend(entries.iter().map(|entry| (entry.token(), entry.status())));
    }
    assert!(queue.poll(&mut room).unwrap().is_empty(), "more than {count}");
    taken
}

fn is_readable(fd: BorrowedFd<'_>) -> bool {
    let mut polled = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one local struct.
    let ready = unsafe { libc::poll(&raw mut polled, 1, 0) };
    assert!(ready >= 0 && polled.revents & !libc::POLLIN == 0, "{ready} {:#x}", polled.revents);
    ready == 1
}

#[test]
fn each_add_is_followed_by_one_entry() {
    let (queue, held) = (queue(), Held::new());
    let (recorded, never) = (Event::new().unwrap(), Event::new().unwrap());
    recorded.record(&held.stream).unwrap();
    queue.add_stream(&held.stream, 1).unwrap();
    queue.add_event(&recorded, 2).unwrap();
    queue.add_event(&never, 3).unwrap();
    assert_eq!(take(&queue, 1), [(3, Status::OK)]);
    recorded.record(&Stream::new().unwrap()).unwrap(); // later records do not matter
    drop(recorded);
    held.gate.open();
    // The event's record comes before the point of the stream, but was added after it: either order will do.
    let mut taken = take(&queue, 2);
    taken.sort_unstable();
    assert_eq!(taken, [(1, Status::OK), (2, Status::OK)]);
}

#[test]
fn entries_say_where_when_and_how() {
    let (queue, stream) = (queue(), Stream::builder().device(Device::new(1)).build().unwrap());
    queue.add_stream(&stream, u64::MAX).unwrap();
    let mut room = [Completion::EMPTY; 2];
    let [entry] = queue.wait(&mut room, Some(PATIENCE)).unwrap() else { panic!("one entry") };
    assert_eq!((entry.token(), entry.result(), entry.device().ordinal()), (u64::MAX, Ok(()), Some(1)));
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a local struct.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) }, 0);
    let now = Duration::new(now.tv_sec.cast_unsigned(), u32::try_from(now.tv_nsec).unwrap());
    assert!(entry.time() <= now && entry.time() > Duration::ZERO);
    assert!(format!("{entry:?}").contains("GS_OK"));
}

#[test]
fn cancelled_entries_come_at_once() {
    let (queue, held) = (queue(), Held::new());
    for token in [7, 8, 7] {
        queue.add_stream(&held.stream, token).unwrap();
    }
    assert_eq!(queue.cancel(7), Ok(2));
    assert_eq!(take(&queue, 2), [(7, Status::CANCELLED), (7, Status::CANCELLED)]);
    assert_eq!(queue.cancel(7), Ok(0));
    queue.cancel(8).unwrap();
    let mut cancelled = [Completion::EMPTY];
    let error = queue.poll(&mut cancelled).unwrap()[0].result().unwrap_err();
    assert_eq!((error.status(), error.native()), (Status::CANCELLED, 0));
    assert!(!error.message().is_empty());
}

#[test]
fn wrong_arguments() {
    assert_eq!(status(CompletionQueue::new(0)), Status::INVALID_ARGUMENT);
    CompletionQueue::new(u32::MAX).unwrap();
    let queue = queue();
    assert_eq!(status(queue.poll(&mut []).map(|_| ())), Status::INVALID_ARGUMENT);
    assert_eq!(status(queue.wait(&mut [], None).map(|_| ())), Status::INVALID_ARGUMENT);
    let stream = Stream::new().unwrap();
    let capture = stream.capture(CaptureMode::ThreadLocal).unwrap();
    assert_eq!(status(queue.add_stream(&stream, 1)), Status::CAPTURING);
    capture.end().unwrap();
    // SAFETY: takes a number; makes the handle stale.
    assert_eq!(unsafe { gpustream::sys::api().unwrap().gs_queue_destroy(queue.as_handle()) }, Ok(0));
    assert_eq!(status(queue.add_stream(&stream, 1)), Status::INVALID_HANDLE);
    assert_eq!(status(queue.poll(&mut [Completion::EMPTY]).map(|_| ())), Status::INVALID_HANDLE);
    assert_eq!(status(queue.try_clone()), Status::INVALID_HANDLE);
    drop(queue.clone());
}

#[test]
fn waits_end_by_time_by_waking_and_with_the_queue() {
    let queue = queue();
    let mut room = [Completion::EMPTY];
    for limit in [Duration::ZERO, Duration::from_millis(1)] {
        assert_eq!(status(queue.wait(&mut room, Some(limit)).map(|_| ())), Status::TIMEOUT);
    }
    queue.wake().unwrap();
    assert!(queue.wait(&mut room, None).unwrap().is_empty(), "woken before the wait");
    let other = queue.clone();
    let waits = thread::spawn(move || other.wait(&mut [Completion::EMPTY], None).map(<[_]>::len));
    while !waits.is_finished() {
        queue.wake().unwrap();
        thread::yield_now();
    }
    assert_eq!(waits.join().unwrap(), Ok(0));
    // SAFETY: the handle is released by the last reference below, which the waiting thread outlives.
    let (handle, queue) = (queue.as_handle().addr(), queue);
    let waits = thread::spawn(move || {
        let mut count = 1;
        let mut entry = gpustream::sys::gs_completion_t::default();
        let queue = std::ptr::without_provenance_mut(handle);
        // SAFETY: room for one entry, and a local variable.
        unsafe { gpustream::sys::api().unwrap().gs_queue_wait(queue, &raw mut entry, 1, -1, &raw mut count) }
    });
    drop(queue);
    assert_eq!(waits.join().unwrap(), Ok(Status::INVALID_HANDLE.0));
}

#[test]
fn descriptor_is_readable_while_entries_wait() {
    let (queue, held) = (queue(), Held::new());
    let fd = queue.fd().unwrap();
    assert_eq!(fd.as_raw_fd(), queue.fd().unwrap().as_raw_fd());
    // SAFETY: asks for flags.
    assert_ne!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) } & libc::FD_CLOEXEC, 0);
    queue.add_stream(&held.stream, 1).unwrap();
    queue.add_stream(&held.stream, 2).unwrap();
    assert!(!is_readable(fd));
    held.gate.open();
    support::until(|| is_readable(fd));
    let mut room = [Completion::EMPTY];
    assert_eq!(queue.wait(&mut room, Some(PATIENCE)).unwrap().len(), 1);
    support::until(|| is_readable(fd)); // the second one
    assert_eq!(queue.poll(&mut room).unwrap()[0].token(), 2);
    assert!(!is_readable(fd));
    queue.wake().unwrap();
    assert!(is_readable(fd));
    assert!(queue.poll(&mut room).unwrap().is_empty());
    assert!(!is_readable(fd));
}

#[test]
fn queue_with_its_descriptor() {
    let polled = queue().into_fd().unwrap();
    polled.add_event(&Event::new().unwrap(), 5).unwrap();
    support::until(|| is_readable(polled.as_fd()));
    assert_eq!(polled.as_fd().as_raw_fd(), polled.as_raw_fd());
    assert_eq!(take(&polled, 1), [(5, Status::OK)]);
    assert!(format!("{polled:?}").contains("CompletionQueue"));
}
