// SPDX-License-Identifier: Apache-2.0
//! Memory by owner and by address, and kernels.

mod support;

use gpustream::{
    AccessOrder, CURRENT, Device, DeviceBuffer, Event, HostBuffer, KernelArgument, LaunchAttributes, LaunchConfig,
    MemoryCopy, Module, Status, Stream,
};
use support::{Gate, Held, current_stream, kernels, module, status, until};

#[test]
fn new_memory_is_zero() {
    let stream = current_stream();
    // The contents left by an earlier owner are not visible.
    let buffer = DeviceBuffer::new(&stream, 4096).unwrap();
    drop(buffer.write(HostBuffer::from_slice(&[0xee; 4096]).unwrap()).unwrap().wait().unwrap());
    let buffer = DeviceBuffer::new(&stream, 4096).unwrap();
    let (_, host) = buffer.read(HostBuffer::from_slice(&[0xee; 4096]).unwrap()).unwrap().wait().unwrap();
    assert_eq!(*host, [0; 4096]);
    assert!(HostBuffer::new(4096).unwrap().iter().all(|&byte| byte == 0));
}

#[test]
fn sizes_that_cannot_be() {
    assert_eq!(status(HostBuffer::new(usize::MAX)), Status::INVALID_ARGUMENT);
    let stream = current_stream();
    let nothing = DeviceBuffer::new(&stream, 0).unwrap();
    let (nothing, host) = nothing.read(HostBuffer::<u8>::from_slice(&[]).unwrap()).unwrap().wait().unwrap();
    assert!(host.is_empty() && nothing.to_vec().unwrap().is_empty());
    drop(HostBuffer::<u64>::zeroed(0).unwrap());
    assert_eq!(status(stream.malloc(usize::MAX)), Status::INVALID_ARGUMENT);
    let small = DeviceBuffer::new(&stream, 4).unwrap();
    assert_eq!(status(small.write(HostBuffer::new(5).unwrap())), Status::INVALID_ARGUMENT);
}

/// However the copy ends, its buffers are freed, and with them the reference to its stream.
#[test]
fn buffers_of_a_dropped_copy_are_freed() {
    for is_done in [false, true] {
        let (stream, gate) = (Stream::new().unwrap(), Gate::new());
        gate.hold(&stream);
        let pending = stream.with(|| DeviceBuffer::new(&stream, 8)?.read(HostBuffer::new(8)?)).unwrap().unwrap();
        let triple = stream.pack().unwrap();
        drop(stream);
        if is_done {
            gate.open();
            until(|| pending.query() == Ok(true));
        }
        drop(pending);
        // SAFETY: the stream is one of gpustream's own.
        let alive = || unsafe { Stream::unpack(triple) };
        if !is_done {
            assert!(alive().is_ok(), "the copy still owns its buffers");
            gate.open();
        }
        until(|| status(alive()) == Status::INVALID_HANDLE);
    }
}

/// Other objects dropped while the copy is held are freed without waiting for it.
#[test]
fn dropped_copy_of_a_held_stream_holds_up_no_other_drop() {
    let held = Held::current();
    drop(DeviceBuffer::new(&held.stream, 8).unwrap().read(HostBuffer::new(8).unwrap()).unwrap());
    let module = module();
    let handle = kernel_handle(&module);
    drop(module);
    until(|| is_stale(handle));
    assert_eq!(held.stream.query(), Ok(false));
}

/// Another stream can wait for a copy without access to the event that guards the buffers.
#[test]
fn stream_waits_for_a_copy() {
    let held = Held::current();
    let pending = DeviceBuffer::new(&held.stream, 8).unwrap().read(HostBuffer::new(8).unwrap()).unwrap();
    let follower = Stream::new().unwrap();
    pending.wait_on(&follower).unwrap();
    assert_eq!(follower.query(), Ok(false));
    assert_eq!(pending.query(), Ok(false), "a waiting stream does not complete it");
    held.gate.open();
    follower.synchronize().unwrap();
    assert_eq!(pending.query(), Ok(true));
    let (_, host) = pending.wait().unwrap();
    assert_eq!(*host, [0; 8]);
}

#[test]
fn memory_by_address() {
    let stream = current_stream();
    let mut bytes = [0_u8; 16];
    // SAFETY: the ranges have that length and live until the stream is synchronized.
    unsafe {
        let device = stream.with(|| CURRENT.malloc(16)).unwrap().unwrap();
        stream.memset(device, 0xab, 16).unwrap();
        stream.memcpy(bytes.as_mut_ptr().cast(), device, 16).unwrap();
        let halves: [MemoryCopy; 2] =
            [0, 8].map(|at| MemoryCopy::new(bytes.as_mut_ptr().add(at).cast(), device.cast::<u8>().add(at).cast(), 8));
        stream.memset(device, 0xab, 16).unwrap();
        for order in [AccessOrder::Stream, AccessOrder::Any, AccessOrder::DuringCall] {
            stream.synchronize().unwrap(); // for the orders that do not wait
            stream.memcpy_batch(&halves, order).unwrap();
        }
        stream.memcpy_batch(&[], AccessOrder::Any).unwrap();
        let wrong = [MemoryCopy::new(std::ptr::null_mut(), device, 4)];
        assert_eq!(status(stream.memcpy_batch(&wrong, AccessOrder::Any)), Status::INVALID_ARGUMENT);
        stream.free(device).unwrap();
        stream.free(std::ptr::null_mut()).unwrap();
        assert_eq!(status(stream.memcpy(std::ptr::null_mut(), device, 4)), Status::INVALID_ARGUMENT);
    }
    stream.synchronize().unwrap();
    assert_eq!(bytes, [0xab; 16]);
}

