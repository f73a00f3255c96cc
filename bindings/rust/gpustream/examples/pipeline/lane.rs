// SPDX-License-Identifier: Apache-2.0
//! One worker thread and its streams: copy-in, kernel and copy-out overlap and are ordered by events alone.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;

use gpustream::{
    Device, DeviceBuffer, Event, HostBuffer, Kernel, KernelArgument, LaunchConfig, Stream, StreamGuard, StreamRef,
};

use super::Outcome;
use super::digest::{BINS, Digest, SLICE, THREADS};

/// Chunks in progress: one is read and copied in while another is computed.
const SLOTS: usize = 2;

/// The buffers of a chunk, and events at the ends of its stages. `chunk` is its range in the file while it is in
/// progress.
struct Slot {
    chunk: Option<(u64, usize)>,
    input: HostBuffer,
    device_input: DeviceBuffer,
    device_result: DeviceBuffer,
    result: HostBuffer,
    copied_in: Event,
    computed: Event,
    copied_out: Event,
}

pub struct Lane<'a> {
    /// The kernels run in the thread's current stream.
    _current: StreamGuard,
    streams: Vec<Stream>,
    kernel: Kernel<'a>,
    slots: Vec<Slot>,
    next: usize,
}

fn result_bytes(chunk: usize) -> usize {
    4 * (BINS + chunk.div_ceil(SLICE))
}

impl<'a> Lane<'a> {
    pub fn new(device: Device, kernel: Kernel<'a>, streams: usize, chunk: usize) -> Outcome<Self> {
        let make = || Stream::builder().device(device).build();
        let streams = (0..streams).map(|_| make()).collect::<gpustream::Result<Vec<_>>>()?;
        let owner = &streams[1 % streams.len()];
        let current = StreamGuard::new(owner)?;
        let slot = || -> gpustream::Result<Slot> {
            Ok(Slot {
                chunk: None,
                input: HostBuffer::new(chunk)?,
                device_input: DeviceBuffer::new(owner, chunk)?,
                device_result: DeviceBuffer::new(owner, result_bytes(chunk))?,
                result: HostBuffer::new(result_bytes(chunk))?,
                copied_in: Event::builder().blocking(true).build()?,
                computed: Event::new()?,
                copied_out: Event::builder().blocking(true).build()?,
            })
        };
        let slots = (0..SLOTS).map(|_| slot()).collect::<gpustream::Result<Vec<_>>>()?;
        // Memory is allocated in the order of its stream; the others may use it from here on.
        streams.iter().try_for_each(|stream| stream.wait_stream(owner))?;
        Ok(Self { _current: current, streams, kernel, slots, next: 0 })
    }

    fn stream(&self, stage: usize) -> &StreamRef {
        &self.streams[stage % self.streams.len()]
    }

    /// Reads a chunk and submits its stages. Blocks only on the chunk whose buffers it reuses.
    pub fn process(&mut self, file: &File, offset: u64, bytes: usize, digest: &Mutex<Digest>) -> Outcome<()> {
        let index = self.next % SLOTS;
        self.next += 1;
        self.deliver(index, digest)?;
        // `deliver` has waited for the slot's last use: its buffers are idle.
        file.read_exact_at(&mut self.slots[index].input[..bytes], offset)?;
        let (read, compute, write) = (self.stream(0), self.stream(1), self.stream(2));
        let (slot, kernel) = (&self.slots[index], self.kernel);
        let (data, size, out) = (slot.device_input.as_ptr(), u32::try_from(bytes)?, slot.device_result.as_ptr());
        let config = LaunchConfig::linear(u32::try_from(bytes.div_ceil(SLICE))?, THREADS);
        let arguments = [KernelArgument::new(&data), KernelArgument::new(&size), KernelArgument::new(&out)];
        // SAFETY: the slot keeps its buffers until `deliver` or `drop` has waited for the last stage; the events order
        // the stages; the kernel takes these arguments.
        unsafe {
            read.memcpy(data, slot.input.as_ptr().cast(), bytes)?;
            slot.copied_in.record(read)?;
            slot.copied_in.wait(compute)?;
            compute.memset(out, 0, 4 * BINS)?;
            kernel.launch(&config, &arguments, gpustream::CURRENT)?;
            slot.computed.record(compute)?;
            slot.computed.wait(write)?;
            write.memcpy(slot.result.as_ptr().cast_mut().cast(), out, result_bytes(bytes))?;
            slot.copied_out.record(write)?;
        }
        self.slots[index].chunk = Some((offset, bytes));
        Ok(())
    }

    fn deliver(&mut self, index: usize, digest: &Mutex<Digest>) -> Outcome<()> {
        let slot = &mut self.slots[index];
        let Some((offset, bytes)) = slot.chunk else { return Ok(()) };
        slot.copied_out.synchronize()?;
        slot.chunk = None;
        let words = slot.result[..result_bytes(bytes)].chunks_exact(4);
        let words: Vec<u32> = words.map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect();
        digest.lock().expect("no lane panicked").place(offset, bytes, &words);
        Ok(())
    }

    pub fn finish(mut self, digest: &Mutex<Digest>) -> Outcome<()> {
        (0..SLOTS).try_for_each(|index| self.deliver(index, digest))
    }
}

impl Drop for Lane<'_> {
    /// After a failure work may be pending on buffers that are about to be freed. The first failure is the one to
    /// report.
    fn drop(&mut self) {
        for stream in &self.streams {
            let _ = stream.synchronize();
        }
    }
}
