// SPDX-License-Identifier: Apache-2.0
// The random state of a device: a key and a position, from which kernels draw Philox 4x32-10.
import { Device, numberOf } from './device';
import { check, filled } from './errors';
import { handleOf } from './library';
import { native, out, outAddress } from './native';
import * as raw from './raw';
import { Stream } from './stream';

/** As PyTorch's generators have it. The offset counts numbers of 32 bits and is a multiple of 4. */
export interface RandomState {
  seed: bigint;
  offset: bigint;
}

/** Sets the seed, and the offset to 0. */
export function seed(value: bigint, device = Device.CURRENT): void {
  check(native.gs_rng_set_state(numberOf(device), value, 0n));
}

export function getState(device = Device.CURRENT): RandomState {
  check(native.gs_rng_get_state(numberOf(device), outAddress, outAddress + 8n));
  return { seed: out[0]!, offset: out[1]! };
}

export function setState(state: RandomState, device = Device.CURRENT): void {
  check(native.gs_rng_set_state(numberOf(device), state.seed, state.offset));
}

/**
 * Reserves numbers for each thread of a kernel that is launched next in the stream: the members of gs_philox_t. In a
 * capture they are addresses, which the kernel reads.
 */
export function reserve(count: bigint, stream: Stream = Stream.CURRENT): Record<string, number | bigint | string | Uint8Array> {
  return filled(raw.gs_philox_t, (bytes) => native.gs_rng_reserve(handleOf(stream, Stream), count, bytes));
}
