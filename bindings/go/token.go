// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"fmt"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// TokenSize is the number of bytes of a token.
const TokenSize = len(raw.Token{}.Data)

// A Token is a point of a stream as plain data, for this process and others on the machine: encoding/gob and others send
// it by MarshalBinary. The point is reached when the work that the stream had is done. It is leased: until one process
// has waited and the point is reached, or GPUSTREAM_TOKEN_LEASE_MS milliseconds are over and it is reached. After that
// calls return ErrInvalidHandle, and none ever means another point. So make a token for each process that is to wait.
type Token struct{ raw raw.Token }

// Token makes one of the stream's present end.
func (s *Stream) Token() (Token, error) {
	made, err := of(raw.TokenCreate, s.Handle())
	return Token{made}, err
}

// WaitToken lets later work wait for a token's point. ErrPeerLost: the process that made it ended before.
func (s *Stream) WaitToken(token Token) error {
	handle := s.Handle()
	return call(func() Status { return raw.TokenWait(handle, &token.raw) })
}

// Done reports whether the point is reached. Who sees false takes part in the lease until it waits, or sees true.
// ErrPeerLost: the process that made it ended before.
func (t Token) Done() (bool, error) {
	seen, err := get(func(out *Status) Status { return raw.TokenStatus(&t.raw, out) })
	switch {
	case err != nil:
		return false, err
	case seen == raw.Ok:
		return true, nil
	case seen == ErrNotReady:
		return false, nil
	}
	return false, bare(seen, "")
}

// MarshalBinary returns the bytes to send.
func (t Token) MarshalBinary() ([]byte, error) { return append([]byte(nil), t.raw.Data[:]...), nil }

// UnmarshalBinary takes the bytes that another process has sent. They are looked at when the token is used.
func (t *Token) UnmarshalBinary(bytes []byte) error {
	if len(bytes) != TokenSize {
		return bare(ErrInvalidArgument, fmt.Sprintf("a token has %d bytes, not %d", TokenSize, len(bytes)))
	}
	copy(t.raw.Data[:], bytes)
	return nil
}
