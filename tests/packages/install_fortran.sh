#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Fortran module of libgpustream-dev: the .deb files of dist/deb are unpacked, the guide's programs are compiled with
# what is in them, and run. The network is closed.
#   tests/packages/install_fortran.sh DIST
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packages/offline.sh
source "$root/tests/packages/offline.sh"
dist=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset LD_LIBRARY_PATH
export GPUSTREAM_BACKEND=host
architecture=$(dpkg --print-architecture)
for name in libgpustream0 libgpustream-dev; do
    dpkg-deb -x "$(compgen -G "$dist/deb/${name}_*_$architecture.deb")" "$place/system"
done
cd "$place"

guide_program fortran fortran >program.f90
libraries=$place/system/usr/lib/$(uname -m)-linux-gnu
offline gfortran -o program "$place/system/usr/include/gpustream/gpustream.f90" program.f90 "-L$libraries" -lgpustream
fails_with 'libgpustream.so.0' ./program
LD_LIBRARY_PATH=$libraries offline ./program | grep -qE '^[0-9]*\.[0-9]+ ms$'
echo "column gfortran $(gfortran -dumpfullversion)"
echo 'fortran: the module of the package compiles and runs'
