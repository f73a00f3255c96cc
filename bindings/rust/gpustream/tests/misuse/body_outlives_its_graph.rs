// SPDX-License-Identifier: Apache-2.0
// error: E0505 cannot move out of `graph` because it is borrowed
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    let branch = graph.add_if(&[], 1).unwrap();
    drop(graph);
    branch.body(0).add_empty(&[]).unwrap();
}
