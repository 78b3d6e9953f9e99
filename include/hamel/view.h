/*
 * What of a robot is seen, and a page that shows it (libhamel-io).
 *
 *   hml_scene_load          the visuals of a URDF or MJCF file, for a model that was read from it
 *   hml_scene_load_memory   the same from memory
 *   hml_trajectory_load     a motion that hamel simulate, or numpy.savez, has written
 *   hml_write_page          one HTML file with the robot, its meshes and a motion; hml_save_page writes it to a file
 *
 * The model itself has no visuals, as no computation needs them. A Hamel JSON file has none either: its robots are seen
 * by their collision shapes, bones and inertias. docs/view.md says what is read and where mesh files are looked for.
 */
#ifndef HAMEL_VIEW_H
#define HAMEL_VIEW_H

#include "hamel/io.h"

typedef enum hml_visual_kind {
    HML_VISUAL_SPHERE = 1,    /* size: radius */
    HML_VISUAL_BOX = 2,       /* size: half lengths along x, y, z */
    HML_VISUAL_CAPSULE = 3,   /* size: radius, half length of its axis, which is z; the ends are half balls */
    HML_VISUAL_CYLINDER = 4,  /* size: radius, half length; along z */
    HML_VISUAL_ELLIPSOID = 5, /* size: half axes along x, y, z */
    HML_VISUAL_PLANE = 6,     /* size: half lengths along x and y, 0: endless; it faces z */
    HML_VISUAL_MESH = 7       /* size: scale along x, y, z */
} hml_visual_kind;

typedef struct hml_visual {
    int32_t frame; /* hml_model_frame; −1: the world */
    hml_visual_kind kind;
    double size[3];
    double position[3], rotation[9]; /* in the frame; row-major */
    double colour[4];                /* red, green, blue, opacity, each in [0, 1]; red −1: the file gives no colour */
    int32_t mesh;                    /* index of a file of the scene; −1: not a mesh */
    int32_t texture;                 /* index of a file of the scene; −1: none */
    int paint;                       /* 1: the colour replaces the colours that the mesh file has itself */
} hml_visual;

typedef struct hml_scene {
    size_t struct_size;
    int32_t nvisuals;
    hml_visual *visuals;
    int32_t nfiles;
    char **files; /* paths of meshes and textures that exist and are not too large; each once */
    int32_t nwarnings;
    char **warnings; /* meshes that were not found, and what else cannot be shown */
} hml_scene;

/* larger files are left out with a warning: a page holds them all, and a browser reads it at once */
enum { HML_SCENE_MAX_FILE = 64 << 20, HML_SCENE_MAX_FILES = 256 << 20 };

/* path, options: those the model was loaded with. Frames are looked up in the model by their names */
HML_API hml_status hml_scene_load(const char *path, const hml_load_options *options, const hml_model *model,
                                  hml_scene **scene, hml_error *error);

/*
 * name: for messages and the ending, and where relative mesh files are; NULL: none. The text may come from anybody: it
 * names files of packages and files below its folder, no others
 */
HML_API hml_status hml_scene_load_memory(const void *data, size_t size, const char *name,
                                         const hml_load_options *options, const hml_model *model, hml_scene **scene,
                                         hml_error *error);

HML_API void hml_scene_free(hml_scene *scene);

/* ---- a motion ---- */

typedef struct hml_trajectory {
    size_t struct_size;
    int32_t count, nq;
    double *time; /* count, increasing */
    double *q;    /* count × nq */
    int32_t ncontacts;
    char **contact_names;      /* ncontacts */
    double *contact_positions; /* count × ncontacts × 3, in the world */
    double *contact_forces;    /* count × ncontacts × 3, in the world's axes */
} hml_trajectory;

/*
 * A .npz or .json file with an array `position`, one configuration per row; `time`, one entry per row (without it rows
 * are 0.02 s apart); and `contact_names`, `contact_positions` and `contact_forces`, which may all be missing.
 */
HML_API hml_status hml_trajectory_load(const char *path, const hml_model *model, hml_trajectory **trajectory,
                                       hml_error *error);
HML_API void hml_trajectory_free(hml_trajectory *trajectory);

/* ---- a page ---- */

/*
 * What a page shows beside the robot. hml_page_options_init fills the defaults: the neutral configuration, no motion, no
 * visuals.
 */
typedef struct hml_page_options {
    size_t struct_size;
    const char *title;      /* NULL: the name of the model */
    const hml_scene *scene; /* its warnings are shown too; NULL: no visuals */
    int32_t count;          /* configurations; 0: the neutral one */
    const double *q;        /* count × nq */
    const double *time;     /* count, increasing, in seconds; may be NULL where count is 1 */
    int ground; /* 1: the floor is the plane z = 0; 0: it lies there, or deeper if the robot reaches deeper */
    int32_t ncontacts;
    const char *const *contact_names;    /* ncontacts */
    const double *contact_positions;     /* count × ncontacts × 3, in the world */
    const double *contact_forces;        /* count × ncontacts × 3: on the robot, in the world's axes */
    const hml_heightfield *heightfields; /* ground that is shown; its friction does not matter */
    int32_t nheightfields;
} hml_page_options;

HML_API void hml_page_options_init(hml_page_options *options);

/*
 * The page as text, ended by a zero that size does not count; free it with hml_text_free. It needs a browser with WebGL
 * and nothing else: it holds the files of the scene and opens no network connection. options NULL: the defaults.
 */
HML_API hml_status hml_write_page(const hml_model *model, const hml_page_options *options, char **text, size_t *size,
                                  hml_error *error);
HML_API hml_status hml_save_page(const hml_model *model, const hml_page_options *options, const char *path,
                                 hml_error *error);

#endif
