// SPDX-License-Identifier: Apache-2.0
// The library from Node, without a binding: node smoke.mjs LIBRARY FOLDER_WITH_NODE_MODULES
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';

const [libraryPath, folder] = process.argv.slice(2);
const koffi = createRequire(path.join(path.resolve(folder), 'package.json'))('koffi');
const library = koffi.load(libraryPath);

const OK = 0;
const INVALID_HANDLE = 11;
const SCOPE = 14;
const TIMING_DISABLED = 21;
const TIMING = 1;
const CURRENT = 0x7000000000000001n;
// Handles are numbers: 64 bits wide, the sign bit free.
const f = Object.fromEntries(
  [
    ['gs_device_count', 'int32_t backend, _Out_ int32_t *out'],
    ['gs_stream_create', 'int32_t device, int32_t priority, uint32_t flags, _Out_ uint64_t *out'],
    ['gs_stream_destroy', 'uint64_t stream'],
    ['gs_stream_sleep', 'uint64_t stream, uint64_t cycles'],
    ['gs_stream_wait_event', 'uint64_t stream, uint64_t event'],
    ['gs_stream_query', 'uint64_t stream, _Out_ int32_t *out'],
    ['gs_stream_synchronize', 'uint64_t stream'],
    ['gs_current_stream', 'int32_t device, _Out_ uint64_t *out'],
    ['gs_push_current_stream', 'uint64_t stream, _Out_ uint64_t *out'],
    ['gs_pop_current_stream', 'uint64_t scope'],
    ['gs_event_create', 'uint32_t flags, _Out_ uint64_t *out'],
    ['gs_event_destroy', 'uint64_t event'],
    ['gs_event_record', 'uint64_t event, uint64_t stream'],
    ['gs_event_query', 'uint64_t event, _Out_ int32_t *out'],
    ['gs_event_elapsed_ms', 'uint64_t start, uint64_t end, _Out_ double *out'],
    ['gs_last_error', 'void *info'],
  ].map(([name, parameters]) => [name, library.func(`int32_t ${name}(${parameters})`)]),
);
const statusName = library.func('const char *gs_status_name(int32_t status)');

function call(name, ...args) {
  const status = f[name](...args);
  assert.equal(status, OK, `${name}: ${statusName(status)}: ${lastError().message}`);
}

function make(name, ...args) {
  const out = [null];
  call(name, ...args, out);
  return out[0];
}

// gs_error_info_t by its pinned offsets.
function lastError() {
  const bytes = Buffer.alloc(920);
  bytes.writeUInt32LE(bytes.length, 0);
  assert.equal(f.gs_last_error(bytes), OK);
  const text = (at, size) => bytes.toString('utf8', at, at + size).split('\0')[0];
  return { status: bytes.readInt32LE(4), function: text(24, 64), message: text(152, 512) };
}

function orderBetweenStreams() {
  const [first, second] = [0, 1].map(() => make('gs_stream_create', -1, 0, 0));
  const [start, end] = [0, 1].map(() => make('gs_event_create', TIMING));
  call('gs_event_record', start, first);
  call('gs_stream_sleep', first, 5_000_000);
  call('gs_event_record', end, first);
  call('gs_stream_wait_event', second, end);
  call('gs_stream_synchronize', second);
  assert.equal(make('gs_event_query', end), 1);
  assert.equal(make('gs_stream_query', first), 1);
  // The host's timer never ends early, and its clock is the one that timed events use.
  assert.ok(make('gs_event_elapsed_ms', start, end) >= 5);
  for (const event of [start, end]) call('gs_event_destroy', event);
  for (const stream of [first, second]) call('gs_stream_destroy', stream);
}

function errors() {
  const event = make('gs_event_create', 0);
  assert.equal(f.gs_event_elapsed_ms(event, event, [null]), TIMING_DISABLED);
  call('gs_event_destroy', event);
  assert.equal(f.gs_event_destroy(event), INVALID_HANDLE);
  const error = lastError();
  assert.equal(error.status, INVALID_HANDLE);
  assert.equal(error.function, 'gs_event_destroy');
  assert.ok(error.message.includes(BigInt(event).toString(16)), error.message);
  for (const handle of [0, 1, 0xdeadbeef, 2n ** 64n - 1n]) assert.equal(f.gs_stream_synchronize(handle), INVALID_HANDLE);
}

function scopes() {
  const stream = make('gs_stream_create', -1, 0, 0);
  const before = make('gs_current_stream', -1);
  const scope = make('gs_push_current_stream', stream);
  assert.equal(make('gs_current_stream', -1), stream);
  call('gs_stream_sleep', CURRENT, 1000);
  assert.equal(f.gs_pop_current_stream(BigInt(scope) + 1n), SCOPE);
  call('gs_pop_current_stream', scope);
  assert.equal(make('gs_current_stream', -1), before);
  call('gs_stream_synchronize', stream);
  call('gs_stream_destroy', stream);
}

assert.equal(make('gs_device_count', 1), 2);
for (const step of [orderBetweenStreams, errors, scopes]) {
  step();
  console.log(`${step.name}: good`);
}
