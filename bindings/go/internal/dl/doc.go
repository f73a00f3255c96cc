// SPDX-License-Identifier: Apache-2.0

// Package dl opens shared libraries: through cgo, or through purego in programs without cgo.
package dl
