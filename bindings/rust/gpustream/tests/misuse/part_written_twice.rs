// SPDX-License-Identifier: Apache-2.0
// error: E0499 cannot borrow `device` as mutable more than once at a time
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let mut device = gpustream::DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let mut one = device.slice_mut(..4).unwrap();
    let mut other = device.slice_mut(2..).unwrap();
    one.fill_bytes(0).unwrap();
    other.fill_bytes(0).unwrap();
}
