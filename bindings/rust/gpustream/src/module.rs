// SPDX-License-Identifier: Apache-2.0
//! Modules and kernels: loading and launching device code.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gpustream_sys::{self as sys, gs_kernel_t, gs_launch_config_t, gs_module_t};

use crate::call::{api, call, check, get, terminated};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::launch::LaunchConfig;
use crate::reaper::defer;
use crate::status::Status;
use crate::stream::StreamRef;

/// A loaded module: kernels of one device.
///
/// Dropping a module passes it to a thread of the crate that unloads it, since unloading may block on a device;
/// [`Module::unload`] does it at once.
#[derive(Debug)]
pub struct Module {
    raw: gs_module_t,
}

// SAFETY: the handle is a number; every function of the library may be called from every thread at the same time.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads kernels from an image: PTX text with a final NUL, cubin or fatbin on CUDA, a shared object on host. Blocks
    /// while the image is compiled and loaded.
    ///
    /// # Safety
    ///
    /// The image is trusted code: loading a shared object runs its initialisers in this process, and a damaged one may
    /// end the process.
    pub unsafe fn load(device: Device, image: &[u8]) -> Result<Self> {
        if image.is_empty() {
            // In C, a size of 0 means that the image is a path.
            return Err(Error::new(Status::INVALID_ARGUMENT, "Module::load", "the image is empty"));
        }
        // SAFETY: the image has that length, the output is a local variable; the caller vouches for the code.
        let raw =
            get(|api, out| unsafe { api.gs_module_load(device.as_raw(), image.as_ptr().cast(), image.len(), out) })?;
        Ok(Self { raw })
    }

    /// Loads kernels from a file that holds an image.
    ///
    /// # Safety
    ///
    /// As [`load`](Self::load).
    pub unsafe fn load_file(device: Device, path: impl AsRef<Path>) -> Result<Self> {
        let path = terminated(path.as_ref().as_os_str().as_bytes(), "Module::load_file")?;
        // SAFETY: with size 0 the image is a NUL-terminated path; the output is a local variable.
        let raw = get(|api, out| unsafe { api.gs_module_load(device.as_raw(), path.as_ptr().cast(), 0, out) })?;
        Ok(Self { raw })
    }

    /// Finds a kernel by its symbol's name as compiled (mangled for C++). Does not block.
    pub fn kernel(&self, name: &str) -> Result<Kernel<'_>> {
        let name = terminated(name, "Module::kernel")?;
        // SAFETY: the name is NUL-terminated, the output is a local variable.
        let raw = get(|api, out| unsafe { api.gs_module_get_kernel(self.raw, name.as_ptr(), out) })?;
        Ok(Kernel { raw, module: PhantomData })
    }

    /// Unloads the module now. Blocks while the driver unloads it, which may wait for device work.
    ///
    /// [`NOT_PERMITTED`](crate::Status::NOT_PERMITTED): inside a host function; it is unloaded later, as by a drop.
    pub fn unload(self) -> Result<()> {
        let module = ManuallyDrop::new(self);
        let unloaded = call!(gs_module_destroy(module.raw));
        if unloaded.as_ref().is_err_and(|error| error.status() == Status::NOT_PERMITTED) {
            drop(ManuallyDrop::into_inner(module));
        }
        unloaded
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let address = self.raw.addr();
        defer(move || {
            if let Ok(api) = sys::api() {
                // SAFETY: takes a handle, which is a number. The library logs failures of the driver.
                let _ = unsafe { api.gs_module_destroy(std::ptr::without_provenance_mut(address)) };
            }
        });
    }
}

/// An argument of a launch: a pointer to the value.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct KernelArgument<'a> {
    value: *const c_void,
    borrow: PhantomData<&'a c_void>,
}

impl<'a> KernelArgument<'a> {
    /// An argument with this value. For a pointer the value is the pointer itself: `&buffer.as_ptr()`.
    pub const fn new<T: Copy>(value: &'a T) -> Self {
        Self { value: std::ptr::from_ref(value).cast(), borrow: PhantomData }
    }
}

/// A list of arguments as the library takes it: an argument is one pointer, and the list is only read.
pub(crate) fn raw_arguments(arguments: &[KernelArgument<'_>]) -> *mut *mut c_void {
    arguments.as_ptr().cast::<*mut c_void>().cast_mut()
}

/// A kernel, borrowed from its module. Copies are further borrows.
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
    /// The C library's handle, for the functions in [`sys`]. Borrowed from the module.
    pub fn as_handle(&self) -> gs_kernel_t {
        self.raw
    }

    /// Submits the kernel to a stream. Does not block.
    ///
    /// # Safety
    ///
    /// The arguments have the number, types and meaning that the kernel expects, and the device memory they point to
    /// stays valid until it has run. The module is not unloaded before that. For a host kernel that exports no argument
    /// sizes (`gs_kernel_launch` in `gpustream.h`) the values themselves live until it has run, too.
    pub unsafe fn launch(
        &self,
        config: &LaunchConfig,
        arguments: &[KernelArgument<'_>],
        stream: &StreamRef,
    ) -> Result<()> {
        // SAFETY: the caller vouches for it.
        unsafe { self.submit(&config.raw(), arguments, stream) }
    }

    /// The same. The launch also records a programmatic event, which may be complete before the kernel is.
    ///
    /// # Safety
    ///
    /// As for [`launch`](Kernel::launch).
    pub unsafe fn launch_recording(
        &self,
        config: &LaunchConfig,
        arguments: &[KernelArgument<'_>],
        stream: &StreamRef,
        event: &Event,
    ) -> Result<()> {
        let config = gs_launch_config_t { programmatic_event: event.as_handle(), ..config.raw() };
        // SAFETY: the caller vouches for it.
        unsafe { self.submit(&config, arguments, stream) }
    }

    unsafe fn submit(
        &self,
        config: &gs_launch_config_t,
        arguments: &[KernelArgument<'_>],
        stream: &StreamRef,
    ) -> Result<()> {
        let list = raw_arguments(arguments);
        // SAFETY: configuration and list outlive the call; the caller vouches for the rest.
        check(unsafe { api()?.gs_kernel_launch(self.raw, config, list, stream.as_handle()) })
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
}