/// The shared object of the parity cases, which has a kernel.
#[test]
fn kernel_of_a_file_and_of_its_bytes() {
    let image = std::fs::read(kernels()).unwrap();
    // SAFETY: the shared object's initialisers are harmless.
    let modules = unsafe {
        [Module::load_file(Device::CURRENT, kernels()).unwrap(), Module::load(Device::CURRENT, &image).unwrap()]
    };
    for module in modules {
        let kernel = module.kernel("parity_scale").unwrap();
        let stream = current_stream();
        let output = DeviceBuffer::new(&stream, 8 * 4).unwrap();
        let (address, factor) = (output.as_ptr(), 5_u32);
        let arguments = [KernelArgument::new(&address), KernelArgument::new(&factor)];
        // SAFETY: the kernel writes 2 * 4 words; module and buffer outlive it.
        unsafe { kernel.launch(&LaunchConfig::linear(2, 4), &arguments, &stream) }.unwrap();
        let (_output, host) = output.read(HostBuffer::new(32).unwrap()).unwrap().wait().unwrap();
        let words: Vec<u32> = host.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
        assert_eq!(words, [0, 5, 10, 15, 20, 25, 30, 35]);
        let empty = LaunchConfig { grid: [0, 1, 1], ..LaunchConfig::linear(1, 1) };
        // SAFETY: the launch is refused.
        assert_eq!(status(unsafe { kernel.launch(&empty, &arguments, &stream) }), Status::INVALID_ARGUMENT);
        let other = Stream::builder().device(Device::new(1)).build().unwrap();
        let config = LaunchConfig::linear(1, 1);
        // SAFETY: the launch is refused.
        assert_eq!(status(unsafe { kernel.launch(&config, &arguments, &other) }), Status::DEVICE_MISMATCH);
        module.unload().unwrap();
    }
}

#[test]
fn attributes_of_launches() {
    let module = module();
    let (kernel, stream, graph) = (module.kernel("parity_scale").unwrap(), current_stream(), support::empty());
    let mut words = HostBuffer::new(48).unwrap();
    let (address, event) = (words.as_mut_ptr(), Event::new().unwrap());
    let arguments = [KernelArgument::new(&address), KernelArgument::new(&5_u32)];
    let with = |blocks, attributes| LaunchConfig { attributes, ..LaunchConfig::linear(blocks, 2) };
    let no = LaunchAttributes::default();
    for (blocks, attributes, text) in [
        (6, LaunchAttributes { cluster: [2, 3, 5], ..no }, "cluster of 2 x 3 x 5 blocks"),
        (100_000_000, LaunchAttributes { cooperative: true, ..no }, "launch fewer"),
    ] {
        // SAFETY: the launch is refused.
        let error = unsafe { kernel.launch(&with(blocks, attributes), &arguments, &stream) }.unwrap_err();
        assert!(error.message().contains(text), "{error}");
    }
    let early = LaunchAttributes { programmatic: true, ..no };
    let error = graph.add_kernel(&[], &kernel, &with(6, early), &arguments).unwrap_err();
    assert!(error.message().contains("GS_LAUNCH_PROGRAMMATIC"), "{error}");
    let all = LaunchAttributes { cluster: [2, 1, 1], remote_domain: true, priority: Some(-1), ..no };
    graph.add_kernel(&[], &kernel, &with(6, all), &arguments).unwrap();
    let config = with(6, LaunchAttributes { programmatic: true, ..all });
    let timed = Event::timed().unwrap();
    // SAFETY: the kernel writes 12 words, and the buffer outlives it; or the launch is refused.
    unsafe {
        let error = kernel.launch_recording(&config, &arguments, &stream, &timed).unwrap_err();
        assert!(error.message().contains("without GS_EVENT_TIMING"), "{error}");
        kernel.launch_recording(&config, &arguments, &stream, &event).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(words[44..], 55_u32.to_ne_bytes());
}

#[test]
fn modules_that_cannot_be() {
    // SAFETY: only the last is loaded, and its initialisers are harmless.
    unsafe {
        assert_eq!(status(Module::load(Device::CURRENT, &[])), Status::INVALID_ARGUMENT);
        assert_eq!(status(Module::load(Device::CURRENT, b"no image")), Status::INVALID_ARGUMENT);
        assert_eq!(status(Module::load_file(Device::CURRENT, "/nonexistent.so")), Status::INVALID_ARGUMENT);
        assert_eq!(status(Module::load_file(Device::CURRENT, "with\0nul")), Status::INVALID_ARGUMENT);
        assert_eq!(status(Module::load_file(Device::new(9), kernels())), Status::INVALID_DEVICE);
        let module = Module::load_file(Device::CURRENT, kernels()).unwrap();
        assert_eq!(status(module.kernel("parity_nothing")), Status::INVALID_ARGUMENT);
        assert_eq!(status(module.kernel("parity\0scale")), Status::INVALID_ARGUMENT);
    }
}

fn is_stale(handle: gpustream::sys::gs_kernel_t) -> bool {
    let api = gpustream::sys::api().unwrap();
    let config = gpustream::sys::gs_launch_config_t { grid_x: 1, ..Default::default() };
    let none = std::ptr::null_mut();
    // SAFETY: an invalid configuration is never launched; the call only checks the handle.
    let told = unsafe { api.gs_kernel_launch(handle, &raw const config, none, CURRENT.as_handle()) };
    told == Ok(Status::INVALID_HANDLE.0)
}

fn kernel_handle(module: &Module) -> gpustream::sys::gs_kernel_t {
    module.kernel("parity_scale").unwrap().as_handle()
}
