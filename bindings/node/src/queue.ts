// SPDX-License-Identifier: Apache-2.0
import { check, GpuStreamError, output, output32 } from './errors';
import { Owner } from './library';
import { native, out, outAddress, type Watch } from './native';
import * as raw from './raw';
import { read } from './structs';

/** The end of work that was added to a queue. */
export interface Completion {
  token: bigint;
  status: number;
  device: number;
  nativeCode: number;
  timeNs: bigint;
}

const ROOM = 64;

/** A queue of completions. Its descriptor is watched by the event loop, which no thread of the pool waits for. */
export class CompletionQueue extends Owner {
  #entries = new Uint8Array(ROOM * raw.gs_completion_t.size);

  constructor(capacity = 1024) {
    super(output(native.gs_queue_create(capacity, 0, outAddress)), 'queue');
  }

  protected release(handle: bigint): number {
    return native.gs_queue_destroy(handle);
  }

  /** Readable while entries wait; only to be polled. */
  get fd(): number {
    return output32(native.gs_queue_fd(this.handle, outAddress));
  }

  addStream(stream: { handle: bigint }, token: bigint): void {
    check(native.gs_queue_add_stream(this.handle, stream.handle, token));
  }

  addEvent(event: { handle: bigint }, token: bigint): void {
    check(native.gs_queue_add_event(this.handle, event.handle, token));
  }

  /** Delivers the entries with a token now, with GS_ERROR_CANCELLED, and returns how many they are. */
  cancel(token: bigint): number {
    check(native.gs_queue_cancel(this.handle, token, outAddress));
    return Number(out[0]);
  }

  /** Takes entries that are there, at most 64. */
  poll(): Completion[] {
    check(native.gs_queue_poll(this.handle, this.#entries, BigInt(ROOM), outAddress));
    return Array.from({ length: Number(out[0]) }, (_, i) => {
      const bytes = this.#entries.subarray(i * raw.gs_completion_t.size, (i + 1) * raw.gs_completion_t.size);
      const field = (name: string) => read(raw.gs_completion_t, bytes, name) as never;
      return { token: field('token'), status: field('status'), device: field('device'), nativeCode: field('native_code'), timeNs: field('time_ns') };
    });
  }
}

/** Calls a function that the promises of this thread wait for: calls that would wait are refused in it. */
export function asNotification(fn: () => void): void {
  const before = output32(native.gs_forbid_sync(raw.GS_FORBID_AS_NOTIFICATION, outAddress));
  try {
    fn();
  } finally {
    check(native.gs_forbid_sync(before, outAddress));
  }
}

type Waiter = { resolve: () => void; reject: (error: unknown) => void };

// One queue serves all promises of a thread.
let reactor: { queue: CompletionQueue; watch: Watch; waiting: Map<bigint, Waiter> } | null = null;
let lastToken = 0n;

function startReactor() {
  const queue = new CompletionQueue(2 ** 30);
  const waiting = new Map<bigint, Waiter>();
  const watch = native.watch(queue.fd, () => deliver(queue, waiting, watch), queue.handle);
  return { queue, watch, waiting };
}

function deliver(queue: CompletionQueue, waiting: Map<bigint, Waiter>, watch: Watch): void {
  for (const end of queue.poll()) {
    const waiter = waiting.get(end.token);
    waiting.delete(end.token);
    if (end.status === 0) waiter?.resolve();
    else waiter?.reject(new GpuStreamError(end.status, '', { nativeCode: end.nativeCode }));
  }
  if (waiting.size === 0) native.hold(watch, false);
}

/** A promise of the end of the work that `add` puts into a queue; throws if that fails. A pending one keeps the process alive. */
export function submitted(add: (queue: bigint, token: bigint) => number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  reactor ??= startReactor();
  const { queue, watch, waiting } = reactor;
  const token = ++lastToken;
  check(add(queue.handle, token));
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiting.delete(token);
      queue.cancel(token);
      if (waiting.size === 0) native.hold(watch, false);
      reject(signal!.reason);
    };
    const end = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort, { once: true });
    waiting.set(token, { resolve: () => (end(), resolve()), reject: (error) => (end(), reject(error)) });
    native.hold(watch, true);
  });
}
