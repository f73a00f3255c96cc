# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/go/, in the layout of a module proxy: what proxy.golang.org makes of the tag bindings/go/vVERSION. The module has no
# native parts: it opens the library that is installed.
: "${root:?}" "${dist:?}" "${version:?}"

package_go() {
    fresh "$dist/go"
    python3 "$root/scripts/packaging/go_module.py" --root "$root" --version "$version" --date "$SOURCE_DATE_EPOCH" --out "$dist/go"
}
