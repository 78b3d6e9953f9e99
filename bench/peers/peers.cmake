# The dynamics benchmark and its peers, each peer in a shared object of its own: see contender.h. bench.sh builds
# them in a folder whose C++ compiler is clang, and runs them.
find_package(Threads REQUIRED)
set(HAMEL_BENCH_ROBOTS peers/hamel.c peers/measure.c peers/robots.c)
add_executable(peer_dynamics peers/main.c ${HAMEL_BENCH_ROBOTS})
target_link_libraries(peer_dynamics PRIVATE hamel-io hamel_flags Threads::Threads ${CMAKE_DL_LIBS} m)
target_compile_definitions(peer_dynamics PRIVATE _GNU_SOURCE) # affinity of threads

# one unit per algorithm; MARCH "" uses the package's library as it is
set(HAMEL_PEER_CALLS linearize held rnea aba crba factorization minv forward_kinematics jacobians integrate
                     step_linearize rnea_derivatives coriolis regressor centroidal frame_jacobian com_jacobian
                     gravity centroidal_derivatives frame_rate frame_derivatives com_derivative)
function(add_pinocchio name build march)
  set(units)
  foreach(call model ${HAMEL_PEER_CALLS})
    set(unit ${name}-${call})
    if(call STREQUAL model)
      add_library(${unit} OBJECT EXCLUDE_FROM_ALL peers/pinocchio.cpp)
      target_compile_definitions(${unit} PRIVATE PEER_NAME="${name}" PEER_BUILD="${build}")
    else()
      add_library(${unit} OBJECT EXCLUDE_FROM_ALL peers/pinocchio_calls.cpp)
      target_compile_definitions(${unit} PRIVATE CALL_${call})
    endif()
    set_target_properties(${unit} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
    # constrained dynamics are marked as deprecated there because their interface may change
    target_compile_options(${unit} PRIVATE -O3 -fPIC -Wall -Wextra -Wno-deprecated-declarations)
    target_compile_definitions(${unit} PRIVATE NDEBUG BOOST_MPL_LIMIT_LIST_SIZE=30 BOOST_MPL_LIMIT_VECTOR_SIZE=30
                                               BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS BOOST_FUSION_INVOKE_MAX_ARITY=12)
    target_include_directories(${unit} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_include_directories(${unit} SYSTEM PRIVATE ${HAMEL_EIGEN_INCLUDE} ${HAMEL_PINOCCHIO_INCLUDE})
    if(march)
      target_compile_options(${unit} PRIVATE -march=${march})
    else()
      target_compile_definitions(${unit} PRIVATE PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION)
    endif()
    list(APPEND units $<TARGET_OBJECTS:${unit}>)
  endforeach()
  add_library(${name} MODULE EXCLUDE_FROM_ALL ${units})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                                           BUILD_RPATH ${prefix}/lib)
  # exports one symbol only: the dynamic linker must not mix the functions of two builds of one library
  target_link_options(${name} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/peers/contender.map)
  set_property(TARGET ${name} PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/peers/contender.map)
  if(NOT march)
    target_link_libraries(${name} PRIVATE ${prefix}/lib/libpinocchio_default.so)
  endif()
endfunction()

if(TARGET group_peer AND HAMEL_PINOCCHIO_INCLUDE)
  set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  add_pinocchio(pinocchio-wheel "as shipped" "")
  add_pinocchio(pinocchio-native "${compiler} -O3 -march=native" native)
  add_pinocchio(pinocchio-haswell "${compiler} -O3 -march=haswell" haswell) # AVX2, built when it is asked for
endif()

find_path(HAMEL_MUJOCO_INCLUDE mujoco/mujoco.h PATHS ${HAMEL_PEER_SITE} PATH_SUFFIXES mujoco/include)
if(HAMEL_MUJOCO_INCLUDE)
  file(GLOB mujoco ${HAMEL_MUJOCO_INCLUDE}/../libmujoco.so*)
  add_library(mujoco MODULE EXCLUDE_FROM_ALL peers/mujoco.c)
  set_target_properties(mujoco PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                                          BUILD_RPATH ${HAMEL_MUJOCO_INCLUDE}/..)
  target_compile_definitions(mujoco PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(mujoco PRIVATE ${HAMEL_WARNINGS})
  target_include_directories(mujoco PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(mujoco SYSTEM PRIVATE ${HAMEL_MUJOCO_INCLUDE})
  target_link_libraries(mujoco PRIVATE ${mujoco} m)
  target_link_options(mujoco PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/peers/contender.map)
endif()
