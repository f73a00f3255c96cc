// SPDX-License-Identifier: Apache-2.0
import { check, GpuStreamError, output } from './errors';
import type { Event } from './event';
import { Owner, wasRefused } from './library';
import { native, out32, outAddress } from './native';
import * as raw from './raw';
import type { Stream } from './stream';

/** Addresses are even; this bit tells memory of no bytes, whose address is 0n, from closed memory. */
const OPEN = 1n;

/** What copies and fills work on. */
export abstract class Memory extends Owner {
  /** length is the size in bytes. */
  protected constructor(address: bigint, readonly length: number, kind: string) {
    super(address | OPEN, kind);
  }

  override get handle(): bigint {
    return super.handle & ~OPEN;
  }

  /** The address of the first byte; 0n if the memory is closed. */
  get address(): bigint {
    return this.handle;
  }

  /** @internal Is called before a stream gets work that uses the memory. */
  use(_stream: Stream): void {}

  /** The address, for an operation on this many bytes. */
  range(bytes: number): bigint {
    if (this.closed) throw new TypeError('the memory is closed');
    if (!Number.isInteger(bytes) || bytes < 0 || bytes > this.length) throw new RangeError(`the memory has ${this.length} bytes, not ${bytes}`);
    return this.address;
  }
}

/** From so many users on, those that have done their work are forgotten: else a buffer that lives long would keep every stream. */
const MANY_USERS = 16;

/**
 * Device memory that was allocated in stream order, and knows the streams in which copies, fills and kernels use it. The
 * first use in another stream than that of the allocation waits for what the latter has then; between uses in different
 * streams nothing waits by itself. Of 0 bytes nothing is allocated, and the address is 0n.
 *
 * Closed, it is freed when all streams that used it have done what they have then. If one of them is being captured, the memory
 * lives as long as the graph.
 */
export class DeviceBuffer extends Memory {
  #stream: Stream;
  #captured: boolean; // by a capture, whose graph has the memory
  #users: Stream[] = []; // other streams that use it
  #begun: Event | undefined; // behind the allocation, once another stream uses it

  constructor(address: bigint, bytes: number, stream: Stream) {
    super(address, bytes, 'device buffer');
    this.#stream = stream;
    this.#captured = stream.capturing;
  }

  /** Sets all bytes to a value, in the current stream of the buffer's device or in the one that is named. */
  fill(value: number, stream?: Stream): void {
    this.#in(stream, (on) => on.fill(this, value));
  }

  /** Copies as many bytes as the buffer has; the stream is that of fill(). Both memories stay until that is done. */
  copyFrom(src: Memory, stream?: Stream): void {
    this.#in(stream, (on) => on.copy(this, src, this.length));
  }

  /** Copies all bytes of the buffer; otherwise as copyFrom(). */
  copyTo(dst: Memory, stream?: Stream): void {
    this.#in(stream, (on) => on.copy(dst, this, this.length));
  }

  #in(named: Stream | undefined, work: (stream: Stream) => void): void {
    this.range(0); // is open
    this.#stream.orCurrent(named, work);
  }

  override use(stream: Stream): void {
    const known = (one: Stream) => one.handle === stream.handle;
    if (this.length === 0 || known(this.#stream) || this.#users.some(known)) return;
    this.#order(stream);
    const user = stream.another();
    if (this.#users.length >= MANY_USERS) this.#users = this.#users.filter((one) => !forgotten(one));
    this.#users.push(user);
  }

  /** Orders the stream behind the allocation. A graph cannot wait for work from outside of it, so the host does. */
  #order(stream: Stream): void {
    const hidden = this.#stream.capturing;
    if (this.#captured) {
      if (hidden) stream.waitStream(this.#stream); // takes part in the capture
      return;
    }
    const { capturing } = stream;
    if (this.#begun === undefined) {
      if (hidden && capturing) return;
      if (hidden) {
        const text = "the buffer's stream is being captured, so that another one cannot wait for the allocation: use the buffer there before";
        throw new GpuStreamError(raw.GS_ERROR_CAPTURING, text);
      }
      this.#begun = this.#stream.record();
    }
    if (capturing) this.#begun.synchronize();
    else stream.waitEvent(this.#begun);
  }

  protected release(): number {
    const status = this.#free([]);
    if (!wasRefused(status)) this.#letGo();
    return status;
  }

  /** close(), behind these streams, too, which use the address alone; none of them waits. After a failure it is as it was. */
  closeAfter(...streams: Owner[]): void {
    if (this.closed || streams.length === 0) throw new TypeError('a buffer that is not closed, and its streams, are wanted');
    check(this.#free(streams));
    this.leave();
    this.#letGo();
  }

  #free(named: Owner[]): number {
    const [own, others] = [this.#stream.handle, [...this.#users, ...named].map((one) => one.handle)];
    if (this.#captured) {
      // In the capture, behind those that take part; later, as the stream has it then.
      const waits = this.#stream.capturing ? others.map((one) => native.gs_stream_wait_stream(own, one)) : [];
      return waits.find((status) => status !== 0) ?? native.gs_free_async(this.address, own);
    }
    if (others.length === 0) {
      const status = native.gs_free_async(this.address, own);
      if (status !== raw.GS_ERROR_CAPTURING) return status;
    }
    const all = BigUint64Array.from([own, ...others]);
    return native.gs_free_after(this.address, new Uint8Array(all.buffer), BigInt(all.length));
  }

  #letGo(): void {
    for (const one of [this.#stream, ...this.#users]) one.close();
    this.#users = [];
    this.#begun?.close();
  }
}

/** Whether a stream had done its work, and was closed. */
function forgotten(one: Stream): boolean {
  const done = native.gs_stream_query(one.handle, outAddress) === 0 && out32[0] !== 0;
  if (done) one.close();
  return done;
}

/** Page-locked memory of the host, which devices reach; work that uses it has to be done before it is closed. */
export class HostBuffer extends Memory {
  #buffer: ArrayBuffer;

  constructor(bytes: number) {
    super(output(native.gs_malloc_host(BigInt(bytes), outAddress)), bytes, 'host buffer');
    try {
      this.#buffer = bytes === 0 ? new ArrayBuffer(0) : native.memory(this.address, bytes); // one at 0n would count as detached
    } catch (error) {
      native.gs_free_host(this.address);
      this.leave();
      throw error;
    }
  }

  /** The memory; detached, and so of length 0, once this is closed. */
  get buffer(): ArrayBuffer {
    return this.#buffer;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#buffer);
  }

  protected release(): number {
    if (this.#buffer.byteLength !== this.length) throw new TypeError('another ArrayBuffer has the memory: buffer.transfer() made it');
    const status = native.gs_free_host(this.address);
    if (!wasRefused(status)) native.detach(this.#buffer);
    return status;
  }
}
