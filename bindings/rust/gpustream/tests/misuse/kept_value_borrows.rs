// SPDX-License-Identifier: Apache-2.0
// error: E0597 does not live long enough
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    let buffer = gpustream::HostBuffer::new(8).unwrap();
    graph.keep(&buffer).unwrap();
}
