# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for packages. The default form makes those that need no compiler, which takes seconds; the full form makes all,
# makes the library again elsewhere for comparison, and installs them into bare systems.
: "${root:?}" "${full:?}" "${results:?}"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"
# shellcheck source=scripts/lib/test_python.sh
source "$root/scripts/lib/test_python.sh"

package_steps() {
    if has_go; then step package-workflows package_workflows; else skip_step package-workflows "no Go $(wanted_go) or newer here"; fi
    if [[ $full -eq 0 ]]; then
        step package scripts/package integrations rust recipes
        step package-check scripts/package --check
        step package-recipes "$root/.venv/bin/python" tests/packages/test_recipes.py
        return
    fi
    if has_musl_python || { has_musl_gcc && grep -qs '^ID=debian' /etc/os-release; }; then
        step package-musl-python package_musl_python
    else
        skip_step package-musl-python 'no CPython for musl, and none is built but from the source of Debian, with musl-tools'
    fi
    step package scripts/package
    step package-check scripts/package --check
    step package-recipes "$root/.venv/bin/python" tests/packages/test_recipes.py
    step package-again tests/packages/reproduce
    step package-languages tests/packages/install_languages
    step package-parity package_parity
    if has_musl && has_googletest; then
        step package-musl package_musl
    else
        skip_step package-musl "needs musl's loader and the sources of GoogleTest"
    fi
    if has_musl_python && has musl-gcc; then
        step package-musl-wheel package_musl_wheel
    else
        skip_step package-musl-wheel 'needs a CPython for musl, and musl-tools'
    fi
    if [[ $(id -u) -eq 0 ]] && has debootstrap; then
        step package-install tests/packages/install --table "$results/package-install.md"
    else
        skip_step package-install 'needs root and debootstrap'
    fi
}

# The workflows of a public forge, by the checker that PyPI has only as a downloader. A wrong one must be found.
package_workflows() {
    local wrong=$root/build/wrong_workflow.yml
    mkdir -p "$root/build"
    GOBIN=$root/build/tools go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
    printf 'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo ${{ github.wrong }}\n' >"$wrong"
    if "$root/build/tools/actionlint" "$wrong" >/dev/null; then die 'actionlint finds nothing wrong in a wrong workflow'; fi
    "$root/build/tools/actionlint" .github/workflows/*.yml
    echo "actionlint: .github/workflows/$(cd .github/workflows && echo *.yml)"
}

# From Debian's source, unless there is one; scripts/package makes the wheel for it.
package_musl_python() { musl_python || scripts/packaging/build_python musl "$root/build/python-musl"; }
has_musl_python() { musl_python >/dev/null; }

package_musl_wheel() { tests/packages/install_musl_python.sh "$root/dist" --junitxml="$(junit_file)"; }

# The archive for musl, by its own loader, and the C++ tests compiled for it.
package_musl() {
    tests/packages/install_musl.sh "$root/dist"
    tests/packages/foreign --output-junit "$(junit_file)" musl
}

# What the released libraries do, in C: as it was compiled for the oldest C library, and for the other processor.
package_parity() {
    local library=$root/build/package/library foreign=$root/build/package/roots/bookworm-arm64
    tests/packages/parity "$(uname -m)-linux-gnu.2.17" "$library/$(uname -m)/libgpustream.so.0"
    [[ $(uname -m) == x86_64 ]] || return 0
    # shellcheck source=tests/packages/roots.sh
    source "$root/tests/packages/roots.sh"
    if has qemu-aarch64 && make_foreign_root bookworm-arm64 bookworm arm64 python3; then
        tests/packages/parity aarch64-linux-gnu.2.17 "$library/aarch64/libgpustream.so.0" qemu-aarch64 -L "$foreign"
    else
        echo 'not run for aarch64: this needs qemu-aarch64, debootstrap and root'
    fi
}
