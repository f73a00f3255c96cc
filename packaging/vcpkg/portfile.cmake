# SPDX-License-Identifier: Apache-2.0
if(VCPKG_TARGET_IS_LINUX)
  # One shared library for all languages of a process: a static copy would be a second one.
  vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
endif()
vcpkg_download_distfile(
  ARCHIVE
  URLS "https://github.com/gpustream/gpustream/releases/download/v${VERSION}/gpustream-${VERSION}-source.tar.gz"
  FILENAME "gpustream-${VERSION}-source.tar.gz"
  SHA512 @SOURCE_SHA512@
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DGPUSTREAM_BUILD_TESTS=OFF
    -DGPUSTREAM_BUILD_EXAMPLES=OFF
    -DGPUSTREAM_BUILD_TOOLS=OFF
    -DGPUSTREAM_INSTALL=ON
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gpustream)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
