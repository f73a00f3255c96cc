#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How scripts/demo, scripts/test, scripts/package, scripts/docs and scripts/coverage reject wrong arguments, before they build anything.
#   check_arguments.sh SOURCE_DIR
set -euo pipefail
source_dir=$1

refuses() { # STATUS TEXT COMMAND...
    local wanted=$1 text=$2 output status=0
    shift 2
    output=$("$@" 2>&1) || status=$?
    if [[ $status -ne $wanted || $output != *"$text"* ]]; then
        printf '%s: status %s, output: %s\n' "$*" "$status" "$output" >&2
        exit 1
    fi
}

refuses 1 "cannot read the file '/nonexistent/file'" "$source_dir/scripts/demo" /nonexistent/file
refuses 1 "cannot read the file '/'" "$source_dir/scripts/demo" /
refuses 1 "cannot read the file ''" "$source_dir/scripts/demo" ''
refuses 2 'the first argument is the file' "$source_dir/scripts/demo" --streams 3
refuses 2 "unknown argument 'cobol'" "$source_dir/scripts/test" cobol
refuses 2 '--save goes with --full' "$source_dir/scripts/test" --save
refuses 2 '--all has all parts' "$source_dir/scripts/test" --all core
refuses 2 '--only wants the name of a step' "$source_dir/scripts/test" core --only
refuses 0 'all parts that exist, which CI runs' "$source_dir/scripts/test" --help
refuses 0 'default FILE' "$source_dir/scripts/demo" --help
refuses 2 "unknown argument 'cobol'" "$source_dir/scripts/package" cobol
refuses 2 '--target wants x86_64 or aarch64' "$source_dir/scripts/package" --target riscv64
refuses 2 '--target wants x86_64 or aarch64' "$source_dir/scripts/package" --target
refuses 0 'default: both processors' "$source_dir/scripts/package" --help
refuses 2 "unknown argument 'fast'" "$source_dir/scripts/docs" fast
refuses 2 '--man wants a folder' "$source_dir/scripts/docs" --man
refuses 2 "unknown argument 'fast'" "$source_dir/scripts/docs" --serve fast
refuses 0 'a broken link is an error' "$source_dir/scripts/docs" --help
work=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-arguments.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && "$source_dir/scripts/docs" --man 'a folder' && [[ -f 'a folder/man3/gs_init.3' ]])
refuses 2 "unknown argument 'fast'" "$source_dir/scripts/coverage" fast
refuses 2 '--lines needs a percentage' "$source_dir/scripts/coverage" --lines
refuses 0 'below 97 % of the lines' "$source_dir/scripts/coverage" --help
echo 'wrong arguments are refused'
