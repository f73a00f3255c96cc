// SPDX-License-Identifier: Apache-2.0
// Prints what calls cost from JavaScript beside the same calls in a loop of C, in rounds that alternate between them:
// nanoseconds for each, the medians of the rounds; the median of the rounds' differences, which a busy machine disturbs least
// because the parts of a round are a fraction of a millisecond apart; and what the fastest rounds of both differ by.
//   bench/languages/run node, which compiles the loops of C (GPUSTREAM_BENCH_LOOPS)
import { Device, Event, init, native, Stream } from '../index.mjs';

const [CALLS, ROUNDS] = [1000, 801];
init();

/** A loop of C: of bench/languages/loops.c. */
function inC(name, ...handles) {
  const run = native.symbol(process.env.GPUSTREAM_BENCH_LOOPS, name);
  return (count) => {
    if (BigInt.asIntN(32, native.invoke(run, BigInt(count), ...handles)) !== 0n) throw new Error(`${name} failed`);
  };
}

const repeat = (fn) => (count) => {
  for (let i = 0; i < count; ++i) fn();
};

const [a, b, e] = [new Stream(), new Stream(), new Event()];
a.record(e);
const output = new BigUint64Array(1); // read at the end: the garbage collector must not find it before
const address = native.addressOf(output);
const [ah, bh, eh] = [a.handle, b.handle, e.handle];
const rows = [
  ['record', inC('loop_record', ah, eh), repeat(() => native.gs_event_record(eh, ah)), repeat(() => a.record(e))],
  ['wait', inC('loop_wait', bh, eh), repeat(() => native.gs_stream_wait_event(bh, eh)), repeat(() => b.waitEvent(e))],
  ['query', inC('loop_query', eh), repeat(() => native.gs_event_query(eh, address)), repeat(() => e.query())],
  ['scope', inC('loop_scope', ah), null, repeat(() => a.enter().close())],
  ['event create, close', inC('loop_event'), null, repeat(() => new Event().close())],
  ['stream create, close', inC('loop_stream'), null, repeat(() => new Stream().close())],
];

function measure(fn) {
  fn(CALLS / 10);
  const start = process.hrtime.bigint();
  fn(CALLS);
  return Number(process.hrtime.bigint() - start) / CALLS;
}

const median = (all) => all.sort((x, y) => x - y)[Math.floor(all.length / 2)];
const cells = (...texts) => texts.map((text) => text.padStart(10)).join('');
console.log(`${new Device(0).info().name}, Node ${process.versions.node}\n`);
console.log('ns per call'.padEnd(22) + cells('C', 'native', 'typed', 'typed - C', 'fastest'));
for (const [name, ...forms] of rows) {
  const times = forms.map(() => []);
  for (let round = 0; round < ROUNDS; ++round) {
    // C goes first in every other round, and the last form in the others.
    const order = round % 2 ? [2, 0, 1] : [0, 2, 1];
    for (const i of order) if (forms[i]) times[i].push(measure(forms[i]));
    a.synchronize();
    b.synchronize();
  }
  const over = median(times[2].map((ns, round) => ns - times[0][round]));
  const fastest = Math.min(...times[2]) - Math.min(...times[0]);
  const [c, low, typed] = times.map((all) => (all.length ? median(all) : NaN));
  const text = (n) => (Number.isNaN(n) ? '-' : n.toFixed(1));
  console.log(name.padEnd(22) + cells(text(c), text(low), text(typed), text(over), text(fastest)));
}
if (output[0] !== 1n) throw new Error('the last query found the event not done');
