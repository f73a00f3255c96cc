// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { gpustream, refuses } from './support.mjs';

const { mark, native, Range } = gpustream;

test('ranges last over an await, in any order', async () => {
  const [outer, inner] = [new Range('outer'), new Range('inner')];
  mark('a moment');
  outer.close();
  await new Promise((resolve) => setImmediate(resolve));
  inner.close();
  inner.close();
  inner[Symbol.dispose]();
  assert.notEqual(native.gs_range_end(0n), 0, 'there is no such range');
});

test('a name is a text', () => {
  refuses('GS_ERROR_INVALID_ARGUMENT', () => new Range(null));
  refuses('GS_ERROR_INVALID_ARGUMENT', () => mark(null));
  assert.throws(() => new Range(7), TypeError);
});
