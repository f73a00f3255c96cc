// SPDX-License-Identifier: Apache-2.0
// error: E0505 cannot move out of `module` because it is borrowed
fn main() {
    let module = unsafe { gpustream::Module::load_file(gpustream::Device::CURRENT, "kernels.so") }.unwrap();
    let kernel = module.kernel("kernel").unwrap();
    drop(module);
    println!("{kernel:?}");
}
