// SPDX-License-Identifier: Apache-2.0
//! Waits for copies where synchronizing is forbidden or reported. Alone in its process, whose settings it changes.

mod support;

use std::sync::{Arc, Mutex};

use gpustream::{DeviceBuffer, HostBuffer, LogLevel, Status, Stream};
use gpustream::{SyncDebugMode, SyncDebugScope, set_sync_debug_mode, set_sync_debug_scope};
use support::{Gate, until};

#[test]
fn where_waiting_is_forbidden() {
    failed_wait_keeps_the_buffers();
    dropped_copy_is_no_wait();
}

fn failed_wait_keeps_the_buffers() {
    let stream = Stream::new().unwrap();
    let pending = DeviceBuffer::new(&stream, 8).unwrap().read(HostBuffer::new(8).unwrap()).unwrap();
    set_sync_debug_scope(SyncDebugScope::All).unwrap();
    set_sync_debug_mode(SyncDebugMode::Error).unwrap();
    let failed = pending.wait().unwrap_err();
    set_sync_debug_mode(SyncDebugMode::Default).unwrap();
    set_sync_debug_scope(SyncDebugScope::Torch).unwrap();
    assert_eq!(failed.error.status(), Status::SYNC_FORBIDDEN);
    assert!(failed.to_string().contains("SYNC_FORBIDDEN"), "{failed}");
    let (_, host) = failed.pending.wait().unwrap();
    assert_eq!(*host, [0; 8]);
}

/// A drop does not synchronize, so it succeeds silently and frees the buffers even where synchronizing is forbidden.
fn dropped_copy_is_no_wait() {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let kept = messages.clone();
    gpustream::set_log(Some(move |_, text: &str| kept.lock().unwrap().push(text.to_owned()))).unwrap();
    set_sync_debug_scope(SyncDebugScope::All).unwrap();
    for mode in [SyncDebugMode::Warn, SyncDebugMode::Error] {
        let (stream, gate) = (Stream::new().unwrap(), Gate::new());
        gate.hold(&stream);
        let pending = stream.with(|| DeviceBuffer::new(&stream, 8)?.read(HostBuffer::new(8)?)).unwrap().unwrap();
        set_sync_debug_mode(mode).unwrap();
        let triple = stream.pack().unwrap();
        drop((stream, pending));
        gate.open();
        // SAFETY: the stream is one of gpustream's own.
        until(|| unsafe { Stream::unpack(triple) }.is_err());
        set_sync_debug_mode(SyncDebugMode::Default).unwrap();
    }
    set_sync_debug_scope(SyncDebugScope::Torch).unwrap();
    gpustream::set_log(None::<fn(LogLevel, &str)>).unwrap();
    assert_eq!(*messages.lock().unwrap(), [""; 0]);
}
