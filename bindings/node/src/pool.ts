// SPDX-License-Identifier: Apache-2.0
import { Device, numberOf } from './device';
import { check, filled, output } from './errors';
import { Handle, handleOf, known, Owner } from './library';
import { DeviceBuffer } from './memory';
import { native, outAddress } from './native';
import * as raw from './raw';
import { Stream } from './stream';
import { make } from './structs';

export interface PoolOptions {
  device?: Device;
  /** raw.GS_POOL_HOST, raw.GS_POOL_PEERS, raw.GS_POOL_POISON. */
  flags?: number;
  /** What the pool takes from the driver at most, in bytes. */
  limit?: number | bigint;
  /** What the driver keeps of freed memory when something is synchronized, in bytes; by default all of it. */
  keep?: number | bigint;
}

function create(given: PoolOptions): bigint {
  const { device = Device.CURRENT, flags = 0, limit = 0, keep = 0 } = known(given, 'device', 'flags', 'limit', 'keep');
  const options = make(raw.gs_pool_options_t, { flags, limit_bytes: limit, keep_bytes: keep });
  return output(native.gs_pool_create(numberOf(device), options, outAddress));
}

/** Memory of a device with a limit and statistics. What was allocated from it outlives it. */
export class Pool extends Owner {
  constructor(options: PoolOptions | Handle = {}) {
    super(options instanceof Handle ? options.value : create(options), 'pool');
  }

  /** Takes over a reference to a handle of the C interface. */
  static fromHandle(handle: bigint): Pool {
    return new Pool(new Handle(handle));
  }

  /** The pool of a device that Stream.malloc() uses, unless another one is current on the thread. It never ends. */
  static default(device = Device.CURRENT): Pool {
    return Pool.fromHandle(output(native.gs_pool_default(numberOf(device), outAddress))).borrowed();
  }

  /** The pool that Stream.malloc() uses on this thread, as an owner of its own. */
  static current(device = Device.CURRENT): Pool {
    const handle = output(native.gs_current_pool(numberOf(device), outAddress));
    check(native.gs_pool_retain(handle));
    return Pool.fromHandle(handle);
  }

  protected release(handle: bigint): number {
    return native.gs_pool_destroy(handle);
  }

  /** Makes it the one that Stream.malloc() uses on its device and this thread, until another one is. */
  makeCurrent(): void {
    check(native.gs_set_current_pool(this.handle));
  }

  /** Allocates memory of the pool in a stream's order. GS_ERROR_OUT_OF_MEMORY: also if the limit would be exceeded. */
  malloc(bytes: number, stream: Stream): DeviceBuffer {
    handleOf(stream, Stream);
    const pool = this.handle;
    return stream.allocate(bytes, (on) => native.gs_pool_malloc(pool, BigInt(bytes), on, outAddress));
  }

  /** The members of gs_pool_stats_t in camelCase. */
  stats(): Record<string, number | bigint | string | Uint8Array> {
    return filled(raw.gs_pool_stats_t, (bytes) => native.gs_pool_get_stats(this.handle, bytes));
  }

  /** Lowers the peaks of the statistics to what the pool has now. */
  resetPeak(): void {
    check(native.gs_pool_reset_peak(this.handle));
  }

  /** Returns what is freed to the driver, but for so many bytes. */
  trim(keep: number | bigint = 0): void {
    check(native.gs_pool_trim(this.handle, BigInt(keep)));
  }

  /** Limits what the pool takes from the driver, in bytes; 0 is no limit. What is allocated is not affected. */
  setLimit(bytes: number | bigint): void {
    check(native.gs_pool_set_limit(this.handle, BigInt(bytes)));
  }
}
