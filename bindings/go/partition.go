// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Partition is a part of a device's multiprocessors. Work in its streams runs there and nowhere else; on the host backend
// they have so many worker threads.
type Partition struct{ handle owned }

// A PartitionFlag changes what NewPartitions makes.
type PartitionFlag uint32

const (
	// ExactPartitions refuses a number that is no multiple of the device's unit, instead of rounding it up.
	ExactPartitions = PartitionFlag(raw.PartitionExact)
	// FinePartitions asks for the driver's smallest units, which gives up what neighbouring multiprocessors do together.
	FinePartitions = PartitionFlag(raw.PartitionFine)
	// PlannedPartitions is a dry run: Info reports what each would have. None has streams or takes resources.
	PlannedPartitions = PartitionFlag(raw.PartitionPlan)
	// OwnQueues asks for work queues that no other such partition uses, where there are enough (CUDA 13.1).
	OwnQueues = PartitionFlag(raw.PartitionQueues)
)

// Coscheduled makes partitions of groups of so many multiprocessors that run together, 1 to 255 (CUDA 13.1).
func Coscheduled(multiprocessors uint8) PartitionFlag {
	return PartitionFlag(multiprocessors) * PartitionFlag(raw.PartitionCoscheduled)
}

// Concurrency tells the driver how many streams of a partition will work at a time, 1 to 32767 (CUDA 13.1).
func Concurrency(streams uint16) PartitionFlag {
	return PartitionFlag(streams) * PartitionFlag(raw.PartitionConcurrency)
}

// NewPartitions makes partitions of a device that share no multiprocessor, one for each number of multiprocessors, in that
// order. After an error there are none. ErrInvalidArgument: they do not fit, and the message says what would.
// ErrNotSupported: the driver is older than CUDA 12.5, or cannot divide the device.
func NewPartitions(device Device, counts []int, flags ...PartitionFlag) ([]*Partition, error) {
	wanted := make([]uint32, len(counts))
	for i, count := range counts {
		if uint64(count) > math.MaxUint32 { // or below 0
			return nil, bare(ErrInvalidArgument, fmt.Sprintf("counts[%d] is %d", i, count))
		}
		wanted[i] = uint32(count)
	}
	handles := make([]raw.Partition, len(counts))
	if err := call(func() Status {
		return raw.PartitionCreate(raw.Device(device), unsafe.SliceData(wanted), uintptr(len(wanted)), union(flags),
			unsafe.SliceData(handles))
	}); err != nil {
		return nil, err
	}
	made := make([]*Partition, len(handles))
	for i, handle := range handles {
		one, _ := own("partition", uint64(handle), nil)
		made[i] = (*Partition)(one)
	}
	return made, nil
}

// Handle is the handle of the C interface; 0 if the partition is nil or closed.
func (p *Partition) Handle() raw.Partition { return raw.Partition((*object)(p).load()) }

// Close ends the partition. Its streams work on, and what they run on lasts as long as they do.
func (p *Partition) Close() error { return closed((*object)(p), raw.PartitionDestroy) }

// Info is what the partition really has, and how many streams it has now.
func (p *Partition) Info() (raw.PartitionSummary, error) {
	return sized(raw.PartitionInfo, p.Handle())
}

// NewStream makes a stream whose work runs on the partition's multiprocessors only. The options that it may have are Priority
// and Dedicated; it is on the partition's device.
func (p *Partition) NewStream(options ...StreamOption) (*Stream, error) {
	o := streamOptions{device: CurrentDevice}
	for _, option := range options {
		option(&o)
	}
	if o.device != CurrentDevice {
		return nil, bare(ErrInvalidArgument, "a stream of a partition is on the partition's device")
	}
	return newStream(get(func(out *raw.Stream) Status {
		return raw.StreamCreateIn(p.Handle(), o.inRange(), o.flags, out)
	}))
}

func (p *Partition) String() string { return fmt.Sprintf("partition %#x", uint64(p.Handle())) }
