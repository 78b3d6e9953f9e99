# cpack -G DEB in the build folder makes a package for Debian; -G TGZ an archive.
set(CPACK_PACKAGE_NAME hamel)
set(CPACK_PACKAGE_VENDOR "Hamel")
set(CPACK_PACKAGE_CONTACT "The Hamel authors <authors@hamel.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR "TGZ")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # the libraries that the command needs; dpkg-shlibdeps finds them
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libexpat1-dev, libzip-dev, libzstd-dev, libmatio-dev") # to link libhamel-io.a
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "The command hamel, the libraries libhamel, libhamel-io and libhamel-control,
and their headers for C and C++.")
include(CPack)
