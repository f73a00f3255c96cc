// SPDX-License-Identifier: Apache-2.0
// Parts of a device's multiprocessors that have none in common, and streams that run in one.
import { Device, numberOf } from './device';
import { check, filled, output } from './errors';
import { Handle, known, Owner } from './library';
import { native, outAddress } from './native';
import * as raw from './raw';
import { Stream } from './stream';
import { flagsOf, priorityOf, type StreamOptions } from './stream_options';

export interface PartitionOptions {
  device?: Device;
  /** A number that is no multiple of the device's unit is refused instead of being rounded up. */
  exact?: boolean;
  /** The driver's smallest units, which gives up what neighbouring multiprocessors do together. */
  fine?: boolean;
  /** A dry run: info() reports what each would have. None has streams or takes resources. */
  plan?: boolean;
  /** Work queues that no other such partition uses, where the driver has enough of them (CUDA 13.1). */
  queues?: boolean;
  /** So many multiprocessors run together, 1 to 255, and are the unit (CUDA 13.1). */
  coscheduled?: number;
  /** So many streams of the partition are expected to work at a time, 1 to 32767 (CUDA 13.1). */
  concurrency?: number;
}

/** What a stream of a partition may have: it is on the partition's device, and neither blocking nor shared. */
export type PartitionStreamOptions = Pick<StreamOptions, 'priority' | 'dedicated'>;

// A Uint32Array would take any number, modulo 2 ** 32.
function multiprocessors(count: unknown): number {
  if (typeof count !== 'number') throw new TypeError('a count of multiprocessors is a number');
  if (count >>> 0 !== count) throw new RangeError(`a count of multiprocessors is a whole number from 1 on, not ${count}`);
  return count;
}

function factor(value: number | undefined, most: number, what: string): number {
  if (value === undefined) return 0;
  if (!Number.isInteger(value) || value < 1 || value > most) throw new RangeError(`${what} is a whole number from 1 to ${most}, not ${value}`);
  return value;
}

function create(counts: Iterable<number>, options: PartitionOptions): BigUint64Array {
  const wanted = Uint32Array.from([...counts], multiprocessors);
  const made = new BigUint64Array(wanted.length);
  const { device = Device.CURRENT } = known(options, 'device', 'exact', 'fine', 'plan', 'queues', 'coscheduled', 'concurrency');
  const flags =
    (options.exact ? raw.GS_PARTITION_EXACT : 0) |
    (options.fine ? raw.GS_PARTITION_FINE : 0) |
    (options.plan ? raw.GS_PARTITION_PLAN : 0) |
    (options.queues ? raw.GS_PARTITION_QUEUES : 0) |
    (factor(options.coscheduled, 255, 'coscheduled') * raw.GS_PARTITION_COSCHEDULED) |
    (factor(options.concurrency, 32767, 'concurrency') * raw.GS_PARTITION_CONCURRENCY);
  check(native.gs_partition_create(numberOf(device), wanted, BigInt(wanted.length), flags, made));
  return made;
}

/**
 * A part of a device's multiprocessors. Work in its streams runs there and nowhere else; on the host backend they have so many
 * worker threads. Closed, it leaves its streams as they are.
 */
export class Partition extends Owner {
  /** At least so many multiprocessors. */
  constructor(count: number | Handle, options: PartitionOptions = {}) {
    super(count instanceof Handle ? count.value : create([count], options)[0]!, 'partition');
  }

  /** Creates partitions that share no multiprocessor, one for each number in this order. After an error there are none. */
  static split(counts: Iterable<number>, options: PartitionOptions = {}): Partition[] {
    return Array.from(create(counts, options), Partition.fromHandle);
  }

  /** Takes over a handle of the C interface. */
  static fromHandle(handle: bigint): Partition {
    return new Partition(new Handle(handle));
  }

  protected release(handle: bigint): number {
    return native.gs_partition_destroy(handle);
  }

  /** The members of gs_partition_summary_t in camelCase: what it really has, and how many streams it has now. */
  info(): Record<string, number | bigint | string | Uint8Array> {
    return filled(raw.gs_partition_summary_t, (bytes) => native.gs_partition_info(this.handle, bytes));
  }

  /** A stream whose work runs on the partition's multiprocessors only. It may outlive the partition. */
  createStream(options: PartitionStreamOptions = {}): Stream {
    if ('device' in options) throw new TypeError("a stream of a partition is on the partition's device");
    known(options, 'priority', 'dedicated');
    return Stream.fromHandle(output(native.gs_stream_create_in(this.handle, priorityOf(options.priority ?? 0), flagsOf(options), outAddress)));
  }
}
