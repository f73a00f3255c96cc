# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/python/, beside the wheels of gpustream: gpustream-dask and gpustream-ray, and the source of gpustream-torch, whose
# extension is compiled for the PyTorch where it is installed.
: "${root:?}" "${dist:?}" "${work:?}" "${version:?}"

package_integrations() {
    local name copy
    mkdir -p "$dist/python"
    rm -f "$dist"/python/gpustream_*
    for name in dask ray torch; do
        # From a copy: setuptools writes into the folder that it builds.
        copy=$work/integrations/$name
        fresh "$copy"
        git -C "$root" ls-files -z "integrations/$name" | (cd "$root" && xargs -0 cp --parents -t "$work")
        build_integration "$name" "$copy"
    done
}

# build_integration NAME FOLDER
build_integration() {
    local forms=(--sdist --wheel)
    # In an isolated build PyTorch would be downloaded for an archive that needs none.
    [[ $1 != torch ]] || forms=(--sdist --no-isolation --skip-dependency-check)
    "${python_own:?}" -m build "${forms[@]}" --outdir "$dist/python" "$2" >"$work/python-$1.log" 2>&1 || {
        cat "$work/python-$1.log"
        return 1
    }
    [[ -f $dist/python/gpustream_$1-$version.tar.gz ]] || die "integrations/$1/pyproject.toml states another version than $version"
}
