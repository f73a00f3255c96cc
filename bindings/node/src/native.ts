// SPDX-License-Identifier: Apache-2.0
import path from 'node:path';
import type { Address, Raw } from './raw';

/** What watch() returns. */
export type Watch = { readonly watch: unique symbol };

/** The addon: the functions of the library, and what JavaScript needs beside them. */
export interface Native extends Raw {
  readonly names: string[];
  load(path: string | null): [outcome: number, text: string];
  addressOf(memory: Address): bigint;
  memory(address: bigint, bytes: number): ArrayBuffer;
  detach(memory: ArrayBuffer): void;
  symbol(library: string | null, name: string): bigint;
  invoke(address: bigint, a?: Address, b?: Address, c?: Address): bigint;
  /** What the calls below have in common: see hot. */
  readonly hot: ArrayBuffer;
  hotRecord(): void;
  hotWait(): void;
  hotQueryEvent(): void;
  hotQueryStream(): void;
  watch(fd: number, callback: () => void, queue: bigint): Watch;
  hold(watch: Watch, on: boolean): void;
  unwatch(watch: Watch): void;
  onReport(callback: (() => void) | null): number;
  takeReports(): string[];
}

/** The functions of gpustream.h under their own names: numbers go in, statuses come out. */
export const native: Native = require(path.join(__dirname, '../gpustream.node'));

/** Room for the outputs of one call at a time: nothing else runs between the call and the look at it. */
export const out = new BigUint64Array(4);
export const out32 = new Int32Array(out.buffer);
export const outFloat = new Float64Array(out.buffer);
export const outAddress = native.addressOf(out);

/** Record, wait and query have their handles here, before the call, and their status and output after it. */
export const hot = new BigUint64Array(native.hot);
export const hot32 = new Int32Array(native.hot);
export const HOT_STATUS = 4;
export const HOT_OUT = 5;
