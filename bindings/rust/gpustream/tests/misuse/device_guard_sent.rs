// SPDX-License-Identifier: Apache-2.0
// error: E0277 cannot be sent between threads safely
fn main() {
    let guard = gpustream::DeviceGuard::new(gpustream::Device::CURRENT).unwrap();
    std::thread::spawn(move || drop(guard));
}
