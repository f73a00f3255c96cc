// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"testing"
	"time"
)

func TestRecordOnce(t *testing.T) {
	s, e := newTestStream(t), newTestEvent(t)
	if !must[bool](t)(e.RecordOnce(s)) || must[bool](t)(e.RecordOnce(s)) {
		t.Error("it was not recorded once")
	}
	if must[bool](t)(e.RecordOnce(nil)) {
		t.Error("it was recorded in no stream")
	}
	_, err := newTestEvent(t).RecordOnce(nil)
	wants(t, ErrInvalidHandle, err)
	var none *Event
	_, err = none.RecordOnce(s)
	wants(t, ErrInvalidHandle, err)
}

func TestTimesByTheHostsClock(t *testing.T) {
	s, start, end := newTestStream(t), newTestEvent(t, Timing), newTestEvent(t, Timing)
	_, err := end.Since(start)
	wants(t, ErrNotRecorded, err)
	earliest := time.Now()
	ok(t, s.Record(start))
	ok(t, s.Sleep(1_000_000))
	ok(t, s.Record(end))
	ok(t, s.Synchronize(forever))
	if must[time.Duration](t)(CurrentDevice.Calibrate()) < 0 {
		t.Error("exact to less than nothing")
	}
	latest := time.Now()
	between := must[time.Duration](t)(end.Since(start))
	first, around, err := start.Time()
	ok(t, err)
	last, about, err := end.Time()
	ok(t, err)
	if within := around + about; (last.Sub(first) - between).Abs() > within {
		t.Errorf("%v between %v and %v, but %v in between, give or take %v", last.Sub(first), first, last, between, within)
	}
	if first.Add(around).Before(earliest) || last.Add(-about).After(latest) {
		t.Errorf("%v and %v, not between %v and %v", first, last, earliest, latest)
	}
	_, _, err = newTestEvent(t).Time()
	wants(t, ErrTimingDisabled, err)
	_, err = Device(7).Calibrate()
	wants(t, ErrInvalidDevice, err)
}
