// SPDX-License-Identifier: Apache-2.0
import { check, filled, loadFailure, output, output32 } from './errors';
import { native, outAddress } from './native';
import * as raw from './raw';

/** Opens the library from a file, instead of the search that the first call makes, and returns the file. */
export function load(path: string): string {
  const outcome = native.load(path);
  if (outcome[0] !== 0) throw loadFailure(outcome);
  return outcome[1];
}

/** The version of the library, as in "0.1.0"; empty if there is none. */
export function version(): string {
  return native.gs_version_string();
}

/** Starts the default backend, as every call does that needs it. */
export function init(): void {
  check(native.gs_init());
}

export function isAvailable(): boolean {
  return output32(native.gs_is_available(outAddress)) !== 0;
}

export function isInitialized(): boolean {
  return output32(native.gs_is_initialized(outAddress)) !== 0;
}

/** Returns what the library keeps for reuse. */
export function trim(): void {
  check(native.gs_trim());
}

/** What a wait for an event without a record does, in all streams and threads: a GS_UNRECORDED_* number. */
export function setUnrecorded(mode: number): void {
  check(native.gs_set_option(raw.GS_OPTION_UNRECORDED_MODE, BigInt(mode)));
}

/** What setUnrecorded() set last. */
export function getUnrecorded(): number {
  return Number(output(native.gs_get_option(raw.GS_OPTION_UNRECORDED_MODE, outAddress)));
}

/** What the library did, over all threads; 64-bit numbers are bigint. */
export function stats(): Record<string, bigint> {
  return filled(raw.gs_stats_t, (bytes) => native.gs_get_stats(bytes)) as Record<string, bigint>;
}

let reportLeak: ((kind: string, stack: string) => void) | null = null;
const registry = new FinalizationRegistry<{ kind: string; stack: string }>(({ kind, stack }) => reportLeak?.(kind, stack));

/**
 * Reports, from now on, each object that the garbage collector finds without a close(), with the stack of its creation.
 * The object stays: only its owner knows when work has ended that uses it. null ends the reports.
 */
export function onLeak(report: ((kind: string, stack: string) => void) | null): void {
  reportLeak = report;
}

/** A reference to a handle of the C interface, to be taken over. */
export class Handle {
  constructor(readonly value: bigint) {
    if (typeof value !== 'bigint') throw new TypeError('a handle is a bigint');
  }
}

/** Refused where or when the call was made: what it was to end is as it was. */
export function wasRefused(status: number): boolean {
  return status === raw.GS_ERROR_NOT_PERMITTED || status === raw.GS_ERROR_CAPTURING;
}

/** An owner of a handle: closed once, by close() or by `using`. */
export abstract class Owner {
  #handle: bigint;

  protected constructor(handle: bigint, kind: string) {
    this.#handle = handle;
    if (reportLeak) registry.register(this, { kind, stack: new Error().stack ?? '' }, this);
  }

  /** The handle of the C interface; 0n if this is closed. */
  get handle(): bigint {
    return this.#handle;
  }

  get closed(): boolean {
    return this.#handle === 0n;
  }

  /** @internal What it refers to is always there: a forgotten one is no leak. */
  borrowed(): this {
    registry.unregister(this);
    return this;
  }

  /** Leaves the handle to the caller without releasing it. */
  protected leave(): bigint {
    const handle = this.#handle;
    this.#handle = 0n;
    registry.unregister(this);
    return handle;
  }

  protected abstract release(handle: bigint): number;

  /** Releases what this owns; a second call does nothing. Refused in a callback or during a capture, it may be repeated. */
  close(): void {
    if (this.closed) return;
    const status = this.release(this.#handle);
    if (!wasRefused(status)) this.leave();
    check(status);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A wrong argument, for the text of an error. */
export function described(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `an object of ${value.constructor?.name ?? 'no class'}`;
  return typeof value === 'string' ? `'${value}'` : typeof value === 'function' ? 'a function' : String(value);
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; ++i) {
    const above = row;
    row = [i];
    for (let j = 1; j <= other.length; ++j)
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)));
  }
  return row[other.length]!;
}

/** Refuses options that a constructor does not know, such as a misspelt one. */
export function known<T extends object>(options: T, ...names: (keyof T & string)[]): T {
  if (typeof options !== 'object' || options === null) throw new TypeError(`options must be an object, not ${described(options)}`);
  for (const name of Object.keys(options)) {
    if ((names as string[]).includes(name)) continue;
    const nearest = [...names].sort((one, other) => distance(name, one) - distance(name, other))[0]!;
    const hint = distance(name, nearest) <= 2 ? `: did you mean ${nearest}?` : '';
    throw new TypeError(`there is no option ${name}${hint} (there are ${names.join(', ')})`);
  }
  return options;
}

/** The handle of an argument: a TypeError where JavaScript brings another type. */
export function handleOf<T extends Owner>(object: T, type: abstract new (...args: never[]) => T): bigint {
  if (object instanceof type) return object.handle;
  const article = /^[AEIOU]/.test(type.name) ? 'an' : 'a';
  throw new TypeError(`the ${type.name.toLowerCase()} must be ${article} ${type.name}, not ${described(object)}`);
}
