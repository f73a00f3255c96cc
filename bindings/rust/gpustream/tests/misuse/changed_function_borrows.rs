// SPDX-License-Identifier: Apache-2.0
// error: E0597 does not live long enough
fn change(exec: &gpustream::GraphExec, node: gpustream::Node) {
    let text = String::from("gone when a launch prints it");
    let borrowed = &text;
    exec.set_host(node, move || println!("{borrowed}")).unwrap();
}

fn main() {
    let _ = change;
}
