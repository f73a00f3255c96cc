// SPDX-License-Identifier: Apache-2.0
//! A wait that fails leaves the buffers with the copy. Alone in its process, whose settings it changes.

mod support;

use gpustream::{DeviceBuffer, HostBuffer, Status, Stream};
use gpustream::{SyncDebugMode, SyncDebugScope, set_sync_debug_mode, set_sync_debug_scope};

#[test]
fn failed_wait_keeps_the_buffers() {
    let stream = Stream::new().unwrap();
    let pending = DeviceBuffer::new(&stream, 8).unwrap().read(HostBuffer::new(8).unwrap()).unwrap();
    set_sync_debug_scope(SyncDebugScope::All).unwrap();
    set_sync_debug_mode(SyncDebugMode::Error).unwrap();
    let failed = pending.wait().unwrap_err();
    set_sync_debug_mode(SyncDebugMode::Default).unwrap();
    set_sync_debug_scope(SyncDebugScope::Torch).unwrap();
    assert_eq!(failed.error.status, Status::SYNC_FORBIDDEN);
    assert!(failed.to_string().contains("SYNC_FORBIDDEN"), "{failed}");
    let (_, host) = failed.pending.wait().unwrap();
    assert_eq!(*host, [0; 8]);
}
