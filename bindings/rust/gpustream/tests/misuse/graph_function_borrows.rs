// SPDX-License-Identifier: Apache-2.0
// error: E0597 does not live long enough
fn main() {
    let graph = gpustream::Graph::new(gpustream::Device::CURRENT).unwrap();
    let text = String::from("gone when a launch prints it");
    let borrowed = &text;
    graph.add_host(&[], move || println!("{borrowed}")).unwrap();
}
