# Writes the robots as a table of bytes, so that they can be loaded from anywhere.
# cmake -DOUTPUT=builtin_robots.c -DFOLDER=robots -P EmbedRobots.cmake
file(GLOB robots ${FOLDER}/*.json)
list(SORT robots)
set(arrays "")
set(rows "")
set(count 0)
foreach(robot IN LISTS robots)
  get_filename_component(name ${robot} NAME_WE)
  file(READ ${robot} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char robot_${count}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", robot_${count}, sizeof robot_${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made by EmbedRobots.cmake from the robots/ folder. */
#include \"io/builtin.h\"

${arrays}
const builtin hmli_builtins[] = {
${rows}};

const int32_t hmli_builtin_number = ${count};
")
