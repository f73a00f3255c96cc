// SPDX-License-Identifier: Apache-2.0
//! A device that is reset. Alone in its process, as the device does not come back.

mod support;

use gpustream::{Device, Status, Stream};
use support::status;

#[test]
fn it_is_gone_for_all() {
    let kept = Stream::builder().device(Device::new(1)).build().unwrap();
    // SAFETY: this program has neither host buffers nor another library that uses its devices.
    let reset = |device: Device| status(unsafe { device.reset() });
    assert_eq!(
        [99, 1, 1].map(|device| reset(Device::new(device))),
        [Status::INVALID_DEVICE, Status::OK, Status::CONTEXT_LOST]
    );
    assert_eq!(status(kept.query()), Status::CONTEXT_LOST);
    drop(kept);
    Stream::builder().device(Device::new(0)).build().unwrap().synchronize().unwrap();
}
