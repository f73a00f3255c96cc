// SPDX-License-Identifier: Apache-2.0
// error: E0277 cannot be sent between threads safely
fn main() {
    let stream: &'static gpustream::Stream = Box::leak(Box::new(gpustream::Stream::new().unwrap()));
    let capture = stream.capture(gpustream::CaptureMode::ThreadLocal).unwrap();
    std::thread::spawn(move || capture.end());
}
