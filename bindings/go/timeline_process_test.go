// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"encoding/hex"
	"errors"
	"os"
	"testing"
)

const nameEnv = "GPUSTREAM_GO_TIMELINE"

// opened is the timeline that another process has named.
func opened() (*Timeline, error) {
	handle := &IPCHandle{}
	if _, err := hex.Decode(handle.Data[:], []byte(os.Getenv(nameEnv))); err != nil {
		return nil, err
	}
	return TimelineFromIPC(1, handle)
}

func init() {
	cases["answer"] = func() error {
		timeline, err := opened()
		if err != nil {
			return err
		}
		s, err := NewStream(OnDevice(1))
		if err != nil {
			return err
		}
		return errors.Join(s.WaitTimeline(timeline, 1), s.SignalTimeline(timeline, 2), s.Synchronize(forever), s.Close(), timeline.Close())
	}
	cases["leave"] = func() error { // without Close
		_, err := opened()
		return err
	}
}

func newSharedTimeline(t *testing.T) (*Timeline, *IPCHandle) {
	t.Helper()
	timeline := must[*Timeline](t)(NewTimeline(CurrentDevice, 0, InterprocessTimeline))
	t.Cleanup(func() { ok(t, timeline.Close()) })
	return timeline, must[*IPCHandle](t)(timeline.Export())
}

func TestTimelineOfTwoProcesses(t *testing.T) {
	timeline, handle := newSharedTimeline(t)
	a, b := newTestStream(t), newTestStream(t)
	ok(t, b.WaitTimeline(timeline, 2)) // before the other process exists
	ok(t, a.SignalTimeline(timeline, 1))
	inProcess(t, "answer", nameEnv+"="+hex.EncodeToString(handle.Data[:]))
	ok(t, b.Synchronize(forever))
	if must[uint64](t)(timeline.Value()) != 2 {
		t.Error("the other process did not signal")
	}
}

func TestTimelineOfAProcessThatEnded(t *testing.T) {
	timeline, handle := newSharedTimeline(t)
	inProcess(t, "leave", nameEnv+"="+hex.EncodeToString(handle.Data[:]))
	wants(t, ErrPeerLost, timeline.Synchronize(forever, 1))
}

func TestTimelineNames(t *testing.T) {
	timeline, handle := newSharedTimeline(t)
	same := must[*Timeline](t)(TimelineFromIPC(CurrentDevice, handle))
	ok(t, same.Signal(3))
	if must[uint64](t)(timeline.Value()) != 3 {
		t.Error("it is another timeline")
	}
	ok(t, same.Close())
	_, err := same.Export()
	wants(t, ErrInvalidHandle, err)
	_, err = newTestTimeline(t, 0).Export()
	wants(t, ErrInvalidArgument, err)
	_, err = TimelineFromIPC(CurrentDevice, &IPCHandle{})
	wants(t, ErrInvalidArgument, err)
	_, err = TimelineFromIPC(CurrentDevice, nil)
	wants(t, ErrInvalidArgument, err)
	_, err = TimelineFromIPC(7, handle)
	wants(t, ErrInvalidDevice, err)
	_, err = NewTimeline(CurrentDevice, 0, 1<<30)
	wants(t, ErrInvalidArgument, err)
}
