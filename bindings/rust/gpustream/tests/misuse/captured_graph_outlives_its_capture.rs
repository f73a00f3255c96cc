// SPDX-License-Identifier: Apache-2.0
// error: E0505 cannot move out of `capture` because it is borrowed
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let capture = stream.capture(gpustream::CaptureMode::Relaxed).unwrap();
    let graph = capture.graph().unwrap();
    capture.end().unwrap();
    graph.add_empty(&[]).unwrap();
}
