// SPDX-License-Identifier: Apache-2.0
// error: E0382 borrow of moved value: `host`
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let mut device = gpustream::DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let mut host = gpustream::HostBuffer::<f32>::zeroed(4).unwrap();
    let _pending = device.slice_mut(..4).unwrap().write(host).unwrap();
    host[0] = 1.0;
}
