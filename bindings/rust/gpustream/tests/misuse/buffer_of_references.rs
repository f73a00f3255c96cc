// SPDX-License-Identifier: Apache-2.0
// error: E0277 Plain` is not satisfied
fn main() {
    let number = 5;
    let _buffer = gpustream::HostBuffer::from_slice(&[&number]).unwrap();
}
