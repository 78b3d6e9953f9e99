/*
 * Generated code in this process: generated, compiled by the system's compiler, kept in a folder and loaded. Whatever
 * goes wrong on the way, the library's own kernels take over, and a sentence says why.
 */
#include "hamel/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined _WIN32
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "base/struct_size.h"
#include "generate/compile.h"
#include "generate/emit.h"
#include "hamel/io.h"
#include "io/common/report.h"

enum { PATH_SIZE = 4096, FLAGS_MOST = 8 };
enum { REVISION = 4 }; /* of the generator: what an older one has left in the folder is not used */

const char *hml_compiled_note(const hml_compiled *c) { return c && !c->linearize ? c->note : NULL; }

#if defined _WIN32 /* another way to start a compiler and to load its work, which nobody has written yet */

void hml_compiled_free(hml_compiled *c) { free(c); }

static const char *make(hml_compiled *c, const hml_compile_options *o, const char *hash)
{
    (void)c, (void)o, (void)hash;
    return "code is not compiled on Windows";
}

#else

extern char **environ;

void hml_compiled_free(hml_compiled *c)
{
    if (c && c->library) dlclose(c->library);
    free(c);
}

/* ---- where it is kept ---- */

static int make_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0700) == 0) return 1;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) && access(path, W_OK) == 0;
}

