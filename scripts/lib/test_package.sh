# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for packages. The default form makes those that need no compiler, which takes seconds; the full form makes all,
# makes the library again elsewhere for comparison, and installs them into bare systems.
: "${root:?}" "${full:?}" "${results:?}"

package_steps() {
    if [[ $full -eq 0 ]]; then
        step package scripts/package rust recipes
        step package-check scripts/package --check
        step package-recipes "$root/.venv/bin/python" tests/packages/test_recipes.py
        return
    fi
    step package scripts/package
    step package-check scripts/package --check
    step package-recipes "$root/.venv/bin/python" tests/packages/test_recipes.py
    step package-again tests/packages/reproduce
    step package-languages tests/packages/install_languages
    if [[ $(id -u) -eq 0 ]] && has debootstrap; then
        step package-install tests/packages/install --table "$results/package-install.md"
    else
        skip_step package-install 'needs root and debootstrap'
    fi
}
