// SPDX-License-Identifier: Apache-2.0
// The guide's programs run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { here, root } from './support.mjs';

const lastLine = (text) => text.trim().split('\n').at(-1);

test('the programs of the guide run', () => {
  const programs = [...readFileSync(path.join(root, 'docs/guide/node.md'), 'utf8').matchAll(/```(js|ts|cjs)\n(.*?)```/gs)];
  assert.ok(programs.length >= 2);
  for (const [, kind, text] of programs) {
    // In a folder where the package is found by its name, and its types too.
    const file = path.join(here, `../build/guide.${kind === 'cjs' ? 'cjs' : kind === 'js' ? 'mjs' : 'mts'}`);
    writeFileSync(file, text);
    if (kind === 'ts') {
      const tsc = path.join(here, '../node_modules/typescript/bin/tsc');
      const flags = ['--strict', '--target', 'es2022', '--lib', 'es2022,esnext.disposable', '--module', 'node16', '--types', 'node', file];
      const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags], { encoding: 'utf8' });
      assert.equal(status, 0, stdout);
    }
    const done = spawnSync(process.execPath, [file.replace(/mts$/, 'mjs')], { encoding: 'utf8', env: { ...process.env, GPUSTREAM_BACKEND: 'host' } });
    assert.deepEqual([done.status, lastLine(done.stdout)], [0, 'done: true'], done.stderr);
    rmSync(file);
  }
});
