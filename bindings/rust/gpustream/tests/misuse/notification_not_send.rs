// SPDX-License-Identifier: Apache-2.0
// error: E0277 cannot be sent between threads safely
fn main() {
    let local = std::rc::Rc::new(1);
    gpustream::Stream::new().unwrap().notify(move |_| drop(local)).unwrap();
}
