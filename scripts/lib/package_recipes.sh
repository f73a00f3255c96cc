# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/c/gpustream-VERSION-source.tar.gz, the tree of the commit, and dist/recipes/: the recipes of packaging/ for vcpkg, Conan
# and conda-forge, with version and checksum of that archive, and Debian's source package. They build from source.
: "${root:?}" "${dist:?}" "${work:?}" "${version:?}"

package_recipes() {
    local archive=$dist/c/gpustream-$version-source.tar.gz file
    mkdir -p "$dist/c"
    if ! git -C "$root" rev-parse --verify -q HEAD >/dev/null; then
        say 'not made: the source archive is that of a commit, and this is no clone'
        return
    fi
    git -C "$root" archive --format=tar --prefix="gpustream-$version/" HEAD | gzip -9n >"$archive"
    fresh "$dist/recipes"
    for file in vcpkg/portfile.cmake vcpkg/vcpkg.json conan/conanfile.py conda/recipe.yaml; do
        mkdir -p "$dist/recipes/${file%/*}"
        sed -e "s/@VERSION@/$version/g" -e "s/@SOURCE_SHA256@/$(sha256sum "$archive" | cut -d' ' -f1)/g" \
            -e "s/@SOURCE_SHA512@/$(sha512sum "$archive" | cut -d' ' -f1)/g" "$root/packaging/$file" >"$dist/recipes/$file"
        if grep -n '@[A-Z0-9_]*@' "$dist/recipes/$file"; then die "$file: not filled"; fi
    done
    package_debian_source
}

package_debian_source() {
    if ! has dpkg-source; then
        say 'not made: there is no dpkg-source here, which makes the source package for Debian'
        return
    fi
    mkdir -p "$dist/recipes/debian"
    python3 "$root/scripts/packaging/debian_source.py" --root "$root" --version "$version" --date "$SOURCE_DATE_EPOCH" \
        --out "$dist/recipes/debian"
    if has lintian; then
        # The tag left out is about Debian's own archive.
        lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$dist"/recipes/debian/*.dsc
    else
        say 'not run: there is no lintian here'
    fi
}
