// SPDX-License-Identifier: Apache-2.0
import { check, GpuStreamError, output32 } from './errors';
import { handleOf } from './library';
import { native, outAddress } from './native';
import * as raw from './raw';
import { Stream } from './stream';

/**
 * The present end of a stream as 128 bytes, for this process and others on the machine. The point is reached when the work
 * that the stream had is done. It is leased: until one process has waited and the point is reached, or
 * GPUSTREAM_TOKEN_LEASE_MS milliseconds are over and it is reached. After that calls throw GS_ERROR_INVALID_HANDLE, and none
 * ever means another point. So make a token for each process that is to wait.
 */
export class Token {
  readonly #bytes: Uint8Array;

  /** Of a stream's present end, or of the bytes that another process has sent. */
  constructor(from: Stream | Uint8Array) {
    if (from instanceof Uint8Array) {
      if (from.length !== raw.gs_token_t.size) throw new RangeError(`a token has ${raw.gs_token_t.size} bytes`);
      this.#bytes = new Uint8Array(from);
    } else {
      this.#bytes = new Uint8Array(raw.gs_token_t.size);
      check(native.gs_token_create(handleOf(from, Stream), this.#bytes));
    }
  }

  /** A copy of the bytes, to send. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#bytes);
  }

  /** Lets later work of a stream wait for the point. GS_ERROR_PEER_LOST: the process that made the token ended before. */
  wait(stream: Stream): void {
    check(native.gs_token_wait(handleOf(stream, Stream), this.#bytes));
  }

  /** Whether the point is reached. Who sees false takes part in the lease until it waits, or sees true. */
  query(): boolean {
    const seen = output32(native.gs_token_status(this.#bytes, outAddress));
    if (seen !== raw.GS_OK && seen !== raw.GS_NOT_READY) throw new GpuStreamError(seen, '');
    return seen === raw.GS_OK;
  }
}
