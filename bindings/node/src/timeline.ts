// SPDX-License-Identifier: Apache-2.0
import { Device, nanoseconds, numberOf } from './device';
import { check, output } from './errors';
import { Handle, handleOf, known, Owner } from './library';
import { native, outAddress } from './native';
import * as raw from './raw';
import { Stream } from './stream';

export interface TimelineOptions {
  /** A stream waits only after the signal was submitted, which makes a signal one driver call less. */
  signalFirst?: boolean;
}

function create(initial: bigint, device: Device, options: TimelineOptions): bigint {
  known(options, 'signalFirst');
  return output(native.gs_timeline_create(numberOf(device), initial, options.signalFirst ? raw.GS_TIMELINE_SIGNAL_FIRST : 0, outAddress));
}

/**
 * A number that only grows. Streams and threads signal it, which raises it to a value, and wait until it has reached one;
 * a wait may come before its signal. Closed, it lets streams that wait go on although their waits were not met.
 */
export class Timeline extends Owner {
  readonly #device: Device;

  /** initial is the first value. Streams of all devices of the device's backend may use it. */
  constructor(initial: bigint | Handle = 0n, device = Device.CURRENT, options: TimelineOptions = {}) {
    super(initial instanceof Handle ? initial.value : create(initial, device, options), 'timeline');
    this.#device = device;
  }

  /** Takes over a reference to a handle of the C interface, as one that another worker posted. */
  static fromHandle(handle: bigint, device = Device.CURRENT): Timeline {
    return new Timeline(new Handle(handle), device);
  }

  protected release(handle: bigint): number {
    return native.gs_timeline_destroy(handle);
  }

  /** What it has reached. Throws the status of abort() once it was aborted. */
  get value(): bigint {
    return output(native.gs_timeline_value(this.handle, outAddress));
  }

  /** Raises it now. */
  set(value: bigint): void {
    check(native.gs_timeline_signal(this.handle, value));
  }

  /**
   * Has a stream raise it when its work so far is done. Signals happen in the order of their values. GS_ERROR_DEADLOCK:
   * streams would wait for each other, which the message names; nothing was submitted.
   */
  signal(value: bigint, stream: Stream = Stream.CURRENT): void {
    check(native.gs_stream_signal_timeline(handleOf(stream, Stream), this.handle, value));
  }

  /** Lets later work of a stream wait until the value is reached. The signal may come later. */
  wait(value: bigint, stream: Stream = Stream.CURRENT): void {
    check(native.gs_stream_wait_timeline(handleOf(stream, Stream), this.handle, value));
  }

  /** Waits until the value is reached, and blocks the thread with its event loop until then. */
  synchronize(value: bigint, timeoutMs?: number): void {
    check(native.gs_timeline_synchronize(this.handle, value, timeoutMs === undefined ? -1n : nanoseconds(timeoutMs)));
  }

  /**
   * A promise of the value, kept by a stream that waits for it: on CUDA, many such promises need as many hardware queues.
   * With a signal that aborts it is rejected, and that stream stays until the value is reached or the timeline ends.
   */
  async reached(value: bigint, options: { signal?: AbortSignal } = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const stream = new Stream({ device: this.#device });
    let done: Promise<void>;
    try {
      this.wait(value, stream);
      done = stream.finished(options);
    } finally {
      stream.close();
    }
    await done;
    check(native.gs_timeline_synchronize(this.handle, value, 0n)); // aborted or closed, the stream went on, too
  }

  /** Ends it: streams that wait go on although their waits were not met, and all calls throw the status. */
  abort(status: number = raw.GS_ERROR_ABORTED): void {
    check(native.gs_timeline_abort(this.handle, status));
  }
}
