// SPDX-License-Identifier: Apache-2.0
// error: E0382 borrow of moved value: `host`
fn main() {
    let stream = gpustream::Stream::new().unwrap();
    let device = gpustream::DeviceBuffer::new(&stream, 8).unwrap();
    let host = gpustream::HostBuffer::new(8).unwrap();
    let pending = device.write(host).unwrap();
    println!("{}", host[0]);
    drop(pending);
}
