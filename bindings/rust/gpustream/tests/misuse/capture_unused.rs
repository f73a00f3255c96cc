// SPDX-License-Identifier: Apache-2.0
// error: unused `Capture` that must be used
#![deny(unused_must_use)]

fn main() {
    let stream = gpustream::Stream::new().unwrap();
    stream.capture(gpustream::CaptureMode::Global).unwrap();
}
