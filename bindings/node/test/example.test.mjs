// SPDX-License-Identifier: Apache-2.0
// The pipeline computes what the C++ one does, and detects kernels that compute another result; the guide's programs run.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { build, here, root, scratch } from './support.mjs';

const folder = scratch();
const library = path.join(build, 'libgpustream.so.0');
const kernels = path.join(build, 'bin/pipeline_kernels.so');
const lastLine = (text) => text.trim().split('\n').at(-1);

function pipeline(...args) {
  const env = { ...process.env, GPUSTREAM_BACKEND: 'host', GPUSTREAM_CHECK: 'abort' };
  return spawnSync(process.execPath, [path.join(here, '../examples/pipeline/main.mjs'), ...args], { encoding: 'utf8', env });
}

function verdict(file) {
  const line = lastLine(execFileSync(path.join(build, 'bin/pipeline'), [file, '--backend', 'host'], { encoding: 'utf8' }));
  assert.match(line, /^CRC-32 /);
  return line;
}

test('the result is that of the other program', () => {
  const expected = verdict(library);
  for (const [streams, chunk] of [['1', '65536'], ['2', '100000'], ['7', '250001'], ['6', '1073741824']]) {
    const { stdout, stderr } = pipeline(library, '--streams', streams, '--chunk', chunk, '--kernels', kernels);
    assert.equal(lastLine(stdout), expected, stderr);
  }
  for (const bytes of [1, 16383, 16385]) {
    const file = path.join(folder, 'file');
    writeFileSync(file, Uint8Array.from({ length: bytes }, (_, i) => i % 251));
    assert.equal(lastLine(pipeline(file, '--kernels', kernels).stdout), verdict(file), `${bytes} bytes`);
  }
});

test('failures have a text and a status', () => {
  const other = path.join(build, 'tests/parity/libgpustream_parity_native.so');
  for (const [wanted, ...args] of [
    ['usage'], ['no such file', '/nonexistent/file', '--kernels', kernels], ['the file is empty', '/dev/null', '--kernels', kernels],
    ['gs_module_load', library, '--kernels', '/nonexistent.so'], ['crc_and_histogram', library, '--kernels', other],
  ]) {
    const { status, stderr } = pipeline(...args);
    assert.deepEqual([status, stderr.includes(wanted)], [2, true], stderr);
  }
});

test('a wrong result is noticed', () => {
  const [source, object] = [path.join(folder, 'wrong.c'), path.join(folder, 'wrong.so')];
  writeFileSync(source, 'void crc_and_histogram(const void *context, void **arguments) { (void)context; (void)arguments; }');
  execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-o', object, source]);
  const { status, stderr } = pipeline(library, '--kernels', object);
  assert.deepEqual([status, stderr.includes('the result is wrong')], [1, true], stderr);
});

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
