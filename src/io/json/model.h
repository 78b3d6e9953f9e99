/* The parts of Hamel's own model format. */
#ifndef HML_IO_JSON_MODEL_H
#define HML_IO_JSON_MODEL_H

#include "hamel/model.h"
#include "io/json/read.h"
#include "io/reader.h"

typedef struct json_model {
    reader *r;
    json_reader json;
} json_model;

/* keys that are not known: a warning for each, once a kind */
hml_status hmli_json_warn_keys(json_model *m, const place *object, const char *kind, const char *const known[]);

/* {"position", "rotation" | "rpy" | "quaternion"}; not there: the identity */
hml_status hmli_json_origin(json_model *m, const place *at, double position[3], double rotation[9]);

/* everything of a shape; *body points into the JSON, NULL: the world */
hml_status hmli_json_shape(json_model *m, const place *at, const char **body, hml_shape *shape);

/* an exclusion into the builder; places: the names of bodies and frames */
hml_status hmli_json_exclusion(json_model *m, const place *at, const map *places);

/* a loop into the builder, whose bodies and frames are there */
hml_status hmli_json_loop(json_model *m, const place *at);

/* a keyframe into the builder, whose joints are there */
hml_status hmli_json_keyframe(json_model *m, const place *at);

/* an actuator into the builder */
hml_status hmli_json_actuator(json_model *m, const place *at);

/* what the builder says, with the place in front of it */
hml_status hmli_json_builder_fail(json_model *m, const place *at, hml_status status);

/* everything of a joint; spec->name and spec->mimic point into the JSON */
hml_status hmli_json_joint(json_model *m, const place *at, hml_joint_spec *spec);

#endif
