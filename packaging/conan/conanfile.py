# SPDX-License-Identifier: Apache-2.0
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir

required_conan_version = ">=2.0"


class GpustreamConan(ConanFile):
    name = "gpustream"
    version = "@VERSION@"
    description = "Devices, streams, events and the per-thread current stream, for any language"
    license = "Apache-2.0"
    homepage = "https://github.com/gpustream/gpustream"
    url = "https://github.com/conan-io/conan-center-index"
    topics = ("cuda", "gpu", "stream", "event")
    # A static copy in a program would be a second one beside that of its other languages.
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("gpustream is for Linux on x86_64 and armv8")
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, f"{self.homepage}/releases/download/v{self.version}/gpustream-{self.version}-source.tar.gz", sha256="@SOURCE_SHA256@", strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_TOOLS"):
            toolchain.cache_variables[f"GPUSTREAM_{option}"] = False
        toolchain.cache_variables["GPUSTREAM_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for folder in ("cmake", "pkgconfig"):  # Conan generates its own
            rmdir(self, os.path.join(self.package_folder, "lib", folder))

    def package_info(self):
        self.cpp_info.libs = ["gpustream"]
        self.cpp_info.set_property("cmake_file_name", "gpustream")
        self.cpp_info.set_property("cmake_target_name", "gpustream::gpustream")
        self.cpp_info.set_property("pkg_config_name", "gpustream")
