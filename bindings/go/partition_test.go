// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"math"
	"os"
	"testing"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

func newTestPartitions(t *testing.T, counts []int, flags ...PartitionFlag) []*Partition {
	t.Helper()
	all := must[[]*Partition](t)(NewPartitions(CurrentDevice, counts, flags...))
	t.Cleanup(func() {
		for _, p := range all {
			ok(t, p.Close())
		}
	})
	return all
}

func TestPartitionsReportWhatTheyHave(t *testing.T) {
	p := newTestPartitions(t, []int{1})[0]
	info := must[raw.PartitionSummary](t)(p.Info())
	if info.RequestedSmCount != 1 || info.SmCount != info.UnitSmCount || info.DeviceSmCount < info.SmCount || info.Streams != 0 {
		t.Errorf("%+v", info)
	}
	s := must[*Stream](t)(p.NewStream())
	if (info.Native == 0) != (os.Getenv("GPUSTREAM_BACKEND") == "host") {
		t.Errorf("%+v", info)
	}
	if info = must[raw.PartitionSummary](t)(p.Info()); info.Streams != 1 {
		t.Errorf("%d streams", info.Streams)
	}
	ok(t, s.Close())
	if info = must[raw.PartitionSummary](t)(p.Info()); info.Streams != 0 {
		t.Errorf("%d streams", info.Streams)
	}
}

func TestPartitionFlags(t *testing.T) {
	smallest := must[raw.PartitionSummary](t)(newTestPartitions(t, []int{1})[0].Info())
	newTestPartitions(t, []int{int(smallest.UnitSmCount)}, ExactPartitions, FinePartitions)
	plan := newTestPartitions(t, []int{1}, PlannedPartitions)[0]
	_, err := plan.NewStream()
	wants(t, ErrInvalidArgument, err)
	if os.Getenv("GPUSTREAM_BACKEND") != "host" || smallest.DeviceSmCount < 2 {
		return
	}
	pair := newTestPartitions(t, []int{1}, OwnQueues, Coscheduled(2), Concurrency(4))[0]
	if info := must[raw.PartitionSummary](t)(pair.Info()); info.SmCount != 2 {
		t.Errorf("%+v", info)
	}
}

func TestPartitionRefusals(t *testing.T) {
	for _, counts := range [][]int{nil, {}, {0}, {1, 0}, {-1}, {math.MinInt}, {math.MaxInt}} {
		_, err := NewPartitions(CurrentDevice, counts)
		wants(t, ErrInvalidArgument, err)
	}
	_, err := NewPartitions(CurrentDevice, []int{1}, PartitionFlag(64))
	wants(t, ErrInvalidArgument, err)
	_, err = NewPartitions(99, []int{1})
	wants(t, ErrInvalidDevice, err)
	p := newTestPartitions(t, []int{1})[0]
	for _, option := range []StreamOption{Blocking(), Shared(), OnDevice(1)} {
		_, err := p.NewStream(option)
		wants(t, ErrInvalidArgument, err)
	}
}

func TestStreamsOfPartitionsHavePriorities(t *testing.T) {
	s := must[*Stream](t)(newTestPartitions(t, []int{1})[0].NewStream(Priority(HighPriority), Dedicated()))
	_, greatest, err := CurrentDevice.PriorityRange()
	ok(t, err)
	if priority := must[int](t)(s.Priority()); priority != greatest {
		t.Errorf("the priority is %d", priority)
	}
	ok(t, s.Close())
}

func TestPartitionsEndBeforeTheirStreams(t *testing.T) {
	p, e := newTestPartitions(t, []int{1})[0], newTestEvent(t)
	s := must[*Stream](t)(p.NewStream())
	ended := &Partition{} // as if C had ended it
	ended.handle.Store(uint64(p.Handle()))
	ok(t, p.Close())
	ok(t, p.Close())
	ok(t, s.Record(e))
	ok(t, s.Synchronize(forever))
	if !must[bool](t)(e.Done()) {
		t.Error("the stream does not work on")
	}
	ok(t, s.Close())
	var none *Partition
	for _, one := range []*Partition{none, p, ended} {
		_, err := one.Info()
		wants(t, ErrInvalidHandle, err)
		_, err = one.NewStream()
		wants(t, ErrInvalidHandle, err)
	}
	ok(t, none.Close())
	wants(t, ErrInvalidHandle, ended.Close())
	if text := none.String(); text != "partition 0x0" {
		t.Error(text)
	}
}
