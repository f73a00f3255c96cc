// SPDX-License-Identifier: Apache-2.0

// Command bench compares calls from Go with the same calls in a loop of C, in rounds that alternate between them. Printed are
// the median nanoseconds of each, the median of the rounds' differences, and the difference of the fastest rounds. A busy
// machine disturbs the median difference least: both parts of a round end within a fraction of a millisecond.
//
//	bench/languages/run go
//
// It measures cgo and purego, and compiles the loops of C, which GPUSTREAM_BENCH_LOOPS names.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	gs "github.com/gpustream/gpustream/bindings/go"
	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

const (
	calls  = 1000
	rounds = 801
)

// A row is a call: in C, through the raw layer, and through this module's types. Each does it n times.
type row struct {
	name          string
	c, raw, typed func(n int)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func value[T any](v T, err error) T {
	check(err)
	return v
}

func status(s raw.Status) {
	if s != raw.Ok {
		check(s)
	}
}

// inC is a loop of C, of bench/languages/loops.c.
func inC(name string, handles ...uintptr) func(n int) {
	library, reason := dl.Open(os.Getenv("GPUSTREAM_BENCH_LOOPS"), false)
	if library == 0 {
		check(errors.New(reason))
	}
	run, arguments := dl.Symbol(library, name), append(handles, 0, 0)
	return func(n int) {
		if int32(dl.Call(run, uintptr(n), arguments[0], arguments[1])) != 0 {
			check(errors.New(name + " failed"))
		}
	}
}

// measure runs one round, after a short one that warms up.
func measure(fn func(n int)) float64 {
	fn(calls / 10)
	start := time.Now()
	fn(calls)
	return float64(time.Since(start).Nanoseconds()) / calls
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func main() {
	a, b, e := value(gs.NewStream()), value(gs.NewStream()), value(gs.NewEvent())
	check(a.Record(e))
	rows := []row{
		{"record", inC("loop_record", uintptr(a.Handle()), uintptr(e.Handle())),
			func(n int) {
				for range n {
					status(raw.EventRecord(e.Handle(), a.Handle()))
				}
			},
			func(n int) {
				for range n {
					check(e.Record(a))
				}
			}},
		{"wait", inC("loop_wait", uintptr(b.Handle()), uintptr(e.Handle())),
			func(n int) {
				for range n {
					status(raw.StreamWaitEvent(b.Handle(), e.Handle()))
				}
			},
			func(n int) {
				for range n {
					check(b.WaitEvent(e))
				}
			}},
		{"query", inC("loop_query", uintptr(e.Handle())),
			func(n int) {
				out := new(int32)
				for range n {
					status(raw.EventQuery(e.Handle(), out))
				}
			},
			func(n int) {
				for range n {
					value(e.Done())
				}
			}},
		{"scope", inC("loop_scope", uintptr(a.Handle())), nil,
			func(n int) {
				for range n {
					scope := value(a.Enter())
					check(scope.Close())
				}
			}},
		{"event create, close", inC("loop_event"), nil,
			func(n int) {
				for range n {
					event := value(gs.NewEvent())
					check(event.Close())
				}
			}},
		{"stream create, close", inC("loop_stream"), nil,
			func(n int) {
				for range n {
					stream := value(gs.NewStream())
					check(stream.Close())
				}
			}},
	}
	fmt.Printf("%s, %s, library %s\n\n", value(gs.Device(0).Name()), raw.Mode, gs.Version())
	fmt.Printf("%-22s %8s %8s %8s %8s %8s\n", "ns per call", "C", "raw", "Go", "Go - C", "fastest")
	for _, one := range rows {
		var c, low, high, over []float64
		for round := range rounds {
			// Each goes first in every other round.
			if round%2 == 0 {
				c = append(c, measure(one.c))
			}
			high = append(high, measure(one.typed))
			if round%2 == 1 {
				c = append(c, measure(one.c))
			}
			over = append(over, high[round]-c[round])
			if one.raw != nil {
				low = append(low, measure(one.raw))
			}
			check(a.Synchronize(context.Background()))
			check(b.Synchronize(context.Background()))
		}
		fmt.Printf("%-22s", one.name)
		for _, all := range [][]float64{c, low, high} {
			if len(all) == 0 {
				fmt.Printf(" %8s", "-")
			} else {
				fmt.Printf(" %8.1f", median(all))
			}
		}
		fmt.Printf(" %8.1f %8.1f\n", median(over), slices.Min(high)-slices.Min(c))
	}
}
