#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Maven repository of dist/java, used by a new project whose other dependencies are in Maven's cache already, and the network
# closed. The guide's program is compiled by Maven, and run by the oldest and the newest JDK of this machine.
#   tests/packages/install_java.sh DIST LIBRARY
# LIBRARY (libgpustream.so.0) is what the repository must contain.
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the shell that has mounted
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packages/offline.sh
source "$root/tests/packages/offline.sh"
dist=$(realpath "$1") library=$(realpath "$2")
version=$(python3 "$root/scripts/packaging/version.py" "$root")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset GPUSTREAM_LIBRARY LD_LIBRARY_PATH CLASSPATH MAVEN_OPTS
export GPUSTREAM_BACKEND=host
property() { sed -n "s/^$1=//p" "$root/build/package/java/build.properties"; }

mkdir -p "$place/program/src/main/java"
cd "$place/program"
guide_program java java >src/main/java/TwoStreams.java
cat >pom.xml <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>first</groupId>
  <artifactId>program</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>
    <repository>
      <id>dist</id>
      <url>file://$dist/java</url>
    </repository>
  </repositories>
  <dependencies>
$(sed -n '/^<dependency>/,/^<\/dependency>/p' "$root/docs/guide/java.md")
  </dependencies>
  <build>
    <pluginManagement>
      <plugins>
        <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
        <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
      </plugins>
    </pluginManagement>
  </build>
</project>
END
# Maven's cache, without anything of this project: what comes from there cannot come from dist/. --offline would refuse the
# repository in files as well; -C makes a wrong checksum an error.
cp -al "${HOME:?}/.m2/repository" "$place/cache" 2>/dev/null || cp -r "$HOME/.m2/repository" "$place/cache"
rm -rf "$place/cache/io/gpustream"
offline mvn -q -B -C -Dmaven.repo.local="$place/cache" test-compile
jars=$(find "$place/cache/io/gpustream" -name '*.jar' | sort | paste -sd:)
[[ $jars == *gpustream-natives-$version-linux-*.jar* ]] || { echo "Maven took no native library: $jars" >&2 && exit 1; }

# run JAVA_HOME OPTIONS...: the program; libraries are extracted below the place.
run() {
    local java=$1/bin/java
    shift
    "$java" -Dgpustream.cache.dir="$place/extracted" --enable-native-access=ALL-UNNAMED "$@" -cp "target/classes:$jars" TwoStreams
}
[[ $(offline "$(property jdk.base)/bin/java" -version 2>&1 | head -n 1) == *\"17* ]] || echo "the oldest JDK here is $(property jdk.base.version)"
for home in "$(property jdk.base)" "$(property jdk.newest)"; do
    [[ $(run "$home") == 'done: true' ]]
done
[[ $(run "$(property jdk.newest)" -Dgpustream.layer=ffm) == 'done: true' ]]
[[ $(run "$(property jdk.newest)" -Dgpustream.layer=jni) == 'done: true' ]]
cmp "$place"/extracted/gpustream/*/libgpustream.so.0 "$library"
# As modules, which name the one of the natives.
module=$("$(property jdk.newest)/bin/java" -Dgpustream.cache.dir="$place/extracted" --enable-native-access=io.gpustream -p "$jars" \
    --add-modules io.gpustream,io.gpustream.natives -cp target/classes TwoStreams)
[[ $module == 'done: true' ]]
echo "column JDK $(property jdk.base.version) and $(property jdk.newest.version), $(mvn --version | grep -o 'Maven [0-9.]*' | head -n 1)"

# Without the native libraries, on another processor, and with a cache that may not hold programs: what to do is said.
fails_with 'or add gpustream-natives to the class path' "$(property jdk.base)/bin/java" -cp "target/classes:$(tr : '\n' <<<"$jars" | grep -v natives | paste -sd:)" TwoStreams
fails_with 'there are archives for linux-x86_64 and linux-aarch64' run "$(property jdk.base)" -Dos.arch=riscv64
if unshare -rm true 2>/dev/null; then
    mkdir "$place/noexec"
    export -f run
    export place jars
    fails_with 'mounted noexec (-Dgpustream.cache.dir names another folder)' unshare -rm bash -c \
        'mount -t tmpfs -o noexec none "$place/noexec" && run "$0" -Dgpustream.cache.dir="$place/noexec"' "$(property jdk.base)"
fi
echo 'java: the repository serves a new project, without the network'
