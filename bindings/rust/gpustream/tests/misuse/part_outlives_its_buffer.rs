// SPDX-License-Identifier: Apache-2.0
// error: E0505 cannot move out of `device` because it is borrowed
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let device = gpustream::DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let part = device.slice(..4).unwrap();
    drop(device);
    println!("{part:?}");
}
