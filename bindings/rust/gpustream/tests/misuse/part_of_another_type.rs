// SPDX-License-Identifier: Apache-2.0
// error: E0308 mismatched types
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let mut device = gpustream::DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let host = gpustream::HostBuffer::<u32>::zeroed(8).unwrap();
    device.slice_mut(..).unwrap().write(host).unwrap();
}
