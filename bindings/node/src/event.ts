// SPDX-License-Identifier: Apache-2.0
import { Device, nanoseconds, numberOf } from './device';
import { check, output } from './errors';
import { Handle, handleOf, known, Owner } from './library';
import { hot, hot32, HOT_OUT, HOT_STATUS, native, out, outAddress, outFloat } from './native';
import { submitted } from './queue';
import * as raw from './raw';
import { Stream } from './stream';
import { make, read } from './structs';

export interface EventOptions {
  /** Records have times, which elapsedMs() compares. */
  timing?: boolean;
  /** synchronize() sleeps. */
  blocking?: boolean;
  /** The event can be exported to other processes. */
  interprocess?: boolean;
  /** In a capture, records of it and waits for it are nodes, which each launch of the graph runs. */
  external?: boolean;
}

function create(options: EventOptions): bigint {
  known(options, 'timing', 'blocking', 'interprocess', 'external');
  const flags =
    (options.timing ? raw.GS_EVENT_TIMING : 0) |
    (options.blocking ? raw.GS_EVENT_BLOCKING : 0) |
    (options.interprocess ? raw.GS_EVENT_INTERPROCESS : 0) |
    (options.external ? raw.GS_EVENT_EXTERNAL : 0);
  return output(native.gs_event_create(flags, outAddress));
}

/** Fewer bytes would be read past their end. */
export function ipcName(name: Uint8Array): Uint8Array {
  if (!(name instanceof Uint8Array)) throw new TypeError('an IPC handle is a Uint8Array');
  if (name.length !== raw.gs_ipc_handle_t.size) throw new RangeError(`an IPC handle has ${raw.gs_ipc_handle_t.size} bytes`);
  return name;
}

/** A mark in a stream. Before its first record it counts as reached. */
export class Event extends Owner {
  constructor(options: EventOptions | Handle = {}) {
    super(options instanceof Handle ? options.value : create(options), 'event');
  }

  /** Takes over a reference to a handle of the C interface. */
  static fromHandle(handle: bigint): Event {
    return new Event(new Handle(handle));
  }

  /** Wraps a cudaEvent_t that lives at least as long as the wrap. */
  static fromNative(address: bigint, device = Device.CURRENT): Event {
    return Event.fromHandle(output(native.gs_event_from_native(numberOf(device), address, outAddress)));
  }

  /** Opens an event of another process. */
  static fromIpc(name: Uint8Array, device = Device.CURRENT): Event {
    return Event.fromHandle(output(native.gs_event_ipc_open(numberOf(device), ipcName(name), outAddress)));
  }

  protected release(handle: bigint): number {
    return native.gs_event_destroy(handle);
  }

  /** Marks the work submitted to a stream so far. */
  record(stream: Stream): void {
    const [first, second] = [this.handle, handleOf(stream, Stream)];
    hot[0] = first;
    hot[1] = second;
    native.hotRecord();
    if (hot32[HOT_STATUS] !== 0) check(hot32[HOT_STATUS]!);
  }

  /** Does so if the event has no record yet, and returns whether it did. */
  recordOnce(stream: Stream): boolean {
    const bytes = make(raw.gs_event_info_t);
    check(native.gs_event_get_info(this.handle, bytes));
    if (read(raw.gs_event_info_t, bytes, 'recorded')) return false;
    this.record(stream);
    return true;
  }

  /** Whether the last record has been reached. */
  query(): boolean {
    hot[0] = this.handle;
    native.hotQueryEvent();
    if (hot32[HOT_STATUS] !== 0) check(hot32[HOT_STATUS]!);
    return hot32[HOT_OUT] !== 0;
  }

  /** Waits for the last record, and blocks the thread until then. */
  synchronize(timeoutMs?: number): void {
    check(timeoutMs === undefined ? native.gs_event_synchronize(this.handle) : native.gs_event_synchronize_for(this.handle, nanoseconds(timeoutMs)));
  }

  /** A promise of the record that the event has now. */
  async finished(options: { signal?: AbortSignal } = {}): Promise<void> {
    return submitted((queue, token) => native.gs_queue_add_event(queue, this.handle, token), options.signal);
  }

  /** Milliseconds from a record of this event to one of another, both with timing and reached. */
  elapsedMs(end: Event): number {
    check(native.gs_event_elapsed_ms(this.handle, handleOf(end, Event), outAddress));
    return outFloat[0]!;
  }

  /** The same in whole nanoseconds. */
  elapsedNs(end: Event): bigint {
    return BigInt(Math.round(this.elapsedMs(end) * 1e6));
  }

  /**
   * When the record of an event with timing happened, by the clock of process.hrtime.bigint(), after Device.calibrate():
   * exact to errorNs in both directions.
   */
  hostTime(): { ns: bigint; errorNs: bigint } {
    check(native.gs_event_time_ns(this.handle, outAddress, outAddress + 8n));
    return { ns: BigInt.asIntN(64, out[0]!), errorNs: BigInt.asIntN(64, out[1]!) };
  }

  /** Names the event in error texts and the checker's reports; null ends that. 63 bytes are kept. */
  setName(name: string | null): void {
    check(native.gs_event_set_name(this.handle, name));
  }

  /** The cudaEvent_t; 0n before the first record. */
  get native(): bigint {
    return output(native.gs_event_native(this.handle, outAddress));
  }

  /** The name of an interprocess event for other processes. */
  export(): Uint8Array {
    const name = new Uint8Array(raw.gs_ipc_handle_t.size);
    check(native.gs_event_ipc_export(this.handle, name));
    return name;
  }
}
