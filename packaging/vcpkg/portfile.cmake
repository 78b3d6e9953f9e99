# An overlay port of this tree: vcpkg install hamel --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS OPTIONS FEATURES io HAMEL_IO io HAMEL_CLI)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
                      OPTIONS ${OPTIONS} -DBUILD_TESTING=OFF -DHAMEL_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/hamel)
vcpkg_fixup_pkgconfig()
if("io" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES hamel AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
