// SPDX-License-Identifier: Apache-2.0
// error: E0502 cannot borrow `device` as immutable because it is also borrowed as mutable
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let mut device = gpustream::DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    device.slice_mut(..4).unwrap().copy_from(device.slice(2..6).unwrap()).unwrap();
}
