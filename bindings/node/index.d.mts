// SPDX-License-Identifier: Apache-2.0
import gpustream = require('./build/dist/index.js');
export * from './build/dist/index.js';
export default gpustream;
