// SPDX-License-Identifier: Apache-2.0
import { check, GpuStreamError, output } from './errors';
import { native, outAddress } from './native';
import * as raw from './raw';

/**
 * A stream and its device are current on this thread until the scope is disposed. Scopes nest, and the innermost ends
 * first. Another order is GS_ERROR_SCOPE and leaves all scopes as they are: tasks that await inside their scopes cannot
 * end each other's.
 */
export class Scope {
  #token: bigint;

  private constructor(token: bigint) {
    this.#token = token;
  }

  static push(stream: bigint): Scope {
    return new Scope(output(native.gs_push_current_stream(stream, outAddress)));
  }

  /** Restores what was current before. */
  close(): void {
    if (this.#token === 0n) throw new GpuStreamError(raw.GS_ERROR_SCOPE, 'this scope is closed');
    check(native.gs_pop_current_stream(this.#token));
    this.#token = 0n;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Calls a function inside a scope. It must not be asynchronous: the scope would be gone at its first await. */
export function inside<T>(scope: { close(): void }, fn: () => T): T {
  try {
    const result = fn();
    if (typeof (result as { then?: unknown } | null)?.then === 'function') {
      throw new TypeError('the function is asynchronous: use enter() between its awaits');
    }
    return result;
  } finally {
    scope.close();
  }
}
