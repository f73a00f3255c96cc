// SPDX-License-Identifier: Apache-2.0
// error: E0133 call to unsafe function
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    let exec = graph.instantiate(gpustream::InstantiateFlags::empty()).unwrap();
    exec.launch(gpustream::CURRENT).unwrap();
}
