// SPDX-License-Identifier: Apache-2.0
// Calls the made-up functions through the addon: node made_up.mjs NATIVE_LIBRARY
import assert from 'node:assert/strict';
import { makeStruct, native, raw, readField } from './index.mjs';

const [library] = process.argv.slice(2);
const weight = makeStruct(raw.gs_made_weight_t, { mode: raw.GS_MADE_DOUBLED, factor: 0.5 });
const total = makeStruct(raw.gs_made_total_t);
const [event, flags, count, squares] = [new BigUint64Array(1), new Uint32Array(1), new BigUint64Array(1), new BigInt64Array(3)];
assert.equal(native.gs_made_sum(weight, BigInt64Array.of(3n, 4n, 5n), 3n, native.symbol(library, 'made_seen'), null, total, event), raw.GS_OK);
const seen = new BigInt64Array(native.memory(native.symbol(library, 'made_sum_seen'), 8));
assert.deepEqual([seen[0], readField(raw.gs_made_total_t, total, 'sum'), readField(raw.gs_made_total_t, total, 'count')], [12n, 12, 3]);
assert.equal(native.gs_made_doubled_flags(event[0], flags), raw.GS_OK);
assert.equal(flags[0], 2 * raw.GS_EVENT_TIMING);
assert.equal(native.gs_made_squares(20, squares, 3n, count), raw.GS_OK);
assert.deepEqual([squares[2], count[0]], [4n, 5n]);
assert.equal(native.gs_event_destroy(event[0]), raw.GS_OK);
assert.equal(native.gs_made_doubled_flags(event[0], flags), raw.GS_ERROR_INVALID_HANDLE);
console.log('Node: 12');
