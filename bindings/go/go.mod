module github.com/gpustream/gpustream/bindings/go

go 1.22

require github.com/ebitengine/purego v0.9.1
