// SPDX-License-Identifier: Apache-2.0
import { check, filled, output, output32 } from './errors';
import { native, out32, outAddress } from './native';
import * as raw from './raw';
import { Scope } from './scope';

/** The number of an argument that must be a device. */
export function numberOf(device: Device): number {
  if (device instanceof Device) return device.number;
  const hint = typeof device === 'number' ? `: new Device(${String(device)})` : '';
  throw new TypeError(`the device must be a Device, not ${String(device)}${hint}`);
}

/** A device: an ordinal of the default backend, or one of a named backend. */
export class Device {
  /** The current device of the thread. */
  static readonly CURRENT = new Device(raw.GS_DEVICE_CURRENT);

  /** number is an ordinal, or what the C interface calls a device. */
  constructor(readonly number: number) {
    if (!Number.isInteger(number)) throw new TypeError(`a device is an integer, not ${String(number)}`);
  }

  static of(backend: number, ordinal: number): Device {
    return new Device(native.gs_device_make(backend, ordinal));
  }

  /** How many devices a backend has. */
  static count(backend = raw.GS_BACKEND_DEFAULT): number {
    return output32(native.gs_device_count(backend, outAddress));
  }

  /** The device that is current on this thread. */
  static current(): Device {
    return new Device(output32(native.gs_current_device(outAddress)));
  }

  get ordinal(): number {
    return native.gs_device_ordinal(this.number);
  }

  get backend(): number {
    return native.gs_device_backend(this.number);
  }

  /** The members of gs_device_info_t in camelCase. */
  info(): Record<string, number | bigint | string | Uint8Array> {
    return filled(raw.gs_device_info_t, (bytes) => native.gs_device_get_info(this.number, bytes));
  }

  /** The range of priorities of streams; lower numbers are more urgent. */
  priorityRange(): { least: number; greatest: number } {
    check(native.gs_device_priority_range(this.number, outAddress, outAddress + 8n));
    return { least: out32[0]!, greatest: out32[2]! };
  }

  /** Waits for everything submitted to the device, and blocks the thread until then. */
  synchronize(timeoutMs?: number): void {
    check(timeoutMs === undefined ? native.gs_device_synchronize(this.number) : native.gs_device_synchronize_for(this.number, nanoseconds(timeoutMs)));
  }

  /**
   * Waits for the device and ends it for this process, with all that was made on it: later calls throw
   * GS_ERROR_CONTEXT_LOST. Raw handles and memory that other libraries have of it are dead. Blocks as synchronize().
   */
  reset(): void {
    check(native.gs_device_reset(this.number));
  }

  /**
   * Compares the clocks of host and device, for Event.hostTime(), and returns how exact that is, in nanoseconds. Blocks for
   * some ten microseconds, longer while the device is busy.
   */
  calibrate(): bigint {
    return BigInt.asIntN(64, output(native.gs_device_calibrate(this.number, outAddress)));
  }

  /** Makes the device current on this thread until the scope is disposed. */
  enter(): Scope {
    return Scope.push(output(native.gs_current_stream(this.number, outAddress)));
  }
}

export function nanoseconds(ms: number): bigint {
  if (typeof ms !== 'number' || Number.isNaN(ms)) throw new TypeError('a time limit is a number of milliseconds');
  const ns = Math.max(0, Math.round(ms * 1e6));
  return ns < 2 ** 63 ? BigInt(ns) : -1n; // that long is no limit
}
