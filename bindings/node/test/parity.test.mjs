// SPDX-License-Identifier: Apache-2.0
// Every case of tests/parity in a process of its own, and the cases that must fail.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { build, gpustream, here, parityNative, root } from './support.mjs';

function run(file, one) {
  const env = { ...process.env, GPUSTREAM_BACKEND: 'host', GPUSTREAM_HOST_DEVICES: '2', GPUSTREAM_LIBRARY: path.join(build, 'libgpustream.so.0'), ...one.env };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(here, 'parity/run.mjs'), file, one.name, parityNative], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });
}

function casesOf(name) {
  const file = path.join(root, 'tests/parity', name);
  return { file, cases: JSON.parse(readFileSync(file, 'utf8')).cases };
}

const right = casesOf('cases.json');
test('parity', { concurrency: 2 }, async (t) => {
  assert.ok(right.cases.length > 0);
  await Promise.all(
    right.cases.map((one) =>
      t.test(one.name, async () => {
        const { code, signal, output } = await run(right.file, one);
        assert.equal(code, 0, `${signal ?? code}\n${output}`);
      }),
    ),
  );
});

// A forked child runs no JavaScript (see parity/run.mjs), so such a case would pass.
const wrong = casesOf('wrong_cases.json');
wrong.cases = wrong.cases.filter((one) => !one.steps.some((step) => step.fork));
test('cases that must fail', { concurrency: 2 }, async (t) => {
  await Promise.all(
    wrong.cases.map((one) =>
      t.test(one.name, async () => {
        const { code, output } = await run(wrong.file, one);
        assert.equal(code, 1, output);
        assert.match(output, new RegExp(one.fails_with));
      }),
    ),
  );
});

test('every function of the description is in the addon', () => {
  const described = JSON.parse(readFileSync(path.join(root, 'api/gpustream.json'), 'utf8')).functions;
  assert.deepEqual(gpustream.native.names, described.map((one) => one.name));
});
