// SPDX-License-Identifier: Apache-2.0

// Command pipeline drives a file through a device in chunks (copy-in, a kernel that computes CRC-32 and byte histogram,
// copy-out) on several streams, ordered by events, and checks the result against a sequential pass.
//
//	go run ./examples/pipeline [--streams N] [--chunk BYTES] --kernels PATH FILE
//
// The kernel is that of examples/pipeline in the repository: pipeline_kernels.so for the host backend, kernels.ptx for
// CUDA. Exit status: 0 the result is right, 1 it is wrong, 2 a call failed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	gs "github.com/gpustream/gpustream/bindings/go"
)

type options struct {
	file, kernels string
	streams       int
	chunk         int64
}

func parse() (o options, err error) {
	flag.IntVar(&o.streams, "streams", 6, "streams, 1 to 64")
	flag.Int64Var(&o.chunk, "chunk", 4<<20, "bytes of a chunk")
	flag.StringVar(&o.kernels, "kernels", "", "module with the kernel")
	flag.Parse()
	o.file = flag.Arg(0)
	if flag.NArg() != 1 || o.kernels == "" || o.streams < 1 || o.streams > 64 || o.chunk < 1 || o.chunk > 1<<30 {
		return o, errors.New("usage: pipeline [--streams 1..64] [--chunk BYTES] --kernels PATH FILE")
	}
	return o, nil
}

func sequentialPass(file *os.File, length int64) (*digest, error) {
	d, buffer := &digest{}, make([]byte, 1<<20)
	for d.bytes < length {
		n := min(int64(len(buffer)), length-d.bytes)
		if _, err := file.ReadAt(buffer[:n], d.bytes); err != nil {
			return nil, err
		}
		d.update(buffer[:n])
	}
	return d, nil
}

func pipeline(o options, file *os.File, length int64) (result *digest, err error) {
	module, err := gs.LoadModuleFile(0, o.kernels)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, module.Close()) }()
	kernel, err := module.Kernel("crc_and_histogram")
	if err != nil {
		return nil, err
	}
	result = &digest{bytes: length}
	chunk, next := min(o.chunk, length), atomic.Int64{}
	lanes := (o.streams + 2) / 3
	ends := make(chan error)
	for i := range lanes {
		streams := o.streams / lanes
		if i < o.streams%lanes {
			streams++
		}
		go func() { ends <- work(kernel, streams, chunk, length, &next, file, result) }()
	}
	for range lanes {
		err = errors.Join(err, <-ends)
	}
	return result, err
}

// work is a lane's: it takes chunks until there are none left.
func work(kernel gs.Kernel, streams int, chunk, length int64, next *atomic.Int64, file *os.File, into *digest) (err error) {
	l, err := newLane(kernel, streams, chunk)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	for {
		offset := next.Add(chunk) - chunk
		if offset >= length {
			return l.finish(into)
		}
		if err := l.process(file, offset, min(chunk, length-offset), into); err != nil {
			return err
		}
	}
}

func run() (bool, error) {
	o, err := parse()
	if err != nil {
		return false, err
	}
	file, err := os.Open(o.file)
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	length := info.Size()
	if length == 0 {
		return false, errors.New("the file is empty")
	}
	expected, err := sequentialPass(file, length)
	if err != nil {
		return false, err
	}
	start := time.Now()
	found, err := pipeline(o, file, length)
	if err != nil {
		return false, err
	}
	seconds := time.Since(start).Seconds()
	name, err := gs.Device(0).Name()
	if err != nil {
		return false, err
	}
	fmt.Printf("%d streams on %s\n%.3f s, %.2f GB/s\n", o.streams, name, seconds, float64(length)/seconds/1e9)
	if !found.equal(expected) {
		fmt.Fprintf(os.Stderr, "the result is wrong: CRC-32 %08x, wanted %08x\n", found.crc32(), expected.crc32())
		return false, nil
	}
	fmt.Printf("CRC-32 %08x and histogram agree with a sequential pass over %d bytes\n", found.crc32(), length)
	return true, nil
}

func main() {
	right, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(2)
	}
	if !right {
		os.Exit(1)
	}
}
