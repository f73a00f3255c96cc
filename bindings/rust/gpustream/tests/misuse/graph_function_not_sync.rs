// SPDX-License-Identifier: Apache-2.0
// error: E0277 cannot be shared between threads safely
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    let calls = std::cell::Cell::new(0); // launches of two executables may call at the same time
    graph.add_host(&[], move || calls.set(calls.get() + 1)).unwrap();
}
