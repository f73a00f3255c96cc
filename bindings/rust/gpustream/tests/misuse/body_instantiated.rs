// SPDX-License-Identifier: Apache-2.0
// error: E0599 no method named `instantiate`
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    let branch = graph.add_if(&[], 1).unwrap();
    branch.body(0).instantiate(gpustream::InstantiateFlags::empty()).unwrap();
}
