// SPDX-License-Identifier: Apache-2.0
// What a stream is made with.
import type { Device } from './device';
import * as raw from './raw';

/** A priority without a device's numbers: the highest that it has, the usual one, or the lowest. */
export type PriorityLevel = 'high' | 'normal' | 'low';

const levels: Readonly<Record<PriorityLevel, number>> = { high: -(2 ** 31), normal: 0, low: 2 ** 31 - 1 };

export function priorityOf(given: number | PriorityLevel): number {
  if (typeof given !== 'string') return given;
  if (!Object.hasOwn(levels, given)) throw new TypeError(`a priority is a number, 'high', 'normal' or 'low', not '${given}'`);
  return levels[given];
}

export interface StreamOptions {
  device?: Device;
  /** Lower is more urgent; what is out of range is clamped. */
  priority?: number | PriorityLevel;
  /** Ordered with the null stream. */
  blocking?: boolean;
  /** From a pool of 32 for each device and priority. */
  shared?: boolean;
  /** A driver stream that is never reused. */
  dedicated?: boolean;
}

export function flagsOf(options: StreamOptions): number {
  return (
    (options.blocking ? raw.GS_STREAM_BLOCKING : 0) |
    (options.shared ? raw.GS_STREAM_SHARED : 0) |
    (options.dedicated ? raw.GS_STREAM_DEDICATED : 0)
  );
}
