// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"fmt"
	"testing"
)

func init() {
	cases["reset"] = func() error {
		device := Device(1)
		s, err := NewStream(OnDevice(device))
		if err != nil {
			return err
		}
		if err := errors.Join(s.Sleep(1000), device.Reset()); err != nil {
			return err
		}
		_, created := NewStream(OnDevice(device))
		_, asked := s.Done()
		for _, err := range []error{created, asked, s.Sleep(1), device.Reset()} {
			if !errors.Is(err, ErrContextLost) {
				return fmt.Errorf("wrong: %v", err)
			}
		}
		if err := Device(7).Reset(); !errors.Is(err, ErrInvalidDevice) {
			return fmt.Errorf("wrong: %v", err)
		}
		other, err := NewStream(OnDevice(0)) // not reset
		if err != nil {
			return err
		}
		return errors.Join(other.Sleep(1000), other.Synchronize(forever), other.Close(), s.Close())
	}
}

func TestResetDevice(t *testing.T) { inProcess(t, "reset") }
