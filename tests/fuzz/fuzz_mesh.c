/* The readers of meshes: the first byte says which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.dae", "a.stl", "a.obj"};
    if (size < 1) return 0;
    triangles m = {0};
    hml_error error = {0};
    char *text = malloc(size); /* all but the first byte, and the zero at the end that files have in memory */
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (hmli_mesh_parse(names[data[0] % 3], text, size - 1, &m, &error)) {
        if (!error.message[0]) abort();
    } else {
        for (size_t i = 0; m.corners && i < 3 * m.ntriangles; i++)
            if (m.corners[i] >= m.nvertices) abort();
    }
    hmli_mesh_free(&m);
    free(text);
    return 0;
}
