// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"sync"
)

// Polynomials are in CRC-32's bit order: bit 31 is the coefficient of x^0. A raw CRC starts with 0 and is not inverted at
// the end; then the CRC of a concatenation is a sum of shifted CRCs.
const (
	polynomial = 0xedb88320
	one        = 0x80000000
	oneByte    = 0x00800000 // x^8
)

// Layout shared with the kernel: bytes per block of the grid, counters in front of the slices' CRCs.
const (
	sliceBytes = 16384
	bins       = 256
	threads    = 128
)

func timesX(a uint32) uint32 {
	if a&1 == 0 {
		return a >> 1
	}
	return a>>1 ^ polynomial
}

// table has the contribution of a byte to an empty register.
var table = func() (table [256]uint32) {
	for b := range table {
		value := uint32(b)
		for range 8 {
			value = timesX(value)
		}
		table[b] = value
	}
	return table
}()

func multiply(a, b uint32) (product uint32) {
	for shift := 31; shift >= 0; shift-- {
		if a>>shift&1 == 1 {
			product ^= b
		}
		b = timesX(b)
	}
	return product
}

// powerOfBytes is x^(8 * bytes): the factor that this many further bytes multiply a raw CRC by.
func powerOfBytes(bytes int64) uint32 {
	result, square := uint32(one), uint32(oneByte)
	for ; bytes != 0; bytes >>= 1 {
		if bytes&1 == 1 {
			result = multiply(result, square)
		}
		square = multiply(square, square)
	}
	return result
}

// A digest is the CRC-32 and the histogram of a range of bytes, combined from chunks in any order.
type digest struct {
	sync.Mutex
	raw       uint32
	bytes     int64
	histogram [bins]uint64
}

// update appends bytes.
func (d *digest) update(data []byte) {
	for _, b := range data {
		d.raw = d.raw>>8 ^ table[byte(d.raw)^b]
		d.histogram[b]++
	}
	d.bytes += int64(len(data))
}

// place adds a chunk's result, as the kernel wrote it, at its offset in the range.
func (d *digest) place(offset, bytes int64, result []byte) {
	word := func(i int64) uint32 { return binary.NativeEndian.Uint32(result[4*i:]) }
	raw := uint32(0)
	for i := int64(0); i*sliceBytes < bytes; i++ {
		raw = multiply(raw, powerOfBytes(min(bytes-i*sliceBytes, sliceBytes))) ^ word(bins+i)
	}
	d.Lock()
	defer d.Unlock()
	// The range is the sum of its chunks, each padded with zeros.
	d.raw ^= multiply(raw, powerOfBytes(d.bytes-offset-bytes))
	for bin := range d.histogram {
		d.histogram[bin] += uint64(word(int64(bin)))
	}
}

// crc32 is the usual CRC, which starts with all ones and is inverted at the end.
func (d *digest) crc32() uint32 {
	return d.raw ^ multiply(0xffffffff, powerOfBytes(d.bytes)) ^ 0xffffffff
}

func (d *digest) equal(other *digest) bool {
	return d.raw == other.raw && d.bytes == other.bytes && d.histogram == other.histogram
}
