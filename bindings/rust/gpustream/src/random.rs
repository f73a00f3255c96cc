// SPDX-License-Identifier: Apache-2.0
//! The random state of devices: a seed and an offset each, from which kernels draw numbers of Philox 4x32-10.
//!
//! The library draws no numbers itself. Kernels do, with `gpustream_philox.h`, cuRAND or a generator of their own, from
//! where [`reserve`] says. A device begins with `PyTorch`'s default seed, 67280421310721, at offset 0. All languages of
//! the process share the states. Every function may be called from every thread; none blocks, but for the first use of
//! a device.
//!
//! ```
//! use gpustream::{Device, Stream, random};
//!
//! let stream = Stream::new()?;
//! random::seed(Device::CURRENT, 42)?;
//! let first = random::reserve(&stream, 5)?; // for a kernel each of whose threads draws 5 numbers
//! let second = random::reserve(&stream, 1)?;
//! assert_eq!((first.seed, first.offset, second.offset), (42, 0, 8)); // blocks of 4 numbers
//! # Ok::<(), gpustream::Error>(())
//! ```

use gpustream_sys::gs_philox_t;

use crate::call::{api, call, check, fill};
use crate::device::Device;
use crate::error::Result;
use crate::stream::StreamRef;

/// The random state of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The key; any value.
    pub seed: u64,
    /// Where the next reservation begins, in numbers of 32 bits; a multiple of 4.
    pub offset: u64,
}

impl State {
    /// The 16 bytes that `torch.cuda.get_rng_state()` returns for this state.
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        bytes[8..].copy_from_slice(&self.offset.to_le_bytes());
        bytes
    }

    /// The state that [`to_bytes`](Self::to_bytes) or `torch.cuda.get_rng_state()` wrote.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let number = u128::from_le_bytes(bytes);
        #[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits")]
        Self { seed: number as u64, offset: (number >> 64) as u64 }
    }
}

/// Where a kernel's random numbers begin; from [`reserve`].
///
/// A thread of the kernel draws from a sequence of its own, usually that of its number in the grid: what `curand_init`
/// takes are seed, sequence and offset. Outside captures [`seed`](Self::seed) and [`offset`](Self::offset) are known
/// now; in a capture the kernel reads them from the addresses, where each launch of the graph writes others:
///
/// ```c
/// uint64_t seed = captured ? *seed_address : seed;
/// uint64_t offset = captured ? *offset_address + offset_in_graph : offset;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Philox {
    /// Whether the stream is being captured.
    pub captured: bool,
    /// The key; 0 in a capture.
    pub seed: u64,
    /// The position in each sequence, in numbers of 32 bits, a multiple of 4; 0 in a capture.
    pub offset: u64,
    /// Address for kernels of the seed, 64 bits; 0 outside captures. The memory is the library's, and lives as long as
    /// the graph and its executables.
    pub seed_address: u64,
    /// Address for kernels of the offset at which the launch of the graph begins, 64 bits; 0 outside captures.
    pub offset_address: u64,
    /// What a captured kernel adds to the offset that it reads; 0 outside captures.
    pub offset_in_graph: u64,
}

impl Philox {
    /// The struct of C, as an argument for a kernel that takes a `gs_philox_t`:
    /// [`KernelArgument::new(&philox.raw())`](crate::KernelArgument::new).
    pub fn raw(self) -> gs_philox_t {
        gs_philox_t {
            captured: self.captured.into(),
            seed: self.seed,
            offset: self.offset,
            seed_address: self.seed_address,
            offset_address: self.offset_address,
            offset_in_graph: self.offset_in_graph,
            ..Default::default()
        }
    }
}

/// Seeds a device's random state and sets its offset to 0, for reservations and launches of graphs that come later.
pub fn seed(device: Device, seed: u64) -> Result<()> {
    call!(gs_rng_set_state(device.as_raw(), seed, 0))
}

/// The random state of a device; seed and offset are of one moment.
pub fn state(device: Device) -> Result<State> {
    let mut state = State::default();
    // SAFETY: the outputs are local variables.
    check(unsafe { api()?.gs_rng_get_state(device.as_raw(), &raw mut state.seed, &raw mut state.offset) })?;
    Ok(state)
}

/// Sets the random state of a device: the next reservation begins there, and so does the next launch of a graph that
/// draws random numbers.
pub fn set_state(device: Device, state: State) -> Result<()> {
    call!(gs_rng_set_state(device.as_raw(), state.seed, state.offset))
}

/// Reserves `count` numbers of 32 bits for each thread of a kernel that is about to be submitted to a stream. The offset
/// of the device advances by as many, rounded up to a multiple of 4. Reservations of several threads never overlap.
///
/// While the stream is being captured, the graph reserves instead, and the device's state stays as it is. Each launch of an
/// executable of the graph takes the sum of the capture's reservations, and so draws new numbers. The body of a condition
/// cannot be captured with random numbers.
pub fn reserve(stream: &StreamRef, count: u64) -> Result<Philox> {
    let raw = fill!(gs_rng_reserve(stream.as_handle(), count))?;
    Ok(Philox {
        captured: raw.captured != 0,
        seed: raw.seed,
        offset: raw.offset,
        seed_address: raw.seed_address,
        offset_address: raw.offset_address,
        offset_in_graph: raw.offset_in_graph,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_seed_and_offset_little_endian() {
        let state = State { seed: 0x0102_0304_0506_0708, offset: 0x1112_1314_1516_1718 };
        let bytes = state.to_bytes();
        assert_eq!((bytes[0], bytes[7], bytes[8], bytes[15]), (8, 1, 0x18, 0x11));
        assert_eq!(State::from_bytes(bytes), state);
    }

    #[test]
    fn raw_struct_has_the_same_numbers() {
        let philox =
            Philox { captured: true, seed: 1, offset: 2, seed_address: 3, offset_address: 4, offset_in_graph: 5 };
        let raw = philox.raw();
        assert_eq!(raw.struct_size as usize, size_of::<gs_philox_t>());
        assert_eq!((raw.captured, raw.seed, raw.offset), (1, 1, 2));
        assert_eq!((raw.seed_address, raw.offset_address, raw.offset_in_graph), (3, 4, 5));
    }
}
