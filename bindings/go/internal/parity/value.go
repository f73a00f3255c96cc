// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A value is what goes into a call or comes out of it.
type value struct {
	kind  kind
	bits  uint64
	real  float64
	text  string
	bytes []byte // of a struct
	what  string // its name
	items []value
}

type kind int

const (
	integer kind = iota
	real
	text
	structure
	list
)

func (v value) String() string {
	switch v.kind {
	case real:
		return fmt.Sprint(v.real)
	case text:
		return "'" + v.text + "'"
	case structure:
		return "a struct"
	case list:
		return fmt.Sprintf("a list of %d", len(v.items))
	}
	return strconv.FormatInt(int64(v.bits), 10)
}

func (v value) number() float64 {
	if v.kind == real {
		return v.real
	}
	return float64(int64(v.bits))
}

func same(a, b value) bool {
	switch {
	case a.kind == text || b.kind == text:
		return a.kind == b.kind && a.text == b.text
	case a.kind == structure || b.kind == structure:
		return bytes.Equal(a.bytes, b.bytes)
	case a.kind == real || b.kind == real:
		return a.number() == b.number()
	}
	return a.bits == b.bits
}

// resolve is the value of a JSON word: a number, a variable, a constant or a text.
func (r *Runner) resolve(word any) (value, error) {
	switch word := word.(type) {
	case nil:
		return value{}, nil
	case json.Number:
		if n, err := strconv.ParseInt(string(word), 10, 64); err == nil {
			return value{bits: uint64(n)}, nil
		}
		f, err := word.Float64()
		return value{kind: real, real: f}, err
	case string:
		if name, found := strings.CutPrefix(word, "$"); found {
			if v, ok := r.names[name]; ok {
				return v, nil
			}
			return value{}, fmt.Errorf("no variable %s", name)
		}
		if v, ok := r.constants[word]; ok {
			return v, nil
		}
		if n, err := strconv.ParseUint(word, 0, 64); err == nil && strings.HasPrefix(word, "0x") {
			return value{bits: n}, nil
		}
		return value{kind: text, text: word}, nil
	}
	return value{}, fmt.Errorf("%v is no value", word)
}

// expected: where a text was found, a text is meant, even if a constant has that name.
func (r *Runner) expected(word any, found value) (value, error) {
	if s, ok := word.(string); ok && found.kind == text && !strings.HasPrefix(s, "$") {
		return value{kind: text, text: s}, nil
	}
	return r.resolve(word)
}

func wrong(what string, found value, wanted string) error {
	return fmt.Errorf("%s is %v, wanted %s", what, found, wanted)
}

// check compares what came out with what a case expects.
func (r *Runner) check(wanted any, found value, what string) error {
	switch rules := wanted.(type) {
	case map[string]any:
		for rule, operand := range rules {
			if err := r.checkRule(rule, operand, found, what); err != nil {
				return err
			}
		}
		return nil
	case []any:
		if len(rules) > len(found.items) {
			return wrong(what, found, fmt.Sprintf("%d elements", len(rules)))
		}
		for i, one := range rules {
			if err := r.check(one, found.items[i], fmt.Sprintf("%s[%d]", what, i)); err != nil {
				return err
			}
		}
		return nil
	}
	expected, err := r.expected(wanted, found)
	if err == nil && !same(found, expected) {
		err = wrong(what, found, expected.String())
	}
	return err
}

func (r *Runner) checkRule(rule string, operand any, found value, what string) error {
	if rule == "contains" {
		if found.kind != text || !strings.Contains(found.text, operand.(string)) {
			return wrong(what, found, fmt.Sprintf("a text with '%v'", operand))
		}
		return nil
	}
	if rule == "fields" {
		for name, inner := range operand.(map[string]any) {
			field, err := r.field(found, name)
			if err == nil {
				err = r.check(inner, field, what+"."+name)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	limit, err := r.expected(operand, found)
	if err != nil {
		return err
	}
	switch {
	case rule == "not" && same(found, limit):
		return wrong(what, found, "anything else")
	case rule == "min" && found.number() < limit.number():
		return wrong(what, found, fmt.Sprintf("at least %v", limit))
	case rule == "max" && found.number() > limit.number():
		return wrong(what, found, fmt.Sprintf("at most %v", limit))
	case rule != "not" && rule != "min" && rule != "max":
		return fmt.Errorf("unknown rule '%s'", rule)
	}
	return nil
}

// field reads a member of a struct as the description says.
func (r *Runner) field(from value, name string) (value, error) {
	described, ok := r.structs[from.what]
	if !ok {
		return value{}, fmt.Errorf("the value is no struct")
	}
	for _, one := range described.Fields {
		if one.Name != name {
			continue
		}
		at := from.bytes[one.Offset : one.Offset+one.Size]
		switch {
		case one.Type == "char":
			end := bytes.IndexByte(append(bytes.Clone(at), 0), 0)
			return value{kind: text, text: string(at[:end])}, nil
		case one.Array > 0:
			return value{kind: structure, bytes: at}, nil
		case one.Type == "double":
			return value{kind: real, real: math.Float64frombits(binary.NativeEndian.Uint64(at))}, nil
		case one.Size == 4 && strings.HasPrefix(one.Type, "u"):
			return value{bits: uint64(binary.NativeEndian.Uint32(at))}, nil
		case one.Size == 4:
			return value{bits: uint64(int32(binary.NativeEndian.Uint32(at)))}, nil
		}
		return value{bits: binary.NativeEndian.Uint64(at)}, nil
	}
	return value{}, fmt.Errorf("the struct has no field %s", name)
}

// structOf makes the bytes of a struct from its members.
func (r *Runner) structOf(name string, members map[string]any) ([]byte, error) {
	described := r.structs[name]
	made := make([]byte, described.Size)
	if described.Sized {
		binary.NativeEndian.PutUint32(made, uint32(described.Size))
	}
	for member, word := range members {
		found := false
		for _, one := range described.Fields {
			if one.Name != member {
				continue
			}
			found = true
			v, err := r.resolve(word)
			if err != nil {
				return nil, err
			}
			at := made[one.Offset : one.Offset+one.Size]
			switch {
			case v.kind == text:
				copy(at, v.text+"\x00")
			case one.Type == "double":
				binary.NativeEndian.PutUint64(at, math.Float64bits(v.number()))
			default:
				var word [8]byte
				binary.NativeEndian.PutUint64(word[:], v.bits)
				copy(at, word[:])
			}
		}
		if !found {
			return nil, fmt.Errorf("%s has no field %s", name, member)
		}
	}
	return made, nil
}
