#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks how a shared library is linked. It has a SONAME and a build id, needs only libc and its loader, binds symbols at
# load time, stays loaded, and has neither text relocations nor an executable stack.
#   check_link.sh LIBRARY [--broken TEXT]      with --broken the check must fail with exactly the finding TEXT
set -euo pipefail
export LC_ALL=C

library=$1
soname=libgpustream.so.0
[[ ${library##*/} != libgpustream_tools.* ]] || soname=libgpustream_tools.so.0
findings=()
dynamic=$(readelf -dW "$library")
has() { grep -qE "$1" <<<"$dynamic"; }

has "\(SONAME\).*\[${soname//./\\.}\]" || findings+=("SONAME is not $soname")
has '\(FLAGS_1\).*NOW' || findings+=('symbols are not bound at load time')
has '\(FLAGS_1\).*NODELETE' || findings+=('can be unloaded')
has '\(TEXTREL\)' && findings+=('has text relocations')
has '\((RPATH|RUNPATH)\)' && findings+=('has a run path')
while read -r needed; do
    case $needed in
        libc.so.6 | ld-linux*.so.*) ;;
        # musl, which is its own loader.
        libc.so) ;;
        # Parts of libc up to glibc 2.33.
        libpthread.so.0 | libdl.so.2 | librt.so.1) ;;
        *) findings+=("needs $needed") ;;
    esac
done < <(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
# Its status says that it does not know the type of a note; older ones do not know .note.dlopen's.
notes=$(readelf -nW "$library" || true)
[[ $notes == *'Build ID:'* ]] || findings+=('has no build id')
readelf -lW "$library" | grep -E 'GNU_STACK' | grep -q 'RWE' && findings+=('has an executable stack')

if [[ ${2-} == --broken ]]; then
    if [[ ${#findings[@]} -eq 1 && ${findings[0]} == "$3" ]]; then
        echo "found as it must be: $3"
        exit 0
    fi
    echo "expected the one finding '$3', found ${#findings[@]}: ${findings[*]-}"
    exit 1
fi
if [[ ${#findings[@]} -gt 0 ]]; then
    printf '%s: %s\n' "${findings[@]/#/"$library "}"
    exit 1
fi
echo "linked as promised: $library"
