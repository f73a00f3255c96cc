// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

const mostElements = 4096

// An outcome is what a call gave.
type outcome struct {
	status   *raw.Status
	returned *value
	outputs  []value
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
