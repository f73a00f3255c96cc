// SPDX-License-Identifier: Apache-2.0
// The ordering checker, and threads that may not wait: docs/guide/debugging.md.
import { check, output32 } from './errors';
import { handleOf } from './library';
import { type Memory } from './memory';
import { native, outAddress } from './native';
import * as raw from './raw';
import { inside } from './scope';
import { Stream } from './stream';

/** Turns the checker on, for the whole process. */
export function start(options: {
  /** The first report ends the process. It should go to stderr then: a function of onReport() does not run any more. */
  abort?: boolean;
  /** Accesses keep the call stack that they have in C. */
  stacks?: boolean;
} = {}): void {
  check(native.gs_check_start((options.abort ? raw.GS_CHECK_ABORT : 0) | (options.stacks ? raw.GS_CHECK_STACKS : 0)));
}

/** Turns it off; it forgets what it knows. What was reported to this event loop is delivered first. */
export function stop(): void {
  check(native.gs_check_stop());
  deliver();
}

/** One access of a report; the members are those of the checker's JSON. */
export type Report = { earlier: Record<string, unknown>; later: Record<string, unknown> } & Record<string, unknown>;

let receiver: ((text: string, report: Report) => void) | null = null;

function deliver(): void {
  const texts = native.takeReports();
  for (let i = 0; i < texts.length; i += 2) receiver?.(texts[i]!, JSON.parse(texts[i + 1]!) as Report);
}

/**
 * Calls a function in this thread for each report of any thread. The call comes later than the race: in the event loop, in
 * stop(), or when the thread's program exits. There is one function for the process; null writes reports to stderr, as at
 * first.
 */
export function onReport(fn: ((text: string, report: Report) => void) | null): void {
  if (fn !== null && typeof fn !== 'function') throw new TypeError('a function or null is wanted');
  deliver();
  check(native.onReport(fn && deliver));
  receiver = fn;
  process.off('exit', deliver);
  if (fn) process.once('exit', deliver);
}

export interface Access {
  /** Where the work is submitted: the current stream by default. */
  stream?: Stream;
  /** How much of the memory it accesses: all by default. */
  bytes?: number;
  /** What reports call the work. */
  label?: string;
}

/** Declares that the work submitted here reads the memory. Call it beside the launch. */
export function read(memory: Memory, access: Access = {}): void {
  const { stream = Stream.CURRENT, bytes = memory.length, label = null } = access;
  check(native.gs_check_read(handleOf(stream, Stream), memory.range(bytes), BigInt(bytes), label));
}

/** Declares that the work submitted here writes the memory, and possibly reads it. */
export function write(memory: Memory, access: Access = {}): void {
  const { stream = Stream.CURRENT, bytes = memory.length, label = null } = access;
  check(native.gs_check_write(handleOf(stream, Stream), memory.range(bytes), BigInt(bytes), label));
}

/**
 * An order that the checker cannot see: threads that pass on completed work by messages or Atomics. Each thread calls
 * handover() before it sends and after it has received, with clocks over the same memory.
 */
export class Clock {
  /** The clock of another thread has the same buffer: 8 bytes, 0 at first. */
  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.#number = new BigUint64Array(buffer, 0, 1);
  }

  readonly #number: BigUint64Array;

  handover(): void {
    check(native.gs_check_handover(this.#number));
  }
}

/**
 * Calls a function in which this thread may not wait for device work: calls that would wait fail at once with
 * GS_ERROR_SYNC_FORBIDDEN. Promises go on. The function must not be asynchronous.
 */
export function forbidSync<T>(fn: () => T): T {
  const before = output32(native.gs_forbid_sync(1, outAddress));
  return inside({ close: () => check(native.gs_forbid_sync(before, outAddress)) }, fn);
}
