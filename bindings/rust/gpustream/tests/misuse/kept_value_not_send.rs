// SPDX-License-Identifier: Apache-2.0
// error: E0277 cannot be sent between threads safely
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    graph.keep(std::rc::Rc::new(7)).unwrap();
}
