// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"testing"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

func failed(t *testing.T, err error) *Error {
	t.Helper()
	var found *Error
	if !errors.As(err, &found) {
		t.Fatalf("%v is no failed call", err)
	}
	return found
}

func TestErrorsNameWhatTheCallWasGiven(t *testing.T) {
	a, b, e := newTestStream(t, OnDevice(0)), newTestStream(t, OnDevice(1)), newTestEvent(t)
	ok(t, a.Record(e))
	err := b.Record(e)
	wants(t, ErrDeviceMismatch, err)
	if found := failed(t, err); found.Stream != b.Handle() || found.Event != e.Handle() || found.Device != 1 {
		t.Errorf("stream %v, event %v, device %v", found.Stream, found.Event, found.Device)
	}
	_, err = Device(4000).Info()
	if found := failed(t, err); found.Stream != 0 || found.Event != 0 || found.Device != 4000 {
		t.Errorf("stream %v, event %v, device %v", found.Stream, found.Event, found.Device)
	}
	if found := bare(ErrTimeout, ""); found.Device != Device(raw.DeviceNone) {
		t.Errorf("device %v", found.Device)
	}
}

// The message of a failure of the driver names its function and code, that of a system call does not.
func TestErrorsNameTheNativeFunctionOnce(t *testing.T) {
	for wanted, failure := range map[string]*Error{
		"gs_event_record: cuEventRecord failed: CUDA_ERROR_UNKNOWN (999) [GS_ERROR_DRIVER]": {
			Status: ErrDriver, Function: "gs_event_record", NativeFunction: "cuEventRecord", NativeCode: 999,
			Message: "gs_event_record: cuEventRecord failed: CUDA_ERROR_UNKNOWN (999)",
		},
		"gs_init: cannot start the thread (pthread_create: 11) [GS_ERROR_SYSTEM]": {
			Status: ErrSystem, Function: "gs_init", NativeFunction: "pthread_create", NativeCode: 11, Message: "cannot start the thread",
		},
	} {
		if failure.Error() != wanted {
			t.Errorf("%s, wanted %s", failure, wanted)
		}
	}
}
