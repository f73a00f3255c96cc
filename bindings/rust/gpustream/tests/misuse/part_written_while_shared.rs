// SPDX-License-Identifier: Apache-2.0
// error: E0599 no method named `fill_bytes`
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let device = gpustream::DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    device.slice(..).unwrap().fill_bytes(0).unwrap();
}
