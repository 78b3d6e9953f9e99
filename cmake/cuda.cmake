# libhamel-cuda: batches on a GPU of NVIDIA (docs/gpu.md). Needs nvcc, from the system or from the wheels of PyPI:
#   pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl
# It is called directly: CMake's own support of CUDA does not know the folders of the wheels.
set(HAMEL_CUDA_ARCHITECTURES "80;86;89;90;100" CACHE STRING "GPUs that libhamel-cuda has machine code for; the newest gets PTX too")
file(GLOB HAMEL_NVCC_FOLDERS /usr/local/cuda/bin ${PROJECT_BINARY_DIR}/venv/lib/python3*/site-packages/nvidia/cu*/bin)
if(DEFINED ENV{VIRTUAL_ENV})
  file(GLOB HAMEL_NVCC_VENV $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia/cu*/bin)
endif()
find_program(HAMEL_NVCC nvcc HINTS ${HAMEL_NVCC_FOLDERS} ${HAMEL_NVCC_VENV})
if(NOT HAMEL_NVCC)
  message(FATAL_ERROR "HAMEL_CUDA needs nvcc: install the CUDA toolkit or the wheels named in docs/gpu.md, and set HAMEL_NVCC to its path")
endif()
get_filename_component(HAMEL_CUDA_ROOT ${HAMEL_NVCC} DIRECTORY)
get_filename_component(HAMEL_CUDA_ROOT ${HAMEL_CUDA_ROOT} DIRECTORY)
find_library(HAMEL_CUDART cudart_static HINTS ${HAMEL_CUDA_ROOT} /usr/local/cuda PATH_SUFFIXES lib lib64 targets/x86_64-linux/lib)
if(NOT HAMEL_CUDART)
  message(FATAL_ERROR "HAMEL_CUDA needs libcudart_static.a beside ${HAMEL_NVCC}; set HAMEL_CUDART to its path")
endif()

set(codes "")
foreach(arch IN LISTS HAMEL_CUDA_ARCHITECTURES)
  list(APPEND codes -gencode arch=compute_${arch},code=sm_${arch})
  set(newest ${arch})
endforeach()
list(APPEND codes -gencode arch=compute_${newest},code=compute_${newest})

# a CUDA source for a type of number, compiled to an object of the list HAMEL_CUDA_OBJECTS
function(hamel_cuda_object name source definitions)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/cuda/${name}.o)
  add_custom_command(OUTPUT ${object} DEPFILE ${object}.d DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} COMMENT "nvcc ${name}"
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/cuda
                     COMMAND ${HAMEL_NVCC} -std=c++17 -O3 ${codes} ${definitions} -I${PROJECT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR}
                             -Xcompiler -fPIC,-fvisibility=hidden -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object})
  set(HAMEL_CUDA_OBJECTS ${HAMEL_CUDA_OBJECTS} ${object} PARENT_SCOPE)
endfunction()

hamel_cuda_object(kernel_f32 cuda/kernel.cu -DHML_NUM_F32)
hamel_cuda_object(kernel_f64 cuda/kernel.cu -DHML_NUM_F64)
hamel_cuda_object(motion_f32 cuda/motion.cu -DHML_NUM_F32)
hamel_cuda_object(motion_f64 cuda/motion.cu -DHML_NUM_F64)
hamel_cuda_object(device cuda/device.cu "")

# shared always: whoever wants it loads it at run time
add_library(hamel-cuda SHARED $<TARGET_OBJECTS:hamel_cuda_host> ${HAMEL_CUDA_OBJECTS})
target_include_directories(hamel-cuda INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
find_package(Threads REQUIRED)
target_link_libraries(hamel-cuda PRIVATE hamel ${HAMEL_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt stdc++ m)
set_target_properties(hamel-cuda PROPERTIES LINKER_LANGUAGE C VERSION ${PROJECT_VERSION} SOVERSION 0)
target_link_options(hamel-cuda PRIVATE -Wl,--exclude-libs,ALL)

# on a GPU: make cuda-test, make cuda-bench. Not one of the tests, which need a GPU no more than cmocka is needed here
if(HAMEL_TOP)
  add_executable(cuda_gpu EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/cuda/cuda_gpu.c)
  target_link_libraries(cuda_gpu PRIVATE hamel hamel-cuda hamel_flags m)
  if(TARGET hamel-io)
    target_link_libraries(cuda_gpu PRIVATE hamel-io)
    target_compile_definitions(cuda_gpu PRIVATE HAMEL_HAS_IO)
  endif()
  set_target_properties(cuda_gpu PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
