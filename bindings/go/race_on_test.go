// SPDX-License-Identifier: Apache-2.0

//go:build race

package gpustream

// The race detector makes a pool forget what is put into it now and then.
const raceEnabled = true
