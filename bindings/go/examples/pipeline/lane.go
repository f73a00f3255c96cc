// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"

	gs "github.com/gpustream/gpustream/bindings/go"
)

// A slot has the buffers of a chunk and the events at the ends of its stages.
type slot struct {
	offset, bytes                 int64 // of the chunk in progress
	input, result                 *gs.HostBuffer
	deviceInput, deviceResult     *gs.Buffer
	copiedIn, computed, copiedOut *gs.Event
}

// A lane is a goroutine and its streams: copy-in, kernel and copy-out overlap and are ordered by events alone.
type lane struct {
	scope   gs.Scope
	streams []*gs.Stream
	kernel  gs.Kernel
	slots   [2]slot // one chunk is read and copied in while another is computed
	next    int
}

func resultBytes(chunk int64) int { return 4 * (bins + int((chunk+sliceBytes-1)/sliceBytes)) }

// newLane makes a lane whose kernels run in the current stream of the calling goroutine.
func newLane(kernel gs.Kernel, streams int, chunk int64) (l *lane, err error) {
	l = &lane{kernel: kernel}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	for range streams {
		stream, err := gs.NewStream(gs.OnDevice(0))
		if err != nil {
			return l, err
		}
		l.streams = append(l.streams, stream)
	}
	owner := l.stream(1)
	if l.scope, err = owner.Enter(); err != nil {
		return l, err
	}
	for i := range l.slots {
		if err := l.slots[i].open(owner, chunk); err != nil {
			return l, err
		}
	}
	return l, nil
}

func (s *slot) open(owner *gs.Stream, chunk int64) error {
	var failed [7]error
	s.input, failed[0] = gs.NewHostBuffer(int(chunk))
	s.result, failed[1] = gs.NewHostBuffer(resultBytes(chunk))
	s.deviceInput, failed[2] = owner.Malloc(int(chunk))
	s.deviceResult, failed[3] = owner.Malloc(resultBytes(chunk))
	s.copiedIn, failed[4] = gs.NewEvent(gs.BlockingEvent)
	s.computed, failed[5] = gs.NewEvent()
	s.copiedOut, failed[6] = gs.NewEvent(gs.BlockingEvent)
	return errors.Join(failed[:]...)
}

func (l *lane) stream(stage int) *gs.Stream { return l.streams[stage%len(l.streams)] }

// process reads a chunk and submits its stages. It blocks only on the chunk whose buffers it reuses.
func (l *lane) process(file *os.File, offset, bytes int64, into *digest) error {
	s := &l.slots[l.next%len(l.slots)]
	l.next++
	if err := s.deliver(into); err != nil { // has waited for the slot's last use: its buffers are idle
		return err
	}
	if _, err := file.ReadAt(s.input.Bytes()[:bytes], offset); err != nil {
		return err
	}
	read, compute, write := l.stream(0), l.stream(1), l.stream(2)
	grid := gs.Launch{Grid: [3]uint32{uint32((bytes + sliceBytes - 1) / sliceBytes)}, Block: [3]uint32{threads}}
	for _, submit := range []func() error{
		func() error { return read.Copy(s.deviceInput, s.input, int(bytes)) },
		func() error { return read.Record(s.copiedIn) },
		func() error { return compute.WaitEvent(s.copiedIn) },
		func() error { return compute.Fill(s.deviceResult, 0, 4*bins) },
		func() error { return gs.Current.Launch(l.kernel, grid, s.deviceInput, uint32(bytes), s.deviceResult) },
		func() error { return compute.Record(s.computed) },
		func() error { return write.WaitEvent(s.computed) },
		func() error { return write.Copy(s.result, s.deviceResult, resultBytes(bytes)) },
		func() error { return write.Record(s.copiedOut) },
	} {
		if err := submit(); err != nil {
			return err
		}
	}
	s.offset, s.bytes = offset, bytes
	return nil
}

func (s *slot) deliver(into *digest) error {
	if s.bytes == 0 {
		return nil
	}
	if err := s.copiedOut.Synchronize(context.Background()); err != nil {
		return err
	}
	into.place(s.offset, s.bytes, s.result.Bytes()[:resultBytes(s.bytes)])
	s.bytes = 0
	return nil
}

func (l *lane) finish(into *digest) error {
	return errors.Join(l.slots[0].deliver(into), l.slots[1].deliver(into))
}

// close waits for work that is pending after a failure: its buffers are freed here.
func (l *lane) close() (err error) {
	for _, stream := range l.streams {
		err = errors.Join(err, stream.Synchronize(context.Background()))
	}
	for i := range l.slots {
		s := &l.slots[i]
		err = errors.Join(err, s.input.Close(), s.result.Close(), s.deviceInput.Close(), s.deviceResult.Close(),
			s.copiedIn.Close(), s.computed.Close(), s.copiedOut.Close())
	}
	if l.scope != (gs.Scope{}) {
		err = errors.Join(err, l.scope.Close())
	}
	for _, stream := range l.streams {
		err = errors.Join(err, stream.Close())
	}
	return err
}
