#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a bare system, by tests/packages/install: the wheel where there is little to work with, and broken in ways that installations
# break. Each failure has to say what is wrong and what to do.
#   bad_places.sh DIST NEWER_LIBRARY FOREIGN_LIBRARY      one that wants a newer C library; one for another processor, or ''
set -eu
dist=$1 newer=$2 foreign=$3
python3 -m venv /opt/venv
/opt/venv/bin/pip install --quiet --no-index --find-links "$dist/python" --only-binary :all: gpustream
package=$(echo /opt/venv/lib/python3*/site-packages/gpustream)
umount /dev/shm
rmdir /dev/shm 2>/dev/null || mount -t tmpfs -o ro tmpfs /dev/shm # below it lies the one of this machine
mount -o remount,ro,noexec /tmp
unset HOME
cd /

# says TEXT COMMAND...: it fails, and TEXT is in what it writes.
says() {
    wanted=$1
    shift
    if said=$("$@" 2>&1); then
        echo "no failure: $*" >&2
        exit 1
    fi
    case $said in
        *"$wanted"*) ;;
        *)
            printf '%s\nlacks: %s\n' "$said" "$wanted" >&2
            exit 1
            ;;
    esac
}

# Without a home, shared memory, and a /tmp for files and programs, all but events between processes works.
/opt/venv/bin/python -m gpustream
/opt/venv/bin/python /packages/programs/two_streams.py
says 'GPUSTREAM_SHM_DIR names another folder' /opt/venv/bin/python -c '
import gpustream
gpustream.Event(interprocess=True).ipc_handle()'

cp "$package/libgpustream.so.0" /opt/good.so
says 'needs a newer glibc than this system' sh -c "cp '$newer' '$package/libgpustream.so.0' && /opt/venv/bin/python -c 'import gpustream'"
[ -z "$foreign" ] ||
    says 'for another processor than this Python' sh -c "cp '$foreign' '$package/libgpustream.so.0' && /opt/venv/bin/python -c 'import gpustream'"
rm "$package/libgpustream.so.0"
says 'is missing: reinstall gpustream' /opt/venv/bin/python -c 'import gpustream'
# On a file system where nothing may be executed.
cp /opt/good.so "$package/libgpustream.so.0"
mkdir /opt/noexec
mount -t tmpfs -o noexec tmpfs /opt/noexec
cp -r "$package" /opt/noexec/
says 'mounted noexec' env PYTHONPATH=/opt/noexec /opt/venv/bin/python -c 'import gpustream'
/opt/venv/bin/python -m gpustream
echo 'column no HOME, /dev/shm or /tmp; newer glibc, other processor, missing, noexec'
