/*
 * load_bench [--make FILE LINKS] [FILE...]
 *
 * Milliseconds of processor time to load a model: chains of 100 to 100000 links made here, as URDF, as Hamel JSON and
 * as a model block, then each FILE. The least of several runs; the file is in memory for the chains, on disk for each
 * FILE. --make only writes the URDF chain, for other programs to load.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/io.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* a chain in which every number is used: placements, axes, limits, damping, inertias */
static char *make_urdf(int links, size_t *size)
{
    char *text = malloc((size_t)links * 700 + 1000), *at = text;
    if (!text) exit(1);
    at += sprintf(at, "<robot name=\"chain\">\n");
    for (int i = 0; i < links; i++) {
        at += sprintf(
            at,
            "  <link name=\"link_%d\"><inertial><origin xyz=\"0.%03d 0.02 0.1\" rpy=\"0 0 0\"/><mass "
            "value=\"1.%d\"/><inertia ixx=\"0.0123\" ixy=\"0.0001\" ixz=\"0\" iyy=\"0.0117\" iyz=\"0\" "
            "izz=\"0.0021\"/></inertial><visual><geometry><box size=\"0.1 0.1 0.1\"/></geometry></visual></link>\n",
            i, i % 1000, i);
        if (i == 0) continue;
        at += sprintf(
            at,
            "  <joint name=\"joint_%d\" type=\"revolute\"><parent link=\"link_%d\"/><child link=\"link_%d\"/>"
            "<origin xyz=\"0.01 0.002 0.1%d\" rpy=\"0.1 -0.2 1.57079632679\"/><axis xyz=\"0 1 0\"/><limit "
            "lower=\"-2.5\" upper=\"2.5\" effort=\"150\" velocity=\"3.14\"/><dynamics damping=\"0.5\"/></joint>\n",
            i, i - 1, i, i % 97);
    }
    at += sprintf(at, "</robot>\n");
    *size = (size_t)(at - text);
    return text;
}

static double load_memory(const char *data, size_t size, const char *name, int runs, hml_model **model)
{
    double best = 1e300;
    for (int i = 0; i < runs; i++) {
        hml_error error;
        hml_model_free(*model);
        double start = now();
        if (hml_load_memory(data, size, name, NULL, model, &error)) {
            fprintf(stderr, "load_bench: %s:%d: %s\n", error.file, error.line, error.message);
            exit(1);
        }
        double took = now() - start;
        if (took < best) best = took;
    }
    return best;
}

static double load_block(const hml_model *model, int runs)
{
    double best = 1e300;
    for (int i = 0; i < runs; i++) {
        hml_model *copy;
        double start = now();
        if (hml_model_from_data(hml_model_data(model), hml_model_size(model), &copy)) exit(1);
        double took = now() - start;
        if (took < best) best = took;
        hml_model_free(copy);
    }
    return best;
}

static void measure_chain(int links)
{
    size_t urdf_size, json_size;
    int runs = links > 20000 ? 3 : 10;
    char *urdf = make_urdf(links, &urdf_size), *json;
    hml_model *model = NULL;
    double from_urdf = load_memory(urdf, urdf_size, "chain.urdf", runs, &model);
    if (hml_write_json(model, &json, &json_size, NULL)) exit(1);
    double from_json = load_memory(json, json_size, "chain.json", runs, &model);
    double from_block = load_block(model, runs);
    printf("%8d %10.2f %10.2f %10.2f %12.2f %12.2f\n", links, (double)urdf_size / 1e6, from_urdf, from_json, from_block,
           1e3 * from_urdf / links);
    free(urdf);
    hml_text_free(json);
    hml_model_free(model);
}

static void measure_file(const char *path)
{
    double best = 1e300;
    hml_model *model = NULL;
    for (int i = 0; i < 20; i++) {
        hml_error error;
        hml_model_free(model);
        double start = now();
        if (hml_load(path, NULL, &model, &error)) {
            fprintf(stderr, "load_bench: %s:%d: %s\n", error.file, error.line, error.message);
            return;
        }
        double took = now() - start;
        if (took < best) best = took;
    }
    const char *slash = strrchr(path, '/');
    printf("%-32s nv %6d   Hamel %10.3f ms\n", slash ? slash + 1 : path, hml_model_nv(model), best);
    hml_model_free(model);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--make") == 0) {
        size_t size;
        hml_error error;
        char *text = make_urdf(atoi(argv[3]), &size);
        hml_status status = hml_file_write(argv[2], text, size, &error);
        if (status) fprintf(stderr, "load_bench: %s: %s\n", error.file, error.message);
        free(text);
        return status != HML_OK;
    }
    printf("%8s %10s %10s %10s %12s %12s\n", "links", "URDF, MB", "URDF, ms", "JSON, ms", "block, ms", "URDF, us/link");
    for (int links = 100; links <= 100000; links *= 10) measure_chain(links);
    for (int i = 1; i < argc; i++) measure_file(argv[i]);
    return 0;
}
