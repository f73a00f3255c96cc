#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The test of mpi_lost: a rank of four is killed, 3 times, or 100 times with GPUSTREAM_TEST_FULL=1.
#   lost.sh MPIEXEC PROGRAM
set -euo pipefail
mpiexec=$1 program=$2
rounds=3
if [[ ${GPUSTREAM_TEST_FULL-} == 1 ]]; then rounds=100; fi

work=$(mktemp -d "${TMPDIR:-/tmp}/gs-lost.XXXXXX")
trap 'rm -rf "$work"' EXIT

# A launcher ends all ranks when what it started for one of them has ended by a signal, or without MPI_Finalize(). So it starts
# shells, which end when all ranks have: it has nothing to act on until then. A file is there with what is in it: the first shell that
# counts four of them may be the end of the others.
shell='"$@"; echo $? >"$GPUSTREAM_LOST_FOLDER/own.$$"; mv "$GPUSTREAM_LOST_FOLDER"/{own,status}.$$
    for ((tries = 0; tries < 3000; ++tries)); do
        all=("$GPUSTREAM_LOST_FOLDER"/status.*); ((${#all[@]} < 4)) || exit 0; sleep 0.01
    done'

fail() {
    echo "round $round, messages of $bytes bytes: $1" >&2
    tail -n +1 "$folder"/{[0-9]*,status.*,output} >&2 || true
    exit 1
}

# The files of tokens stay when their process ends; the next process that makes tokens removes them.
mkdir "$work/shm"
left=()
slowest=0
for ((round = 1; round <= rounds; ++round)); do
    # Messages that MPI keeps in memory of its own, and ones that it leaves in the sender's.
    bytes=$((round % 2 == 1 ? 64 : 1048576))
    folder=$work/$round
    mkdir -p "$folder/tmp"
    # UCX, below MPICH, ends a process that is reading the memory of one that is gone by CMA.
    UCX_TLS=^cma TMPDIR=$folder/tmp GPUSTREAM_SHM_DIR=$work/shm GPUSTREAM_LOST_FOLDER=$folder \
        timeout 60 "$mpiexec" -n 4 bash -c "$shell" rank "$program" "$bytes" "$folder" >"$folder/output" 2>&1 ||
        [[ $? != 124 ]] || fail 'the ranks did not end'
    [[ $(sort "$folder"/status.* | tr '\n' ' ') == '0 0 0 137 ' ]] || fail 'not just one rank was killed'
    for rank in 0 2 3; do
        read -r status ms <"$folder/$rank" || fail "rank $rank has seen nothing"
        [[ $status == GS_ERROR_PEER_LOST ]] || fail "rank $rank has seen $status"
        ((ms < 10000)) || fail "rank $rank needed $ms ms"
        if ((ms > slowest)); then slowest=$ms; fi
    done
    [[ -z $(find "$folder/tmp" -mindepth 1) ]] || fail "left behind: $(find "$folder/tmp" -mindepth 1)"
    for file in "${left[@]}"; do [[ ! -e $file ]] || fail "not removed by this round: $file"; done
    mapfile -t left < <(find "$work/shm" -mindepth 1)
    rm -rf "$folder"
done
echo "$rounds killed ranks: each other rank ended with GS_ERROR_PEER_LOST, $slowest ms after the start at the latest"
