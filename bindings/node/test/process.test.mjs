// SPDX-License-Identifier: Apache-2.0
// Without the library, with another one, and at the end of a process.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { program, scratch } from './support.mjs';

const report = `
  import gs from '../index.mjs';
  const of = (fn) => { try { fn(); return 'ok'; } catch (error) { return error.code + ' ' + error.reason + ' ' + error.message; } };`;

test('there is no library', () => {
  const env = { GPUSTREAM_LIBRARY: '/nonexistent/libgpustream.so.0' };
  const printed = program(`${report}
    for (const fn of [() => new gs.Stream(), () => new gs.Event(), gs.init, () => gs.Stream.CURRENT.sleep(1), () => gs.load('/nonexistent/too.so')]) console.log(of(fn));
    console.log(JSON.stringify(gs.version()));`, { env });
  const lines = printed.trim().split('\n');
  assert.equal(lines.length, 6);
  for (const line of lines.slice(0, 4)) assert.match(line, /^GS_ERROR_UNAVAILABLE 1 .*\/nonexistent\/libgpustream\.so\.0.*GPUSTREAM_LIBRARY/);
  assert.match(lines[4], /too\.so/);
  assert.equal(lines[5], '""');
});

for (const [name, source, wanted] of [
  ['another ABI', 'unsigned gs_abi_version(void) { return 99; }', /^GS_ERROR_NOT_SUPPORTED 0 .*ABI version is 99/],
  ['another library', 'int nothing;', /^GS_ERROR_UNAVAILABLE 1 .*not libgpustream/],
  ['an older library', 'unsigned gs_abi_version(void) { return 1; }', /^GS_ERROR_UNAVAILABLE 4 .*lacks gs_event_create/],
]) {
  test(name, () => {
    const folder = scratch();
    const [file, library] = [path.join(folder, 'one.c'), path.join(folder, 'libgpustream.so.0')];
    writeFileSync(file, source);
    execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-o', library, file]);
    assert.match(program(`${report} console.log(of(() => new gs.Event()));`, { env: { GPUSTREAM_LIBRARY: library } }), wanted);
  });
}

// The calls whose handles and outputs are in common memory report as the others do.
const hot = `
  const [s, e] = [gs.Stream.fromHandle(1n), gs.Event.fromHandle(2n)];
  for (const fn of [() => s.record(e), () => e.record(s), () => s.waitEvent(e), () => s.query(), () => e.query()]) console.log(of(fn));`;

test('the hottest calls without the library, and with an older one', () => {
  const none = program(report + hot, { env: { GPUSTREAM_LIBRARY: '/nonexistent/libgpustream.so.0' } }).trim().split('\n');
  assert.equal(none.length, 5);
  for (const line of none) assert.match(line, /^GS_ERROR_UNAVAILABLE 1 .*\/nonexistent/);
  const folder = scratch();
  const [file, library] = [path.join(folder, 'one.c'), path.join(folder, 'libgpustream.so.0')];
  writeFileSync(file, 'unsigned gs_abi_version(void) { return 1; }');
  execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-o', library, file]);
  const older = program(report + hot, { env: { GPUSTREAM_LIBRARY: library } }).trim().split('\n');
  const lacking = ['gs_event_record', 'gs_event_record', 'gs_stream_wait_event', 'gs_stream_query', 'gs_event_query'];
  assert.deepEqual(older.map((line) => /^GS_ERROR_UNAVAILABLE 4 .*lacks (\w+)/.exec(line)?.[1]), lacking);
});

test('the hottest calls name what they were given', () => {
  const printed = program(`import gs from '../index.mjs';
    const [s, e] = [new gs.Stream(), new gs.Event()];
    const [a, b] = [s.handle, e.handle];
    s.close(); e.close();
    const [dead, gone, live] = [gs.Stream.fromHandle(a), gs.Event.fromHandle(b), new gs.Event()];
    for (const fn of [() => dead.record(live), () => live.record(dead), () => dead.waitEvent(live), () => dead.query(), () => gone.query()]) {
      try { fn(); } catch (error) { console.log(error.code, error.function, error.stream === a, error.event === b); }
    }`);
  assert.equal(printed, [
    'GS_ERROR_INVALID_HANDLE gs_event_record true false', 'GS_ERROR_INVALID_HANDLE gs_event_record true false',
    'GS_ERROR_INVALID_HANDLE gs_stream_wait_event true false', 'GS_ERROR_INVALID_HANDLE gs_stream_query true false',
    'GS_ERROR_INVALID_HANDLE gs_event_query false true', ''].join('\n'));
});

test('a second library is refused', () => {
  const printed = program(`${report} console.log(of(() => gs.load(process.env.GPUSTREAM_LIBRARY)), of(() => gs.load('/nonexistent/another.so')));`);
  assert.match(printed, /^ok GS_ERROR_NOT_PERMITTED/);
});

test('a process ends with work pending', () => {
  assert.equal(program(`${report} const s = new gs.Stream(); s.sleep(1n << 40n); s.finished(); console.log('end'); process.exit(0);`).trim(), 'end');
});
