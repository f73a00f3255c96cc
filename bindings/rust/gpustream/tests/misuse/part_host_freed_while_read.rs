// SPDX-License-Identifier: Apache-2.0
// error: E0382 use of moved value: `host`
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let device = gpustream::DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let host = gpustream::HostBuffer::<f32>::zeroed(4).unwrap();
    let _pending = device.slice(..4).unwrap().read(host).unwrap();
    host.free().unwrap();
}
