// SPDX-License-Identifier: Apache-2.0
import { check } from './errors';
import { native, out, outAddress } from './native';

/** A part of a program by name, which traces, the log and tools of NVTX show. It may last over an `await`. */
export class Range {
  #number: bigint;

  constructor(name: string) {
    check(native.gs_range_start(name, outAddress));
    this.#number = out[0]!;
  }

  /** Ends it; a second call does nothing. */
  close(): void {
    const number = this.#number;
    this.#number = 0n;
    if (number !== 0n) check(native.gs_range_end(number));
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A moment of the thread. */
export function mark(text: string): void {
  check(native.gs_mark(text));
}
