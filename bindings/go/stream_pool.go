// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"runtime"
	"sync/atomic"
)

// A StreamPool is a fixed number of streams that a program's parts share on purpose: for work that is spread over a few
// streams, more often than there are streams. Any goroutine may use it at any time.
type StreamPool struct {
	streams []*Stream
	turns   atomic.Uint64
}

// NewStreamPool makes all streams of a pool, with the same options, or none. On CurrentDevice that is one device for all.
// ErrInvalidArgument: the size is below 1.
func NewStreamPool(size int, options ...StreamOption) (*StreamPool, error) {
	if size < 1 {
		return nil, bare(ErrInvalidArgument, "a pool has at least 1 stream")
	}
	// The current device is that of a thread, which the goroutine must not leave between two streams.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pool := &StreamPool{}
	for range size {
		stream, err := NewStream(options...)
		if err != nil {
			return nil, errors.Join(err, pool.Close())
		}
		pool.streams = append(pool.streams, stream)
	}
	return pool, nil
}

// At is the stream with an index, which is taken modulo Len: -1 is the last. It belongs to the pool and is closed with it.
func (p *StreamPool) At(index int) *Stream {
	if p.Len() == 0 {
		return nil
	}
	rest := index % len(p.streams)
	if rest < 0 {
		rest += len(p.streams)
	}
	return p.streams[rest]
}

// Next is the next stream in turn, which another goroutine may have, too.
func (p *StreamPool) Next() *Stream {
	if p.Len() == 0 {
		return nil
	}
	turn := p.turns.Add(1) - 1
	return p.streams[turn%uint64(len(p.streams))]
}

// Len is the number of streams.
func (p *StreamPool) Len() int {
	if p == nil {
		return 0
	}
	return len(p.streams)
}

// Streams are all of them, each once.
func (p *StreamPool) Streams() []*Stream {
	if p == nil {
		return nil
	}
	return append([]*Stream(nil), p.streams...)
}

// Close closes the streams, whose work goes on. Closing again does nothing.
func (p *StreamPool) Close() error {
	if p == nil {
		return nil
	}
	var all []error
	for _, stream := range p.streams {
		all = append(all, stream.Close())
	}
	return errors.Join(all...)
}
