# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the install tests of single languages share. Sourced with $root set to the top of the tree.
: "${root:?}"

# offline COMMAND...: without a network, where the kernel lets this user close it.
offline() {
    if unshare -rn true 2>/dev/null; then unshare -rn "$@"; else "$@"; fi
}

# guide_program LANGUAGE_OF_PAGE FENCE: the first program of a page of the guide, as a user copies it.
guide_program() {
    python3 -B - "$root/tests/docs" "$root/docs/guide/$1.md" "$2" <<'END'
import pathlib, sys
sys.path.insert(0, sys.argv[1])
from guide_programs import programs
print(programs(pathlib.Path(sys.argv[2]), sys.argv[3])[0], end="")
END
}

# fails_with TEXT COMMAND...: it fails, and says so.
fails_with() {
    local wanted=$1 said
    shift
    if said=$("$@" 2>&1); then
        printf '%s\nwanted a failure\n' "$said" >&2
        return 1
    fi
    if ! grep -qF -- "$wanted" <<<"$said"; then
        printf '%s\nwanted a text with: %s\n' "$said" "$wanted" >&2
        return 1
    fi
}

