// SPDX-License-Identifier: Apache-2.0
// error: E0597 does not live long enough
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let text = String::from("gone when a launch prints it");
    let borrowed = &text;
    let capture = stream.capture(gpustream::CaptureMode::Relaxed).unwrap();
    capture.launch_host(&stream, move || println!("{borrowed}")).unwrap();
}
