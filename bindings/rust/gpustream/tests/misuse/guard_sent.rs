// SPDX-License-Identifier: Apache-2.0
// error: E0277 cannot be sent between threads safely
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let guard = gpustream::StreamGuard::new(&stream).unwrap();
    std::thread::spawn(move || drop(guard));
}
