// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

const mostElements = 4096

// An outcome is what a call gave.
type outcome struct {
	status   *raw.Status
	returned *value
	outputs  []value
}

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

// call calls a function of the raw layer by its C name.
func (r *Runner) call(name string, step map[string]any) (outcome, error) {
	inputs, _ := step["args"].([]any)
	outputs, _ := step["out"].([]any)
	t := &taking{r: r, inputs: inputs, outputs: outputs, counts: map[string]int{}}
	if strings.Contains(name, ".") {
		return r.own(name, t)
	}
	described, ok := r.functions[name]
	if !ok {
		return outcome{}, fmt.Errorf("no operation %s", name)
	}
	fn := reflect.ValueOf(functions[name])
	arguments := make([]reflect.Value, fn.Type().NumIn())
	var arrays []int
	for i, one := range described.Parameters {
		var err error
		switch {
		case one.Direction != "in" && one.Count != "" && one.Type != "void *":
			t.given++
			arrays = append(arrays, i)
		case one.Direction != "in":
			arguments[i] = t.output(fn.Type().In(i))
		default:
			arguments[i], err = t.input(one, fn.Type().In(i))
		}
		if err != nil {
			return outcome{}, err
		}
	}
	if err := t.finish(); err != nil {
		return outcome{}, err
	}
	// Arrays that come out have as many elements as another argument says, and one more.
	slices := map[int]reflect.Value{}
	for _, i := range arrays {
		in := fn.Type().In(i)
		count := min(t.counts[described.Parameters[i].Count], mostElements)
		slices[i] = reflect.MakeSlice(reflect.SliceOf(in.Elem()), count+1, count+1)
		arguments[i] = slices[i].Index(0).Addr()
		if position := t.outputPosition(described, i); position < len(outputs) && outputs[position] == nil {
			arguments[i] = reflect.Zero(in)
			slices[i] = slices[i].Slice(0, 1)
		}
	}
	result := fn.Call(arguments)[0]
	runtime.KeepAlive(t)
	return r.gather(described, result, arguments, slices), nil
}

func (t *taking) outputPosition(described function, index int) int {
	position := 0
	for _, one := range described.Parameters[:index] {
		if one.Direction != "in" {
			position++
		}
	}
	return position
}

func (r *Runner) gather(described function, result reflect.Value, arguments []reflect.Value, slices map[int]reflect.Value) outcome {
	var o outcome
	if status, ok := result.Interface().(raw.Status); ok && described.Result == "gs_status_t" {
		o.status = &status
	} else {
		returned := r.valueOf(result, "")
		o.returned = &returned
	}
	for i, one := range described.Parameters {
		if one.Direction == "in" {
			continue
		}
		if slice, ok := slices[i]; ok {
			found := value{kind: list}
			for k := 0; k+1 < slice.Len(); k++ {
				found.items = append(found.items, r.valueOf(slice.Index(k), one.Struct))
			}
			o.outputs = append(o.outputs, found)
		} else if arguments[i].IsNil() {
			o.outputs = append(o.outputs, value{})
		} else {
			o.outputs = append(o.outputs, r.valueOf(arguments[i].Elem(), one.Struct))
		}
	}
	return o
}

func (r *Runner) valueOf(v reflect.Value, structName string) value {
	switch v.Kind() {
	case reflect.String:
		return value{kind: text, text: v.String()}
	case reflect.Pointer: // const char *
		return value{kind: text, text: raw.Text((*byte)(v.UnsafePointer()))}
	case reflect.Float64:
		return value{kind: real, real: v.Float()}
	case reflect.Struct:
		copied := make([]byte, v.Type().Size())
		copy(copied, unsafe.Slice((*byte)(v.Addr().UnsafePointer()), len(copied)))
		return value{kind: structure, bytes: copied, what: structName}
	case reflect.Int32, reflect.Int64, reflect.Int:
		return value{bits: uint64(v.Int())}
	}
	return value{bits: v.Uint()}
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
		if isObject && one.Struct == "gs_launch_config_t" {
			members = launchMembers(members)
		}
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

func launchMembers(from map[string]any) map[string]any {
	members := map[string]any{}
	for name, word := range from {
		if name != "grid" && name != "block" && name != "shared" {
			members[name] = word
		}
	}
	for _, name := range []string{"grid", "block"} {
		sizes, _ := from[name].([]any)
		for i, size := range sizes {
			members[name+"_"+"xyz"[i:i+1]] = size
		}
	}
	if shared, ok := from["shared"]; ok {
		members["shared_memory_bytes"] = shared
	}
	return members
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
