# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for packages: they are made, made again elsewhere for comparison, and installed into bare systems.
: "${root:?}" "${full:?}" "${results:?}"

package_steps() {
    step package scripts/package
    step package-check scripts/package --check
    step package-recipes "$root/.venv/bin/python" tests/packages/test_recipes.py
    step package-again tests/packages/reproduce
    if [[ $(id -u) -eq 0 ]] && has debootstrap; then
        step package-install tests/packages/install --table "$results/package-install.md"
    else
        skip_step package-install 'needs root and debootstrap'
    fi
}
