// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

// own does the runner's operations: those with a dot.
func (r *Runner) own(name string, t *taking) (outcome, error) {
	var in []value
	for range t.inputs {
		v, err := t.nextValue()
		if err != nil {
			return outcome{}, err
		}
		in = append(in, v)
	}
	native := func(function string, argument uint64) value {
		return value{bits: uint64(dl.Call(dl.Symbol(r.native, function), uintptr(argument), 0))}
	}
	var out value
	switch name {
	case "gate.new":
		out = native("parity_gate_new", 0)
	case "gate.open":
		out = native("parity_gate_open", in[0].bits)
	case "counter.new":
		out = native("parity_counter_new", 0)
	case "counter.get":
		out = native("parity_counter_get", in[0].bits)
	case "counter.function":
		out = value{bits: uint64(dl.Symbol(r.native, "parity_count"))}
	case "buffer.u32":
		words := raw.Bytes(uintptr(in[0].bits), int(in[1].bits)*4+4)
		out = value{bits: uint64(binary.NativeEndian.Uint32(words[in[1].bits*4:]))}
	case "triple.new":
		triple := binary.NativeEndian.AppendUint64(nil, in[0].bits)
		triple = binary.NativeEndian.AppendUint32(triple, uint32(in[1].bits))
		triple = binary.NativeEndian.AppendUint32(triple, uint32(in[2].bits))
		out = value{kind: structure, what: "gs_stream_triple_t", bytes: triple}
	case "ipc.new":
		out = value{kind: structure, what: "gs_ipc_handle_t", bytes: bytes.Repeat([]byte{byte(in[0].bits)}, 64)}
	default:
		return outcome{}, fmt.Errorf("no operation %s", name)
	}
	return outcome{outputs: []value{out}}, nil
}