static int cache_folder(const char *given, char path[PATH_SIZE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (given)
        length = snprintf(path, PATH_SIZE, "%s", given);
    else if (cache && *cache)
        length = snprintf(path, PATH_SIZE, "%s", cache);
    else if (home && *home)
        length = snprintf(path, PATH_SIZE, "%s/.cache", home);
    if (length <= 0 || length > PATH_SIZE / 2 || !make_folder(path)) return 0;
    if (!given) snprintf(path + length, PATH_SIZE - (size_t)length, "/hamel");
    return make_folder(path);
}

/* ---- compiling ---- */

/* what a compiler needs to hear about this processor; NULL ends the list */
static void processor_flags(const char *flags[FLAGS_MOST])
{
    int n = 0;
#if defined __x86_64__
    const hml_isa isa = hml_isa_best();
    if (isa == HML_ISA_AVX2 || isa == HML_ISA_AVX512) flags[n++] = "-march=haswell";
    if (isa == HML_ISA_AVX512) {
        flags[n++] = "-mavx512f";
        flags[n++] = "-mavx512vl";
        flags[n++] = "-mavx512dq";
    }
#endif
    flags[n] = NULL;
}

/* runs the compiler, which says nothing; 1 if it was content */
static int run_compiler(const char *compiler, const char *source, const char *out)
{
    const char *flags[FLAGS_MOST], *arguments[FLAGS_MOST + 12];
    const char *const first[] = {compiler, "-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared", "-w"};
    int n = 0, status = 1;
    pid_t child;
    posix_spawn_file_actions_t actions;
    processor_flags(flags);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) arguments[n++] = first[i];
    for (int i = 0; flags[i]; i++) arguments[n++] = flags[i];
    arguments[n++] = "-o";
    arguments[n++] = out;
    arguments[n++] = source;
    arguments[n++] = "-lm";
    arguments[n] = NULL;
    if (posix_spawn_file_actions_init(&actions)) return 0;
    int failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) ||
                 posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) ||
                 posix_spawnp(&child, compiler, &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return 0;
    while ((failed = waitpid(child, &status, 0) < 0) && errno == EINTR) {
    } /* a signal is not the compiler's end */
    return !failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* makes the source, and the file with the code; a sentence if that does not work, NULL if it does */
static const char *build(const hml_model *model, const char *compiler, const char *source, const char *code)
{
    hml_generate_options options;
    hml_error error = {0};
    hml_generate_options_init(&options);
    options.functions = HML_GENERATE_LINEARIZE;
    options.prefix = "robot";
    options.target = HML_TARGET_VECTOR;
    options.batch = 1;
    const hml_status status = hml_generate(model, &options, source, &error);
    if (status == HML_UNSUPPORTED) return "the code of this robot would be too large";
    if (status) return "its code cannot be written";
    return run_compiler(compiler, source, code) ? NULL : "there is no C compiler, or it failed";
}

/* ---- loading ---- */

/* loads the code, and asks for which calls it is faster if *choice is negative */
static const char *load(hml_compiled *c, const char *path, int *choice)
{
    c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *single = c->library ? dlsym(c->library, "robot_linearize") : NULL;
    void *batch = c->library ? dlsym(c->library, "robot_linearize_batch") : NULL;
    if (!single || !batch) return "the compiled code cannot be loaded";
    memcpy(&c->linearize, &single, sizeof single);
    memcpy(&c->batch, &batch, sizeof batch);
    const int faster = hmli_compiled_choose(c->model, c->linearize, c->batch, *choice < 0);
    if (*choice < 0) *choice = faster;
    if (faster >= 0) return NULL;
    c->linearize = NULL;
    return "the compiled code does not agree with the library";
}

/* ---- what is kept ---- */

/* a sum of all bytes of a file (FNV-1a); 0: it cannot be read to its end */
static uint64_t checksum(const char *path)
{
    unsigned char bytes[1 << 14];
    uint64_t sum = 0xcbf29ce484222325u;
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        for (size_t i = 0; i < n; i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
    }
    const int good = !ferror(file);
    return fclose(file) == 0 && good ? sum : 0;
}

/* is all of it on the disk? A machine that stops now would otherwise leave a name without its contents */
static int settle(const char *path)
{
    const int file = open(path, O_RDONLY);
    const int good = file >= 0 && fsync(file) == 0;
    return (file < 0 || close(file) == 0) && good;
}

/* the file with a choice and its checksum at its end, which is where both are kept */
static void name_kept(const char *path, int choice, uint64_t sum, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%.4000s-%d-%016llx.so", path, choice, (unsigned long long)sum);
}

/* loads a file whose name is that of this robot; what is not what its name says, or cannot be used, is removed */
static int take(hml_compiled *c, const char *folder, const char *name, const char *path)
{
    char file[PATH_SIZE], whole[PATH_SIZE];
    snprintf(file, sizeof file, "%.3000s/%.900s", folder, name);
    const size_t length = strlen(path);
    if (strncmp(file, path, length) != 0 || file[length] != '-') return 0;
    c->choice = file[length + 1] - '0';
    if (c->choice < 0 || c->choice > COMPILED_ALL) return 0;
    name_kept(path, c->choice, checksum(file), whole);
    if (strcmp(file, whole) == 0 && !load(c, file, &c->choice)) return 1;
    if (c->library) dlclose(c->library);
    c->library = NULL;
    remove(file);
    return 0;
}

/* code that was kept: is there any? */
static int find(hml_compiled *c, const char *folder, const char *path)
{
    int found = 0;
    DIR *all = opendir(folder);
    for (const struct dirent *e; all && !found && (e = readdir(all));) found = take(c, folder, e->d_name, path);
    if (all) closedir(all);
    return found;
}

/* a sentence if it cannot be kept */
static const char *keep(const hml_compiled *c, const char *file, const char *path)
{
    char kept[PATH_SIZE];
    const uint64_t sum = settle(file) ? checksum(file) : 0;
    name_kept(path, c->choice, sum, kept);
    return sum && rename(file, kept) == 0 ? NULL : "the folder for compiled robots cannot be written";
}

/* code that was kept, or code that is made now, and kept with the choice that is made once: calls of later processes are
 * then answered by the same code */
static const char *find_or_build(hml_compiled *c, const char *compiler, const char *folder, const char *path)
{
    static const char *const files[] = {"robot.c", "robot.h", "robot.so"};
    char own[PATH_SIZE], file[3][PATH_SIZE];
    if (find(c, folder, path)) return NULL;
    c->choice = -1;
    snprintf(own, sizeof own, "%.3000s/build-XXXXXX", folder);
    if (!mkdtemp(own)) return "the folder for compiled robots cannot be written";
    for (int i = 0; i < 3; i++) snprintf(file[i], sizeof file[i], "%.3500s/%s", own, files[i]);
    const char *problem = build(c->model, compiler, file[0], file[2]);
    if (!problem) problem = load(c, file[2], &c->choice);
    if (!problem) problem = keep(c, file[2], path);
    if (problem) c->linearize = NULL;
    for (int i = 0; i < 3; i++) remove(file[i]);
    rmdir(own);
    return problem;
}

/* a sentence if there is no code, NULL if there is */
static const char *make(hml_compiled *c, const hml_compile_options *o, const char *hash)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    const char *cc = getenv("CC"), *compiler = o->compiler ? o->compiler : cc && *cc ? cc : "cc";
    if (!cache_folder(o->cache, folder)) return "there is no folder for compiled robots";
    snprintf(path, sizeof path, "%.3000s/%s-%s-%d-%s", folder, hash, hml_version(), REVISION,
             hml_isa_name(hml_isa_best()));
    return find_or_build(c, compiler, folder, path);
}

#endif

hml_status hml_model_compile(const hml_model *model, const hml_compile_options *given, hml_compiled **compiled,
                             hml_error *error)
{
    hml_compile_options room;
    const hml_compile_options none = {.struct_size = sizeof none};
    const hml_compile_options *o = STRUCT_TAKE(hml_compile_options, given ? given : &none, &room, compiler);
    if (!model || !compiled || !o)
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "the options of the compiler make no sense");
    char hash[17];
    const hml_status status = hmli_generate_hash(model, hash, error);
    if (status) return status;
    hml_compiled *c = calloc(1, sizeof *c);
    if (!c) return hmli_report_memory(error, NULL);
    c->model = model;
    const char *problem = make(c, o, hash);
    if (o->always) c->choice = COMPILED_ALL;
    if (!problem && !c->choice) problem = "compiled code is not faster for this robot";
    if (problem) {
        c->linearize = NULL;
        snprintf(c->note, sizeof c->note, "%s; the library's kernels do the work", problem);
    }
    *compiled = c;
    return HML_OK;
}
