// SPDX-License-Identifier: Apache-2.0
// error: E0594 cannot assign to
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    let mut calls = 0;
    graph.add_host(&[], move || calls += 1).unwrap();
}
