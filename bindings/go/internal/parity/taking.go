// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
)

// A taking has the inputs of one step, taken one by one, and keeps what lives as long as the call.
type taking struct {
	r       *Runner
	inputs  []any
	outputs []any
	taken   int
	given   int // outputs
	kept    []any
	counts  map[string]int
}

func (t *taking) next() (any, error) {
	if t.taken == len(t.inputs) {
		return nil, errors.New("too few arguments")
	}
	t.taken++
	return t.inputs[t.taken-1], nil
}

func (t *taking) nextValue() (value, error) {
	word, err := t.next()
	if err != nil {
		return value{}, err
	}
	return t.r.resolve(word)
}

func (t *taking) finish() error {
	if t.taken != len(t.inputs) {
		return errors.New("too many arguments")
	}
	return nil
}

func (t *taking) bytes(content []byte) *byte {
	kept := append(content, 0) // an empty list is an address too
	t.kept = append(t.kept, kept)
	return &kept[0]
}

// output makes room for one, or passes NULL where the case says so.
func (t *taking) output(pointer reflect.Type) reflect.Value {
	position := t.given
	t.given++
	if position < len(t.outputs) && t.outputs[position] == nil {
		return reflect.Zero(pointer)
	}
	made := reflect.New(pointer.Elem())
	if pointer.Elem().Kind() == reflect.Struct {
		if size := made.Elem().FieldByName("StructSize"); size.IsValid() {
			size.SetUint(uint64(pointer.Elem().Size()))
		}
	}
	return made
}

func (t *taking) input(one parameter, in reflect.Type) (reflect.Value, error) {
	argument := reflect.New(in).Elem()
	word, err := t.next()
	if err != nil {
		return argument, err
	}
	switch {
	case one.Callback != nil:
		if word != nil {
			argument.SetUint(uint64(dl.Symbol(t.r.native, word.(string))))
		}
	case one.Type == "void **":
		return reflect.ValueOf(t.kernelArguments(word)), nil
	case one.Type == "const char *":
		if word != nil {
			v, err := t.r.resolve(word)
			argument.Set(reflect.ValueOf(t.bytes([]byte(v.text))))
			return argument, err
		}
	case in.Kind() == reflect.Pointer:
		content, err := t.elements(one, in.Elem(), word)
		if err != nil || content == nil {
			return argument, err
		}
		return reflect.NewAt(in.Elem(), unsafe.Pointer(t.bytes(content))), nil
	default:
		v, err := t.r.resolve(word)
		if err != nil {
			return argument, err
		}
		bits := v.bits
		if v.kind == text { // also a path
			bits = uint64(uintptr(unsafe.Pointer(t.bytes([]byte(v.text)))))
		}
		if argument.CanInt() {
			argument.SetInt(int64(bits) << (64 - 8*in.Size()) >> (64 - 8*in.Size()))
		} else {
			argument.SetUint(bits << (64 - 8*in.Size()) >> (64 - 8*in.Size()))
		}
		t.counts[one.Name] = int(v.bits)
	}
	return argument, nil
}

// elements: a variable that holds a struct, an object with its members, a list of elements; nil for null.
func (t *taking) elements(one parameter, element reflect.Type, word any) ([]byte, error) {
	if word == nil {
		return nil, nil
	}
	words, isList := word.([]any)
	if !isList {
		words = []any{word}
	}
	content := []byte{}
	for _, word := range words {
		members, isObject := word.(map[string]any)
		var piece []byte
		var err error
		if isObject {
			piece, err = t.r.structOf(one.Struct, members)
		} else {
			var v value
			v, err = t.r.resolve(word)
			piece = v.bytes
			if one.Struct == "" {
				bits := v.bits
				piece = append(piece, unsafe.Slice((*byte)(unsafe.Pointer(&bits)), element.Size())...)
			}
		}
		if err == nil && len(piece) != int(element.Size()) {
			err = fmt.Errorf("%s is wanted", one.Type)
		}
		if err != nil {
			return nil, err
		}
		content = append(content, piece...)
	}
	return content, nil
}

// kernelArguments: [["u32", 3], ["pointer", "$p"]].
func (t *taking) kernelArguments(word any) *unsafe.Pointer {
	pairs, _ := word.([]any)
	pointers := make([]unsafe.Pointer, len(pairs)+1)
	for i, pair := range pairs {
		v, _ := t.r.resolve(pair.([]any)[1])
		bits := new(uint64)
		*bits = v.bits
		pointers[i] = unsafe.Pointer(bits)
	}
	t.kept = append(t.kept, pointers)
	return &pointers[0]
}
