# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/node/gpustream-VERSION.tgz, as npm publishes it: JavaScript, types, and for each processor the addon and the library.
# Node's interface for addons is stable, so one addon serves all its versions from 20 on.
: "${root:?}" "${dist:?}" "${work:?}" "${library:?}" "${version:?}" "${targets[*]:?}"
# shellcheck source=scripts/lib/package_library.sh
source "$root/scripts/lib/package_library.sh" # split_debug, check_portable, and the oldest glibc
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"
node_glibc=${glibc:?}

package_node() {
    local target processors=() stage=$work/node/package
    "$root/scripts/bootstrap" node
    if ! has_node; then PATH=$root/.venv/bin:$PATH; fi
    if ! has_node || [[ ! -d $root/bindings/node/node_modules/typescript ]]; then
        say 'not made: there is no Node here (CI=true scripts/bootstrap node installs it)'
        return
    fi
    fresh "$stage"
    (cd "$root/bindings/node" && node node_modules/typescript/bin/tsc --outDir "$stage/build/dist")
    for target in "${targets[@]}"; do
        need_library "$target"
        node_addon "$target" "$stage/build/gpustream.node/linux-$(node_processor "$target")"
        processors+=("$(node_processor "$target")")
    done
    # The folder has the name of the file that a build in the tree makes, and Node loads either.
    cp "$root/scripts/packaging/node_addon.js" "$stage/build/gpustream.node/index.js"
    cp "$root"/bindings/node/{index.mjs,index.d.mts,README.md} "$root/LICENSE" "$stage/"
    node "$root/scripts/packaging/node_package.mjs" "$root/bindings/node/package.json" "$version" "${processors[@]}" >"$stage/package.json"
    fresh "$dist/node"
    (cd "$stage" && npm pack --silent --ignore-scripts --no-update-notifier --pack-destination "$dist/node")
    check_node_package "$dist/node/gpustream-$version.tgz"
}

node_processor() { if [[ $1 == x86_64 ]]; then echo x64; else echo arm64; fi; }

# node_addon x86_64|aarch64 FOLDER: the addon, and beside it the library, which it finds there by its run path, and the tools.
node_addon() {
    local zig include
    zig=$(compgen -G "$root/.venv/lib/python3*/site-packages/ziglang/zig" | head -n 1)
    for include in "$(dirname "$(dirname "$(node -p process.execPath)")")/include/node" /usr/include/node; do
        [[ ! -f $include/node_api.h ]] || break
    done
    mkdir -p "$2" "$work/node/$1"
    # Node itself has the functions of N-API and libuv.
    "$zig" c++ -target "$1-linux-gnu.$node_glibc" -std=c++17 -O2 -g -DNDEBUG -shared -fPIC -fvisibility=hidden -fno-sanitize=all \
        -DNAPI_VERSION=8 -ffile-compilation-dir=. -ffile-prefix-map="$root"=. -ffile-prefix-map="$include"=node \
        -I"$root/include" -isystem "$include" -o "$work/node/$1/gpustream.full" "$root"/bindings/node/native/*.cpp \
        -ldl -Wl,-z,relro -Wl,-z,now -Wl,--build-id=sha1 -Wl,-soname,gpustream.node "-Wl,-rpath,\$ORIGIN"
    split_debug "$work/node/$1/gpustream.full" "$work/node/$1/gpustream.node"
    install -m 644 "$work/node/$1/gpustream.node" "$library/$1"/libgpustream{,_tools}.so.0 "$2/"
    check_portable "$2/gpustream.node"
}

check_node_package() {
    local files wanted target
    files=$(tar -tzf "$1")
    for wanted in LICENSE package.json index.mjs build/dist/index.js build/dist/index.d.ts build/gpustream.node/index.js; do
        grep -qx "package/$wanted" <<<"$files" || die "$1 lacks $wanted"
    done
    for target in "${targets[@]}"; do
        for wanted in "linux-$(node_processor "$target")"/{gpustream.node,libgpustream.so.0,libgpustream_tools.so.0}; do
            grep -qx "package/build/gpustream.node/$wanted" <<<"$files" || die "$1 lacks $wanted"
        done
    done
}
