# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the steps of scripts/package share.
#
# dist/
#   c/ deb/ python/ rust/ java/ go/ node/ zig/ recipes/    what is published, by registry
#   SHA256SUMS                              of all of it
#   gpustream-VERSION.spdx.json             what is in it
# build/package/library/TARGET/             the library that all packages contain, and its debug file
: "${root:?}"

# Sets what all steps use: version, dist, work, library, python_own and SOURCE_DATE_EPOCH.
package_settings() {
    version=$(python3 "$root/scripts/packaging/version.py" "$root")
    dist=$root/dist
    work=$root/build/package
    library=$work/library
    # shellcheck disable=SC2034  # of the steps
    python_own=$root/.venv/bin/python
    # The date in all archives: that of the commit, or, outside of git, of the changelog's file.
    if [[ -z ${SOURCE_DATE_EPOCH-} ]]; then
        SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CHANGELOG.md")
    fi
    export SOURCE_DATE_EPOCH
    mkdir -p "$dist" "$work"
}

# fresh FOLDER: made, and empty.
fresh() {
    rm -rf "$1"
    mkdir -p "$1"
}

# pack ARCHIVE.tar.gz FOLDER NAME: FOLDER/NAME as an archive that depends on nothing but its content.
pack() {
    tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --mode='u+rw,go+r,go-w,a+X' -C "$2" -cf - "$3" | gzip -9n >"$1"
}

# The library for a processor, built and checked unless an earlier step of this run has done so.
need_library() {
    if [[ " ${libraries_made-} " != *" $1 "* ]]; then
        # shellcheck source=scripts/lib/package_library.sh
        source "$root/scripts/lib/package_library.sh"
        build_library "$1"
        check_library "$1"
        libraries_made+=" $1"
    fi
}

package_finish() {
    python3 "$root/scripts/packaging/spdx.py" --root "$root" --dist "$dist" --version "$version"
    rm -f "$dist/SHA256SUMS"
    (cd "$dist" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum) >"$work/SHA256SUMS"
    mv "$work/SHA256SUMS" "$dist/SHA256SUMS"
    say "dist/SHA256SUMS lists $(wc -l <"$dist/SHA256SUMS") files"
}
