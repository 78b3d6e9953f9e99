# Writes a file as an array of bytes, ended by a zero, so that a library can carry it.
# cmake -DINPUT=page.html -DOUTPUT=page.c -DNAME=hmli_page -P EmbedFile.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
get_filename_component(input ${INPUT} NAME)
file(WRITE ${OUTPUT} "/* Made by EmbedFile.cmake from ${input}. */
#include <stddef.h>

extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
const unsigned char ${NAME}[] = {${bytes}0};
const size_t ${NAME}_size = sizeof ${NAME} - 1;
")
