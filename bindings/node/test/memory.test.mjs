// SPDX-License-Identifier: Apache-2.0
// Record, wait and query allocate nothing on V8's heap, garbage included.
import assert from 'node:assert/strict';
import test from 'node:test';
import { program } from './support.mjs';

// How often the garbage collector runs in 500,000 calls, when a megabyte is enough to start it, and what they leave.
const measure = `
  import v8 from 'node:v8';
  import gs from '../index.mjs';
  const [a, b, e] = [new gs.Stream(), new gs.Stream(), new gs.Event()];
  let kept;
  const forms = {
    record: () => a.record(e),
    recordByEvent: () => e.record(a),
    wait: () => b.waitEvent(e),
    query: () => e.query(),
    queryStream: () => b.query(),
    bigint: () => { kept = e.native; },
  };
  const repeat = (form, n) => { for (let i = 0; i < n; ++i) form(); a.synchronize(); b.synchronize(); };
  const found = {};
  for (const [name, form] of Object.entries(forms)) {
    repeat(form, 100_000); // until it is compiled
    gc();
    const before = process.memoryUsage();
    const profiler = new v8.GCProfiler();
    profiler.start();
    repeat(form, 500_000);
    const collections = profiler.stop().statistics.length;
    gc();
    const after = process.memoryUsage();
    const growth = Object.fromEntries(['heapUsed', 'external', 'arrayBuffers'].map((kind) => [kind, after[kind] - before[kind]]));
    found[name] = { collections, growth };
  }
  console.log(JSON.stringify(found));`;

test('record, wait and query allocate nothing', () => {
  const { bigint, ...calls } = JSON.parse(program(measure, { args: ['--expose-gc', '--max-semi-space-size=1'] }));
  // A handle that is returned is an object of 24 bytes: this is how an allocation looks.
  assert.ok(bigint.collections >= 5, `calls that allocate made the collector run ${bigint.collections} times`);
  for (const [name, { collections, growth }] of Object.entries(calls)) {
    // One would be 2 bytes a call: other parts of V8 allocate now and then.
    assert.ok(collections <= 1, `${name}: the collector ran ${collections} times`);
    for (const [kind, bytes] of Object.entries(growth)) assert.ok(bytes < 1_000_000, `${name}: ${kind} grew by ${bytes} bytes`);
  }
});
