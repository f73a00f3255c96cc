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
		if err := s.Sleep(1); !errors.Is(err, ErrContextLost) {
			return fmt.Errorf("wrong: %v", err)
		}
		return s.Close()
	}
}

func TestResetDevice(t *testing.T) { inProcess(t, "reset") }
