// SPDX-License-Identifier: Apache-2.0
//! Kernels: loading and launching them.

use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gpustream_sys::{self as sys, gs_kernel_t, gs_launch_config_t, gs_module_t};

use crate::call::{api, check, get};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::reaper::defer;
use crate::status::Status;
use crate::stream::StreamRef;

/// Loaded kernels of one device.
///
/// Dropping one hands it to a thread that unloads it, as that may wait for a device; [`Module::unload`] does so at once.
#[derive(Debug)]
pub struct Module {
    raw: gs_module_t,
}

// SAFETY: the handle is a number; every function of the library may be called from every thread at the same time.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads kernels from an image: PTX text, cubin or fatbin on CUDA, a shared object on host. PTX text ends with a NUL.
    ///
    /// # Safety
    ///
    /// Loading a shared object runs its initialisers, loading device code trusts it.
    pub unsafe fn load(device: Device, image: &[u8]) -> Result<Self> {
        if image.is_empty() {
            // In C, size 0 means that the image is a path.
            return Err(Error::new(Status::INVALID_ARGUMENT, "Module::load", "the image is empty"));
        }
        // SAFETY: the image is as long as said, the output is a local variable; what is loaded is the caller's word.
        let raw =
            get(|api, out| unsafe { api.gs_module_load(device.as_raw(), image.as_ptr().cast(), image.len(), out) })?;
        Ok(Self { raw })
    }

    /// Loads kernels from a file that holds such an image.
    ///
    /// # Safety
    ///
    /// As [`load`](Self::load).
    pub unsafe fn load_file(device: Device, path: impl AsRef<Path>) -> Result<Self> {
        let path = text(path.as_ref().as_os_str().as_bytes(), "Module::load_file")?;
        // SAFETY: with size 0 the image is a path, which ends with a NUL; the output is a local variable.
        let raw = get(|api, out| unsafe { api.gs_module_load(device.as_raw(), path.as_ptr().cast(), 0, out) })?;
        Ok(Self { raw })
    }

    /// A kernel by its symbol's name as compiled (mangled for C++).
    pub fn kernel(&self, name: &str) -> Result<Kernel<'_>> {
        let name = text(name.as_bytes(), "Module::kernel")?;
        // SAFETY: the name ends with a NUL, the output is a local variable.
        let raw = get(|api, out| unsafe { api.gs_module_get_kernel(self.raw, name.as_ptr(), out) })?;
        Ok(Kernel { raw, module: PhantomData })
    }

    /// Unloads now. May wait for device work.
    pub fn unload(self) -> Result<()> {
        let module = ManuallyDrop::new(self);
        // SAFETY: takes a handle.
        check(unsafe { api()?.gs_module_destroy(module.raw) })
    }
}

fn text(bytes: &[u8], function: &str) -> Result<CString> {
    CString::new(bytes).map_err(|error| Error::new(Status::INVALID_ARGUMENT, function, &error.to_string()))
}

impl Drop for Module {
    fn drop(&mut self) {
        let address = self.raw.addr();
        defer(move || {
            if let Ok(api) = sys::api() {
                // SAFETY: takes a handle, which is a number. Failures of the driver go to the library's log.
                let _ = unsafe { api.gs_module_destroy(std::ptr::without_provenance_mut(address)) };
            }
        });
    }
}

/// Geometry of a launch. Blocks and threads are at least 1 along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks of the grid along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, bytes.
    pub shared_memory_bytes: u32,
}

impl LaunchConfig {
    /// A line of blocks, each a line of threads.
    pub const fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_memory_bytes: 0 }
    }
}

/// An argument of a launch: a pointer to its value.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct KernelArgument<'a> {
    value: *const c_void,
    borrow: PhantomData<&'a c_void>,
}

impl<'a> KernelArgument<'a> {
    /// The value that the kernel gets. A pointer's value is the pointer itself: `&buffer.as_ptr()`.
    pub const fn new<T: Copy>(value: &'a T) -> Self {
        Self { value: std::ptr::from_ref(value).cast(), borrow: PhantomData }
    }
}

/// One kernel, borrowed from its module.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    raw: gs_kernel_t,
    module: PhantomData<&'a Module>,
}

// SAFETY: as for `Module`.
unsafe impl Send for Kernel<'_> {}
// SAFETY: as above.
unsafe impl Sync for Kernel<'_> {}

impl Kernel<'_> {
    /// The C library's handle, for its functions in [`sys`]. Borrowed from the module.
    pub fn as_handle(&self) -> gs_kernel_t {
        self.raw
    }

    /// Submits the kernel to a stream.
    ///
    /// # Safety
    ///
    /// Number, types and meaning of the arguments are what the kernel expects, and what they point to on the device stays
    /// valid until it has run. The module is not unloaded before that. For a host kernel without a list of sizes
    /// (`gs_kernel_launch` in `gpustream.h`) the values, too, must live until it has run.
    pub unsafe fn launch(
        &self,
        config: &LaunchConfig,
        arguments: &[KernelArgument<'_>],
        stream: &StreamRef,
    ) -> Result<()> {
        let config = gs_launch_config_t {
            grid_x: config.grid[0],
            grid_y: config.grid[1],
            grid_z: config.grid[2],
            block_x: config.block[0],
            block_y: config.block[1],
            block_z: config.block[2],
            shared_memory_bytes: config.shared_memory_bytes,
            ..Default::default()
        };
        // An argument is one pointer, and the library only reads the list.
        let list = arguments.as_ptr().cast::<*mut c_void>().cast_mut();
        // SAFETY: configuration and list are local and alive during the call; the rest is the caller's word.
        check(unsafe { api()?.gs_kernel_launch(self.raw, &raw const config, list, stream.as_handle()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_arguments_is_a_list_of_pointers() {
        let (number, address) = (7_u32, 9_u64);
        let list = [KernelArgument::new(&number), KernelArgument::new(&address)];
        let raw = list.as_ptr().cast::<*const u32>();
        // SAFETY: the first entry points to the number.
        assert_eq!(unsafe { **raw }, 7);
        assert_eq!(size_of_val(&list), 2 * size_of::<*const ()>());
    }

    #[test]
    fn names_with_a_nul_are_refused() {
        assert_eq!(text(b"a\0b", "test").unwrap_err().status, Status::INVALID_ARGUMENT);
    }

    #[test]
    fn empty_image_is_no_path() {
        // SAFETY: nothing is loaded.
        let error = unsafe { Module::load(Device::CURRENT, &[]) }.unwrap_err();
        assert_eq!(error.status, Status::INVALID_ARGUMENT);
    }
}
