#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A user's program with the crates of dist/rust: dependencies vendored, the network closed.
#   tests/packages/install_rust.sh DIST LIBRARY [bundled|docs]...
# It runs with LIBRARY (libgpustream.so.0). bundled: also with the library that gpustream-sys compiles itself. docs: also the
# documentation, as docs.rs builds it, without library and compiler.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dist=$(realpath "$1") library=$(realpath "$2")
shift 2
place=$(mktemp -d)
unset CARGO_TARGET_DIR
trap 'rm -rf "$place"' EXIT

# offline COMMAND...: without a network, where the kernel lets this user close it; cargo does not use it in any case.
offline() {
    export CARGO_NET_OFFLINE=true
    if unshare -rn true 2>/dev/null; then unshare -rn "$@"; else "$@"; fi
}

# What the crates depend on comes from the workspace's lock file; the crates themselves from the packages.
vendor() {
    local crate name
    mkdir -p "$place/vendor"
    (cd "$root/bindings/rust" && cargo vendor --quiet --locked --versioned-dirs "$place/vendor" >/dev/null)
    for crate in "$dist"/rust/*.crate; do
        name=$(basename "$crate" .crate)
        tar -xzf "$crate" -C "$place/vendor"
        printf '{"files":{},"package":"%s"}\n' "$(sha256sum "$crate" | cut -d ' ' -f 1)" >"$place/vendor/$name/.cargo-checksum.json"
    done
    mkdir -p "$place/program/.cargo" "$place/program/src"
    cat >"$place/program/.cargo/config.toml" <<END
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "$place/vendor"
END
}

program() {
    cat >"$place/program/Cargo.toml" <<END
[package]
name = "first-program"
version = "0.0.0"
edition = "2024"
[features]
bundled = ["gpustream/bundled"]
[dependencies]
gpustream = "=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/bindings/rust/Cargo.toml" | head -n 1)"
[workspace]
END
    # The program of the crate's page, as a user copies it.
    python3 - "$root/bindings/rust/gpustream/README.md" "$place/program/src/main.rs" <<'END'
import pathlib, re, sys
text = re.search(r"```rust[^\n]*\n(.*?)```", pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), re.DOTALL)[1]
text = "\n".join(line.removeprefix("# ").removeprefix("#") if line.startswith("# ") or line == "#" else line for line in text.splitlines())
pathlib.Path(sys.argv[2]).write_text(text if "fn main" in text else "fn main() -> Result<(), gpustream::Error> {\n" + text + "\nOk(())\n}\n")
END
}

vendor
program
cd "$place/program"
offline cargo build --quiet
GPUSTREAM_LIBRARY=$library GPUSTREAM_BACKEND=host ./target/debug/first-program
echo 'rust: runs with the packaged library'
echo "column $(cargo --version | cut -d ' ' -f 1,2)"
# The library is not there: the program ends with a message that names it.
if GPUSTREAM_LIBRARY=$place/absent.so.0 ./target/debug/first-program >absent.log 2>&1 || ! grep -q 'absent.so.0' absent.log; then
    cat absent.log
    echo 'wanted a failure that names the missing library' >&2
    exit 1
fi
for each in "$@"; do
    case $each in
        bundled)
            offline cargo build --quiet --features bundled
            GPUSTREAM_LIBRARY='' GPUSTREAM_BACKEND=host ./target/debug/first-program
            echo 'rust: runs with the bundled library, compiled offline'
            ;;
        docs)
            (cd "$place/vendor"/gpustream-sys-* && cp -r "$place/program/.cargo" . && printf '\n[workspace]\n' >>Cargo.toml &&
                DOCS_RS=1 CXX=/bin/false CC=/bin/false offline cargo doc --quiet --no-deps --no-default-features --features dlopen,bundled)
            echo 'rust: the documentation is made without library and compiler'
            ;;
    esac
done
