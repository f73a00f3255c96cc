// SPDX-License-Identifier: Apache-2.0
import { Device, nanoseconds, numberOf } from './device';
import { check, output, output32 } from './errors';
import { Event } from './event';
import { described, Handle, handleOf, known, Owner } from './library';
import { DeviceBuffer, Memory } from './memory';
import { type Argument, geometry, Kernel, type Launch, packArguments } from './module';
import { hot, hot32, HOT_OUT, HOT_STATUS, native, out, outAddress } from './native';
import { asNotification, submitted } from './queue';
import * as raw from './raw';
import { inside, Scope } from './scope';
import { flagsOf, priorityOf, type StreamOptions } from './stream_options';
import { make, read } from './structs';

/** A copy of copyBatch(): of as many bytes as both memories have, unless it says how many. */
export interface Transfer {
  dst: Memory;
  src: Memory;
  bytes?: number;
}

function create(options: StreamOptions): bigint {
  const { device = Device.CURRENT } = known(options, 'device', 'priority', 'blocking', 'shared', 'dedicated');
  return output(native.gs_stream_create(numberOf(device), priorityOf(options.priority ?? 0), flagsOf(options), outAddress));
}

function withOwner(owner: Stream, work: (stream: Stream) => void): void {
  try {
    work(owner);
  } finally {
    owner.close();
  }
}

/** An ordered queue of device work. Two streams that `new` made are never the same driver stream. */
export class Stream extends Owner {
  /** The current stream of the thread, where work is submitted. */
  static readonly CURRENT: Stream = new Stream(new Handle(raw.GS_STREAM_CURRENT));

  constructor(options: StreamOptions | Handle = {}) {
    super(options instanceof Handle ? options.value : create(options), 'stream');
  }

  /** Takes over a reference to a handle of the C interface. */
  static fromHandle(handle: bigint): Stream {
    return new Stream(new Handle(handle));
  }

  /** Wraps a cudaStream_t that lives at least as long as the wrap; 0n and 1n are the default stream. */
  static fromNative(address: bigint, device = Device.CURRENT): Stream {
    return Stream.fromHandle(output(native.gs_stream_from_native(numberOf(device), address, outAddress)));
  }

  /** The null stream of a device. */
  static default(device = Device.CURRENT): Stream {
    return Stream.fromHandle(output(native.gs_default_stream(numberOf(device), outAddress))).borrowed();
  }

  /** The stream that is current on this thread, as an owner of its own. */
  static current(device = Device.CURRENT): Stream {
    const handle = output(native.gs_current_stream(numberOf(device), outAddress));
    check(native.gs_stream_retain(handle));
    return Stream.fromHandle(handle);
  }

  protected release(handle: bigint): number {
    return handle === raw.GS_STREAM_CURRENT ? 0 : native.gs_stream_destroy(handle);
  }

  override close(): void {
    if (this !== Stream.CURRENT) super.close();
  }

  /** The cudaStream_t. */
  get native(): bigint {
    return output(native.gs_stream_native(this.handle, outAddress));
  }

  /** Closes a dedicated stream and returns its cudaStream_t, which the caller then destroys. */
  intoNative(): bigint {
    const address = output(native.gs_stream_into_native(this.handle, outAddress));
    this.leave();
    return address;
  }

  get device(): Device {
    return new Device(output32(native.gs_stream_device(this.handle, outAddress)));
  }

  get priority(): number {
    const bytes = make(raw.gs_stream_info_t);
    check(native.gs_stream_get_info(this.handle, bytes));
    return read(raw.gs_stream_info_t, bytes, 'priority') as number;
  }

  get capturing(): boolean {
    return output32(native.gs_stream_is_capturing(this.handle, outAddress)) !== 0;
  }

  /** Whether both are the same driver stream. */
  equals(other: Stream): boolean {
    return output32(native.gs_stream_equal(this.handle, handleOf(other, Stream), outAddress)) !== 0;
  }

  /** Marks the work submitted so far with an event, by default a new one. */
  record(event?: Event): Event {
    if (event === undefined) return this.#recordNew(new Event());
    const [first, second] = [handleOf(event, Event), this.handle];
    hot[0] = first;
    hot[1] = second;
    native.hotRecord();
    if (hot32[HOT_STATUS] !== 0) check(hot32[HOT_STATUS]!);
    return event;
  }

