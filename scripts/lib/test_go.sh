# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Go module. They use the library of the release preset, which is built here if necessary.
: "${root:?}" "${full:?}"
# shellcheck source=scripts/lib/test_core.sh
source "$root/scripts/lib/test_core.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"

go_build_steps() {
    # That of scripts/bootstrap, before an older one of the distribution.
    if ! has_go && [[ -x $root/.venv/bin/go ]]; then PATH=$root/.venv/bin:$PATH; fi
    ! has_go || core_library_step
}

go_steps() {
    if ! has_go; then
        skip_step go "no Go $(wanted_go) or newer here (CI=true scripts/bootstrap go installs it)"
        return
    fi
    export GPUSTREAM_BUILD_DIR=$root/build/release GPUSTREAM_LIBRARY=$root/build/release/libgpustream.so.0 GOTOOLCHAIN=local
    step go-lint go_lint
    step go-test go_test ./...
    # Without cgo, through purego, as on a machine without a C compiler.
    CGO_ENABLED=0 step go-purego go_test . ./raw
    step go-parity go_parity
    step go-pipeline go_pipeline
    step go-fake go_fake
    step go-race go_test -race . ./raw
}

go_lint() {
    local unformatted cgo
    cd "$root/bindings/go" || return
    go version
    unformatted=$("$(go env GOROOT)/bin/gofmt" -l .)
    [[ -z $unformatted ]] || {
        warn "gofmt would change $unformatted"
        return 1
    }
    go mod verify
    for cgo in 0 1; do
        CGO_ENABLED=$cgo go vet ./...
        # Its first build takes a minute.
        if [[ $full -eq 1 ]]; then
            CGO_ENABLED=$cgo go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
        fi
    done
}

go_test() {
    cd "$root/bindings/go" || return
    go test -count=1 -json "$@" | "$root/scripts/lib/go_junit.py" "$(junit_file)"
}

go_parity() {
    mkdir -p "$root/build/go"
    (cd "$root/bindings/go" && go build -buildmode=c-shared -o "$root/build/go/layer.so" "$root/build/release/generated/bindings/go/tests/raw_layer.go")
    layer_cases "$root/build/go/layer.so" --without-forks
}

go_pipeline() {
    mkdir -p "$root/build/go"
    (cd "$root/bindings/go" && go build -o "$root/build/go/pipeline" ./examples/pipeline)
    "$root/scripts/lib/pipeline_port.py" "$root" "$(junit_file)" options "$root/build/go/pipeline"
}

# What reaches the driver by other calls than the host backend's, on the fake driver.
go_fake() {
    export GPUSTREAM_BACKEND=cuda GPUSTREAM_LIBCUDA=$GPUSTREAM_BUILD_DIR/tests/support/fake_cuda/driver/libcuda.so.1
    go_test .
}
