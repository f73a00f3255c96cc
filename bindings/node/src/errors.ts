// SPDX-License-Identifier: Apache-2.0
import { native, out, out32 } from './native';
import * as raw from './raw';
import { make, readAll } from './structs';

const NOT_LOADED = -(2 ** 31);
const MISSING = -(2 ** 20);

/** All that the library knows about a failed call. */
export interface ErrorDetail {
  /** The GS_REASON_* number beside GS_ERROR_UNAVAILABLE. */
  reason: number;
  /** The GS_BACKEND_* number of the backend whose call failed; 0 if none was involved. */
  backend: number;
  /** The driver's code (a CUresult), or errno beside GS_ERROR_SYSTEM. */
  nativeCode: number;
  /** The device has become unusable in this process. */
  sticky: boolean;
  /** The function of the library that failed. */
  function: string;
  /** The driver's function or system call that failed. */
  nativeFunction: string;
  /** Where a sticky failure was first detected. */
  origin: string;
  /** The gs_stream_t that the failed call was given; 0n: none. It may have ended since. */
  stream: bigint;
  /** The gs_event_t that it was given; 0n: none. */
  event: bigint;
  /** The device that it was given, else that of its stream or event; GS_DEVICE_NONE: none. */
  device: number;
}

const nothing: ErrorDetail = {
  reason: 0, backend: 0, nativeCode: 0, sticky: false, function: '', nativeFunction: '', origin: '',
  stream: 0n, event: 0n, device: raw.GS_DEVICE_NONE,
};

/** A call of the library that failed. */
export class GpuStreamError extends Error implements ErrorDetail {
  /** The name of the status, such as GS_ERROR_INVALID_HANDLE. */
  readonly code: string;
  /** Its number. */
  readonly status: number;
  readonly reason!: number;
  readonly backend!: number;
  readonly nativeCode!: number;
  readonly sticky!: boolean;
  readonly function!: string;
  readonly nativeFunction!: string;
  readonly origin!: string;
  readonly stream!: bigint;
  readonly event!: bigint;
  readonly device!: number;

  constructor(status: number, message: string, detail: Partial<ErrorDetail> = {}) {
    const code = nameOf(status);
    super(message ? `${message} [${code}]` : `${native.gs_status_message(status)} [${code}]`);
    this.name = 'GpuStreamError';
    this.status = status;
    this.code = code;
    Object.assign(this, nothing, detail);
  }
}

// Without the library the names are those of this file's header.
function nameOf(status: number): string {
  const name = native.gs_status_name(status);
  if (name) return name;
  return status === raw.GS_ERROR_NOT_SUPPORTED ? 'GS_ERROR_NOT_SUPPORTED' : 'GS_ERROR_UNAVAILABLE';
}

/** The error of a status that the last call on this thread returned. */
export function failure(status: number): GpuStreamError {
  if (status === NOT_LOADED) return loadFailure(native.load(null));
  if (status <= MISSING) {
    const name = native.names[MISSING - status]!;
    const detail = { reason: raw.GS_REASON_NO_SYMBOL, function: name };
    return new GpuStreamError(raw.GS_ERROR_UNAVAILABLE, `the library is too old and lacks ${name}`, detail);
  }
  const bytes = make(raw.gs_error_info_t);
  if (native.gs_last_error(bytes) !== 0) return new GpuStreamError(status, '');
  const info = readAll(raw.gs_error_info_t, bytes) as Record<string, never>;
  if (info['status'] !== status) return new GpuStreamError(status, '');
  return new GpuStreamError(status, info['message']!, {
    reason: info['reason']!, backend: info['backend']!, nativeCode: info['nativeCode']!, sticky: info['sticky'] !== 0,
    function: info['function']!, nativeFunction: info['nativeFunction']!, origin: info['origin']!,
    stream: info['stream']!, event: info['event']!, device: info['device']!,
  });
}

/** The error of a load() that failed. */
export function loadFailure([outcome, text]: [number, string]): GpuStreamError {
  const statuses = [raw.GS_ERROR_UNAVAILABLE, raw.GS_ERROR_UNAVAILABLE, raw.GS_ERROR_NOT_SUPPORTED, raw.GS_ERROR_NOT_PERMITTED];
  const reason = outcome === 1 ? raw.GS_REASON_NO_LIBRARY : 0;
  return new GpuStreamError(statuses[outcome]!, text, { reason });
}

/** Throws unless the status is GS_OK. */
export function check(status: number): void {
  if (status !== 0) throw failure(status);
}

/** The output of a call with this status that wrote 64 bits to outAddress. */
export function output(status: number): bigint {
  check(status);
  return out[0]!;
}

/** The same of 32 bits. */
export function output32(status: number): number {
  check(status);
  return out32[0]!;
}

/** The members of the struct that a call fills. */
export function filled(layout: raw.Layout, call: (bytes: Uint8Array) => number): ReturnType<typeof readAll> {
  const bytes = make(layout);
  check(call(bytes));
  return readAll(layout, bytes);
}
