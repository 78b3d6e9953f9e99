# Algorithms of cost O(n), and the four forms of Newton-Euler. linear_bench measures their time. forms_count counts the
# operations of the same source, compiled as C++ with a number type that counts. `--target bench_forms` prints both.
add_executable(linear_bench studies/linear.c)
target_link_libraries(linear_bench PRIVATE hamel hamel_flags m)
set(HAMEL_FORMS $<TARGET_FILE:linear_bench>)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  add_executable(forms_count studies/forms_count.cpp)
  set_target_properties(forms_count PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  target_include_directories(forms_count PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(forms_count PRIVATE hamel m)
  list(APPEND HAMEL_FORMS $<TARGET_FILE:forms_count>)
endif()
add_custom_target(bench_forms COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/studies/forms.py ${HAMEL_FORMS} USES_TERMINAL VERBATIM)
