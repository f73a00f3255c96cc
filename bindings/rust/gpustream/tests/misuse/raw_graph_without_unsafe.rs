// SPDX-License-Identifier: Apache-2.0
// error: E0133 call to unsafe function
fn main() {
    gpustream::Graph::from_raw(gpustream::Device::CURRENT, std::ptr::null_mut()).unwrap();
}