  #recordNew(made: Event): Event {
    try {
      return this.record(made);
    } catch (error) {
      made.close(); // the caller does not get it
      throw error;
    }
  }

  /** Lets later work wait for the last record of an event. */
  waitEvent(event: Event): void {
    const [first, second] = [this.handle, handleOf(event, Event)];
    hot[0] = first;
    hot[1] = second;
    native.hotWait();
    if (hot32[HOT_STATUS] !== 0) check(hot32[HOT_STATUS]!);
  }

  /** Lets later work wait for what another stream has now. */
  waitStream(other: Stream): void {
    check(native.gs_stream_wait_stream(this.handle, handleOf(other, Stream)));
  }

  /** Whether all work is done. */
  query(): boolean {
    hot[0] = this.handle;
    native.hotQueryStream();
    if (hot32[HOT_STATUS] !== 0) check(hot32[HOT_STATUS]!);
    return hot32[HOT_OUT] !== 0;
  }

  /** Waits until the work is done, and blocks the thread with its event loop until then. */
  synchronize(timeoutMs?: number): void {
    check(timeoutMs === undefined ? native.gs_stream_synchronize(this.handle) : native.gs_stream_synchronize_for(this.handle, nanoseconds(timeoutMs)));
  }

  /** A promise of the end of the work submitted so far. With a signal that aborts, it is rejected; the work goes on. */
  async finished(options: { signal?: AbortSignal } = {}): Promise<void> {
    return this.#submitted(options.signal);
  }

  #submitted(signal?: AbortSignal): Promise<void> {
    return submitted((queue, token) => native.gs_queue_add_stream(queue, this.handle, token), signal);
  }

  /**
   * Calls a function in the event loop after the work submitted so far is done, with the error if it failed. What the
   * function throws is an uncaught exception, as in any other callback of the event loop. Calls that would wait are
   * GS_ERROR_NOT_PERMITTED in it, since all promises wait for it.
   */
  notify(fn: (error: unknown) => void): void {
    if (typeof fn !== 'function') throw new TypeError('a function is wanted');
    const call = (error: unknown) => asNotification(() => fn(error));
    this.#submitted().then(() => setImmediate(call, null), (error: unknown) => setImmediate(call, error));
  }

  /**
   * Calls a native function, given by its address, in stream order: later work of the stream waits until it returns. The argument is
   * an address too: memory of JavaScript could be collected before the function runs.
   */
  launchHost(address: bigint, argument: bigint | null = null): void {
    if (argument !== null && typeof argument !== 'bigint') throw new TypeError(`the argument must be an address or null, not ${described(argument)}`);
    check(native.gs_stream_launch_host(this.handle, address, argument));
  }

  /** Names the stream in error texts and the checker's reports; null ends that. 63 bytes are kept. */
  setName(name: string | null): void {
    check(native.gs_stream_set_name(this.handle, name));
  }

  /** Keeps the stream busy: cycles of the device's clock, nanoseconds on the host backend. */
  sleep(cycles: number | bigint): void {
    check(native.gs_stream_sleep(this.handle, BigInt(cycles)));
  }

  /** Makes the stream and its device current on this thread until the scope is disposed. */
  enter(): Scope {
    return Scope.push(this.handle);
  }

  /** Calls a function in which the stream is current. */
  run<T>(fn: () => T): T {
    return inside(this.enter(), fn);
  }

  /** Allocates device memory in stream order. */
  malloc(bytes: number): DeviceBuffer {
    return this.allocate(bytes, (stream) => native.gs_malloc_async(BigInt(bytes), stream, outAddress));
  }

  /** @internal An owner of the same stream; of Stream.CURRENT, of the one that is current now. */
  another(): Stream {
    if (this.handle === raw.GS_STREAM_CURRENT) return Stream.current();
    check(native.gs_stream_retain(this.handle));
    return Stream.fromHandle(this.handle);
  }

  /** @internal Memory whose address `call` writes to the first output. */
  allocate(bytes: number, call: (stream: bigint) => number): DeviceBuffer {
    const owner = this.another(); // the memory is freed on this stream, even if it is closed or not current any more by then
    try {
      check(call(owner.handle));
    } catch (error) {
      owner.close();
      throw error;
    }
    return new DeviceBuffer(out[0]!, bytes, owner);
  }

  /** Submits work behind the allocation of the memory that it uses. */
  private submit(all: Memory[], call: (stream: bigint) => number): void {
    if (this.handle === raw.GS_STREAM_CURRENT) {
      withOwner(Stream.current(), (now) => now.submit(all, call));
      return;
    }
    for (const one of all) one.use(this);
    check(call(this.handle));
  }

  /** @internal Calls a function with the stream that is named, or else with the current one of this stream's device. */
  orCurrent(named: Stream | undefined, work: (stream: Stream) => void): void {
    if (named === undefined) {
      withOwner(Stream.current(this.device), work);
      return;
    }
    handleOf(named, Stream);
    work(named);
  }

  /** Copies in stream order. Both memories stay until that is done. */
  copy(dst: Memory, src: Memory, bytes = Math.min(dst.length, src.length)): void {
    const [to, from] = [dst.range(bytes), src.range(bytes)];
    this.submit([dst, src], (stream) => native.gs_memcpy_async(to, from, BigInt(bytes), stream));
  }

  /**
   * Submits copies, in one call of the driver where it has one. They may run in any order and at the same time. All memories stay
   * until that is done. order: GS_ACCESS_ORDER_STREAM, or GS_ACCESS_ORDER_DURING_CALL or GS_ACCESS_ORDER_ANY, whose sources do not
   * wait for the stream's earlier work.
   */
  copyBatch(copies: Transfer[], order: number = raw.GS_ACCESS_ORDER_STREAM): void {
    const words = copies.flatMap(({ dst, src, bytes = Math.min(dst.length, src.length) }) => [dst.range(bytes), src.range(bytes), BigInt(bytes)]);
    const all = BigUint64Array.from(words);
    this.submit(
      copies.flatMap(({ dst, src }) => [dst, src]),
      (stream) => native.gs_memcpy_batch_async(new Uint8Array(all.buffer), BigInt(copies.length), order, stream),
    );
  }

  /** Sets bytes to a value in stream order. */
  fill(dst: Memory, value: number, bytes = dst.length): void {
    const to = dst.range(bytes);
    this.submit([dst], (stream) => native.gs_memset_async(to, value, BigInt(bytes), stream));
  }

  /** Starts a kernel in stream order; the arguments are copied. */
  launch(kernel: Kernel, how: Launch, ...list: Argument[]): void {
    const packed = packArguments(list);
    const config = make(raw.gs_launch_config_t, { ...geometry(how), programmatic_event: how.programmaticEvent?.handle ?? 0n });
    const memory = list.filter((one) => one instanceof Memory);
    this.submit(memory, (stream) => native.gs_kernel_launch(kernel.handle, config, packed.pointers, stream));
  }
}
