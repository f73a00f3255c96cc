// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"fmt"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Pool is memory of a device with a limit and statistics. What was allocated from it outlives it.
type Pool struct{ handle owned }

// PoolOptions say how a pool is made. The zero value is a pool of device memory without a limit.
type PoolOptions struct {
	// Flags are raw.PoolHost, raw.PoolPeers and raw.PoolPoison.
	Flags uint32
	// Limit is what the pool takes from the driver at most, in bytes; 0 is no limit.
	Limit uint64
	// Keep is what the driver keeps of freed memory when something is synchronized, in bytes; 0 is all of it.
	Keep uint64
}

// NewPool makes a pool on a device.
func NewPool(device Device, options PoolOptions) (*Pool, error) {
	return newPool(get(func(out *raw.Pool) Status {
		wanted := &raw.PoolOptions{Flags: options.Flags, LimitBytes: options.Limit, KeepBytes: options.Keep}
		wanted.StructSize = uint32(unsafe.Sizeof(*wanted))
		return raw.PoolCreate(raw.Device(device), wanted, out)
	}))
}

// DefaultPool is the pool of a device that Stream.Malloc uses, unless the thread has another one current. Close has no
// effect on a default pool.
func DefaultPool(device Device) (*Pool, error) {
	handle, err := of(raw.PoolDefault, raw.Device(device))
	if err != nil {
		return nil, err
	}
	p := &Pool{} // is always there, so that a forgotten one is no leak
	p.handle.Store(uint64(handle))
	return p, nil
}

// CurrentPool is the pool that Stream.Malloc uses on the thread that runs the calling goroutine.
func CurrentPool(device Device) (*Pool, error) {
	return newPool(get(func(out *raw.Pool) Status {
		// The thread keeps a borrowed pool only until it has another one, so both calls are made on it.
		if status := raw.CurrentPool(raw.Device(device), out); status != raw.Ok {
			return status
		}
		return raw.PoolRetain(*out)
	}))
}

func newPool(handle raw.Pool, err error) (*Pool, error) {
	o, err := own("pool", uint64(handle), err)
	return (*Pool)(o), err
}

// Handle is the handle of the C interface; 0 if the pool is nil or closed.
func (p *Pool) Handle() raw.Pool { return raw.Pool((*object)(p).load()) }

// Close gives the pool back.
func (p *Pool) Close() error { return closed((*object)(p), raw.PoolDestroy) }

// Clone is another owner of the pool.
func (p *Pool) Clone() (*Pool, error) {
	handle := p.Handle()
	return newPool(handle, call(func() Status { return raw.PoolRetain(handle) }))
}

// Malloc allocates memory of the pool that the stream's later work may use, and that of others after a wait.
// ErrOutOfMemory: also if the pool's limit would be exceeded.
func (p *Pool) Malloc(stream *Stream, bytes int) (*Buffer, error) {
	return stream.allocate(bytes, func(on raw.Stream, out *uintptr) Status {
		return raw.PoolMalloc(p.Handle(), uintptr(bytes), on, out)
	})
}

// Stats are what the pool has and has had.
func (p *Pool) Stats() (raw.PoolStats, error) {
	return sized(raw.PoolGetStats, p.Handle())
}

// ResetPeak lowers the peaks of the statistics to what the pool has now.
func (p *Pool) ResetPeak() error { return call(func() Status { return raw.PoolResetPeak(p.Handle()) }) }

// Trim returns what is freed to the driver, but for so many bytes.
func (p *Pool) Trim(keep uint64) error {
	return call(func() Status { return raw.PoolTrim(p.Handle(), keep) })
}

// SetLimit limits what the pool takes from the driver, in bytes; 0 is no limit. What is allocated is not affected.
func (p *Pool) SetLimit(bytes uint64) error {
	return call(func() Status { return raw.PoolSetLimit(p.Handle(), bytes) })
}

func (p *Pool) String() string { return fmt.Sprintf("pool %#x", uint64(p.Handle())) }
