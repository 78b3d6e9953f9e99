# What `cmake --install` puts where, and how others find it: find_package(hamel) and pkg-config.
set(HAMEL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/hamel)

install(DIRECTORY include/hamel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# Two export sets: a program that needs only the core does not need the libraries of the readers and writers.
set_target_properties(hamel-control PROPERTIES INSTALL_RPATH "$ORIGIN") # finds libhamel beside it
install(TARGETS hamel hamel-control EXPORT hamelTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT hamelTargets NAMESPACE hamel:: DESTINATION ${HAMEL_CMAKE_DIR})
if(TARGET hamel-io)
  get_directory_property(HAMEL_IO_MODULES DIRECTORY src DEFINITION HAMEL_IO_MODULES)
  set_target_properties(hamel-io PROPERTIES INSTALL_RPATH "$ORIGIN") # finds libhamel beside it
  install(TARGETS hamel-io EXPORT hamelIoTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT hamelIoTargets NAMESPACE hamel:: DESTINATION ${HAMEL_CMAKE_DIR})
endif()

if(TARGET hamel-cuda) # loaded at run time, or linked by name: it is in no export set
  set_target_properties(hamel-cuda PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS hamel-cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

configure_package_config_file(cmake/hamelConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/hamelConfig.cmake
                              INSTALL_DESTINATION ${HAMEL_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/hamelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/hamelConfig.cmake ${PROJECT_BINARY_DIR}/cmake/hamelConfigVersion.cmake
        DESTINATION ${HAMEL_CMAKE_DIR})

# pkg-config: a program must link the dependencies of a static library itself; a shared library brings them along.
if(BUILD_SHARED_LIBS)
  set(HAMEL_PC_PRIVATE .private)
endif()
string(REPLACE ";" " " HAMEL_PC_REQUIRES "${HAMEL_IO_MODULES}")
file(RELATIVE_PATH HAMEL_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p) # so that the prefix can be moved
string(REGEX REPLACE "/$" "" HAMEL_PC_PREFIX ${HAMEL_PC_PREFIX})
configure_file(cmake/hamel.pc.in ${PROJECT_BINARY_DIR}/cmake/hamel.pc @ONLY)
configure_file(cmake/hamel-control.pc.in ${PROJECT_BINARY_DIR}/cmake/hamel-control.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/hamel.pc ${PROJECT_BINARY_DIR}/cmake/hamel-control.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET hamel-io)
  configure_file(cmake/hamel-io.pc.in ${PROJECT_BINARY_DIR}/cmake/hamel-io.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/hamel-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# what is inside and what is linked: a software bill of materials (CycloneDX)
if(TARGET hamel-io)
  get_directory_property(HAMEL_BOM_ONE DIRECTORY src DEFINITION HAMEL_IO_DEPS_VERSION) # its name if there is one module only
  set(HAMEL_BOM_LINES "")
  set(HAMEL_BOM_NAMES "\"three\"")
  foreach(entry "expat|MIT|XML" "libzip|BSD-3-Clause|NPZ, brings zlib (Zlib)" "libzstd|BSD-3-Clause|Zarr"
                "matio|BSD-2-Clause|MAT, brings HDF5 (BSD-3-Clause) and zlib (Zlib)")
    string(REPLACE "|" ";" entry "${entry}")
    list(GET entry 0 module)
    list(GET entry 1 licence)
    list(GET entry 2 what)
    if(NOT module IN_LIST HAMEL_IO_MODULES)
      continue()
    endif()
    get_directory_property(version DIRECTORY src DEFINITION HAMEL_IO_DEPS_${module}_VERSION)
    if(NOT version)
      set(version ${HAMEL_BOM_ONE})
    endif()
    string(APPEND HAMEL_BOM_LINES ",\n    {\"bom-ref\": \"${module}\", \"type\": \"library\", \"name\": \"${module}\", "
                  "\"version\": \"${version}\", \"licenses\": [{\"license\": {\"id\": \"${licence}\"}}], "
                  "\"description\": \"linked by libhamel-io: ${what}\"}")
    string(APPEND HAMEL_BOM_NAMES ", \"${module}\"")
  endforeach()
  file(READ viewer/package.json HAMEL_PAGE_PARTS)
  string(JSON HAMEL_THREE_VERSION GET "${HAMEL_PAGE_PARTS}" devDependencies three)
  set(HAMEL_SIGN "@") # of a package URL
  configure_file(cmake/hamel.cdx.json.in ${PROJECT_BINARY_DIR}/cmake/hamel.cdx.json @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/hamel.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
  if(SKBUILD_METADATA_DIR) # a wheel: where PEP 770 looks for it
    install(FILES ${PROJECT_BINARY_DIR}/cmake/hamel.cdx.json DESTINATION ${SKBUILD_METADATA_DIR}/sboms)
  endif()
endif()
