// SPDX-License-Identifier: Apache-2.0
// What the tests share: where the build is, gates that hold streams, and programs in processes of their own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../../..');
export const build = process.env.GPUSTREAM_BUILD_DIR ?? path.join(root, 'build/release');
process.env.GPUSTREAM_LIBRARY ??= path.join(build, 'libgpustream.so.0');
process.env.GPUSTREAM_BACKEND ??= 'host';
process.env.GPUSTREAM_HOST_DEVICES = '2';

export const gpustream = (await import('../index.mjs')).default;
export const parityNative = path.join(build, 'tests/parity/libgpustream_parity_native.so');
export const onHost = gpustream.Device.of(gpustream.raw.GS_BACKEND_HOST, 0);

const native = (name, argument) => gpustream.native.invoke(gpustream.native.symbol(parityNative, name), argument);

/** Holds a stream until open() is called. */
export function hold(stream) {
  const gate = native('parity_gate_new', null);
  stream.launchHost(gpustream.native.symbol(parityNative, 'parity_gate_wait'), gate);
  return { open: () => native('parity_gate_open', gate) };
}

/** A folder for files of this process, which goes with it. */
export function scratch() {
  const folder = mkdtempSync(path.join(tmpdir(), 'gs-node-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** assert.throws for a status. */
export const refuses = (code, fn) => assert.throws(fn, { name: 'GpuStreamError', code });

/** Runs a program in a process of its own, and returns what it printed. */
export function program(text, { env = {}, args = [], module = true } = {}) {
  const flags = [...args, ...(module ? ['--input-type=module'] : []), '-e', text];
  const done = spawnSync(process.execPath, flags, { cwd: here, encoding: 'utf8', timeout: 120_000, env: { ...process.env, ...env } });
  assert.equal(done.status, 0, `${done.signal ?? done.status}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}
