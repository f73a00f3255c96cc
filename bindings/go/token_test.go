// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"bytes"
	"encoding/gob"
	"testing"
)

func TestTokensOrderStreams(t *testing.T) {
	a, b := newTestStream(t), newTestStream(t)
	gate := hold(t, a)
	token := must[Token](t)(a.Token())
	if must[bool](t)(token.Done()) {
		t.Error("the point is reached before its work")
	}
	ok(t, b.WaitToken(token))
	if must[bool](t)(b.Done()) {
		t.Error("the stream does not wait")
	}
	gate.open(t)
	ok(t, b.Synchronize(forever))
	if done, err := token.Done(); err == nil && !done { // or its lease has ended
		t.Error("the point is not reached")
	} else if err != nil {
		wants(t, ErrInvalidHandle, err)
	}
}

func TestTokensAreData(t *testing.T) {
	s := newTestStream(t)
	token := must[Token](t)(s.Token())
	var message bytes.Buffer
	ok(t, gob.NewEncoder(&message).Encode(token))
	var again Token
	ok(t, gob.NewDecoder(&message).Decode(&again))
	if again != token || token == (Token{}) {
		t.Error("another token came out")
	}
	ok(t, s.WaitToken(again))
	wants(t, ErrInvalidArgument, again.UnmarshalBinary(make([]byte, TokenSize-1)))
	wants(t, ErrInvalidArgument, again.UnmarshalBinary(nil))
	if again != token {
		t.Error("a refused call changed it")
	}
}

func TestTokensThatAreRefused(t *testing.T) {
	s, closed := newTestStream(t), must[*Stream](t)(NewStream())
	ok(t, closed.Close())
	token := must[Token](t)(s.Token())
	for _, stream := range []*Stream{nil, closed} {
		_, err := stream.Token()
		wants(t, ErrInvalidHandle, err)
		wants(t, ErrInvalidHandle, stream.WaitToken(token))
	}
	_, err := (Token{}).Done()
	wants(t, ErrInvalidArgument, err)
	wants(t, ErrInvalidArgument, s.WaitToken(Token{}))
}
