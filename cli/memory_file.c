/* See memory_file.h. */
#include "memory_file.h"

#include <stdlib.h>

#if defined _WIN32 /* it has no such files: one in the temporary folder, which goes when it is closed */

int memory_file_begin(memory_file *file)
{
    char *name = _tempnam(NULL, "hamel");
    *file = (memory_file){.out = name ? fopen(name, "w+bTD") : NULL};
    free(name);
    return file->out != NULL;
}

int memory_file_end(memory_file *file)
{
    const long size = fflush(file->out) == 0 ? ftell(file->out) : -1;
    file->text = size >= 0 && !ferror(file->out) ? malloc((size_t)size + 1) : NULL;
    file->size = (size_t)(size < 0 ? 0 : size);
    rewind(file->out);
    int good = file->text && fread(file->text, 1, file->size, file->out) == file->size;
    fclose(file->out);
    if (good) file->text[file->size] = 0;
    if (good) return 1;
    free(file->text);
    file->text = NULL;
    return 0;
}

#else

int memory_file_begin(memory_file *file)
{
    *file = (memory_file){0};
    file->out = open_memstream(&file->text, &file->size);
    return file->out != NULL;
}

int memory_file_end(memory_file *file)
{
    if (fclose(file->out) == 0 && file->text) return 1;
    free(file->text);
    file->text = NULL;
    return 0;
}

#endif
