// SPDX-License-Identifier: Apache-2.0
// The package for ES modules. It is the CommonJS one, so that both share their state.
import gpustream from './build/dist/index.js';

export const {
  CompletionQueue, Device, DeviceBuffer, Event, GpuStreamError, Graph, GraphExec, HostBuffer, Kernel, Memory, Module, Partition, Pool, Range, Scope,
  Stream, StreamPool, Timeline, Token, check, getUnrecorded, init, isAvailable, isInitialized, load, makeStruct, mark, native, onLeak, random, raw,
  readField, readStruct, setUnrecorded, stats, trim, version,
} = gpustream;
export default gpustream;
