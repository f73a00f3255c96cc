// SPDX-License-Identifier: Apache-2.0
import { check, GpuStreamError } from './errors';
import { Owner, wasRefused } from './library';
import { native, out, outAddress } from './native';
import * as raw from './raw';

/** What copies and fills work on. */
export abstract class Memory extends Owner {
  /** length is the size in bytes. */
  protected constructor(address: bigint, readonly length: number, kind: string) {
    super(address, kind);
  }

  /** The address of the first byte; 0n if the memory is closed. */
  get address(): bigint {
    return this.handle;
  }

  /** The address, for an operation on this many bytes. */
  range(bytes: number): bigint {
    if (this.closed) throw new TypeError('the memory is closed');
    if (!Number.isInteger(bytes) || bytes < 0 || bytes > this.length) throw new RangeError(`the memory has ${this.length} bytes, not ${bytes}`);
    return this.address;
  }
}

/** Device memory that was allocated in stream order; closed, it is freed when its stream has done what it has then. A close() while that stream is being captured is refused and changes nothing. */
export class DeviceBuffer extends Memory {
  #stream: Owner;

  constructor(address: bigint, bytes: number, stream: Owner) {
    super(address, bytes, 'device buffer');
    this.#stream = stream;
  }

  protected release(address: bigint): number {
    const status = native.gs_free_async(address, this.#stream.handle);
    if (!wasRefused(status)) this.#stream.close();
    return status;
  }

  /** As close(); while the stream is being captured the memory lives as long as the graph. */
  override [Symbol.dispose](): void {
    try {
      this.close();
    } catch (error) {
      if (!(error instanceof GpuStreamError) || error.status !== raw.GS_ERROR_CAPTURING) throw error;
      this.closeAfter(this.#stream);
    }
  }

  /** Frees it once these streams have done what they have now; none of them waits. After a failure it is as it was. */
  closeAfter(...streams: Owner[]): void {
    if (this.closed || streams.length === 0) throw new TypeError('a buffer that is not closed, and its streams, are wanted');
    const users = BigUint64Array.from(streams, (stream) => stream.handle);
    check(native.gs_free_after(this.address, new Uint8Array(users.buffer), BigInt(users.length)));
    this.leave();
    this.#stream.close();
  }
}

/** Page-locked memory of the host, which devices reach; work that uses it has to be done before it is closed. */
export class HostBuffer extends Memory {
  #buffer: ArrayBuffer;

  constructor(bytes: number) {
    super((check(native.gs_malloc_host(BigInt(bytes), outAddress)), out[0]!), bytes, 'host buffer');
    this.#buffer = native.memory(this.address, bytes);
  }

  /** The memory; detached, and so of length 0, once this is closed. */
  get buffer(): ArrayBuffer {
    return this.#buffer;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#buffer);
  }

  protected release(address: bigint): number {
    const status = native.gs_free_host(address);
    if (!wasRefused(status)) native.detach(this.#buffer);
    return status;
  }
}
