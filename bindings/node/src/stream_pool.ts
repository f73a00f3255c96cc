// SPDX-License-Identifier: Apache-2.0
import { Stream } from './stream';
import type { StreamOptions } from './stream_options';

function whole(value: unknown, what: string): number {
  if (typeof value !== 'number') throw new TypeError(`${what} is a number`);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${what} is a whole number, not ${value}`);
  return value;
}

/**
 * A fixed number of streams that a program's parts share on purpose: for work that is spread over a few streams, more often
 * than there are streams. The streams belong to it and are closed with it.
 */
export class StreamPool implements Iterable<Stream> {
  readonly #streams: Stream[] = [];
  #turns = 0;

  /** All streams, with the same options, or none. A RangeError if the size is below 1. */
  constructor(size: number, options: StreamOptions = {}) {
    if (whole(size, 'the size of a pool') < 1) throw new RangeError(`a pool has at least 1 stream, not ${size}`);
    try {
      while (this.#streams.length < size) this.#streams.push(new Stream(options));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get size(): number {
    return this.#streams.length;
  }

  /** The stream with an index, modulo size; -1 is the last. */
  at(index: number): Stream {
    const rest = whole(index, 'an index') % this.size;
    return this.#streams[rest < 0 ? rest + this.size : rest]!;
  }

  /** The next stream in turn, which another part of the program may have, too. */
  next(): Stream {
    const stream = this.#streams[this.#turns]!;
    this.#turns = (this.#turns + 1) % this.size;
    return stream;
  }

  [Symbol.iterator](): Iterator<Stream> {
    return this.#streams.values();
  }

  /** Closes the streams, whose work goes on; a second call does nothing. */
  close(): void {
    for (const stream of this.#streams) stream.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
