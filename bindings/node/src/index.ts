// SPDX-License-Identifier: Apache-2.0
// What users import: CommonJS is the program, and index.mjs its face for ES modules, so that both share their state.
export * as check from './check';
export { Device } from './device';
export { type ErrorDetail, GpuStreamError } from './errors';
export { Event, type EventOptions } from './event';
export { Graph, GraphExec, type Node } from './graph';
export { getUnrecorded, init, isAvailable, isInitialized, load, onLeak, setUnrecorded, stats, trim, version } from './library';
export { DeviceBuffer, HostBuffer, Memory } from './memory';
export { type Argument, Kernel, type Launch, Module } from './module';
export { native, type Native } from './native';
export { Partition, type PartitionOptions, type PartitionStreamOptions } from './partition';
export { Pool, type PoolOptions } from './pool';
export { type Completion, CompletionQueue } from './queue';
export * as random from './random';
export { mark, Range } from './range';
export * as raw from './raw';
export { Scope } from './scope';
export { Stream, type Transfer } from './stream';
export type { PriorityLevel, StreamOptions } from './stream_options';
export { StreamPool } from './stream_pool';
export { Timeline, type TimelineOptions } from './timeline';
export { Token } from './token';
export { make as makeStruct, read as readField, readAll as readStruct } from './structs';
