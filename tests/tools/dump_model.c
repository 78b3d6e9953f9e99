/*
 * dump_model [--base free|fixed] [--independent] [--keep-fixed] MODEL < CONFIGURATIONS
 *
 * Prints a model as JSON: names, coordinates, inertias, passive forces, and the pose of every frame at each
 * configuration on standard input (lines of nq numbers). Poses come from the model's public data and group/joint.h
 * alone, not from the library's own kinematics.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group/joint.h"
#include "hamel/io.h"
#include "model/pose.h"

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_numbers(const char *name, const double *x, int n)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < n; i++) {
        if (isfinite(x[i]))
            printf("%s%.17g", i ? ", " : "", x[i]);
        else
            printf("%snull", i ? ", " : "");
    }
    printf("]");
}

static void print_bodies(const hml_model *model)
{
    printf("\"bodies\": [");
    for (int32_t i = 0; i < hml_model_nbodies(model); i++) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_body(model, i, &body);
        printf("%s\n {\"name\": ", i ? "," : "");
        print_text(body.name);
        printf(", \"parent\": %d, \"mass\": %.17g", body.parent, body.mass);
        print_numbers("com", body.com, 3);
        print_numbers("moment", body.moment, 9);
        printf("}");
    }
    printf("]");
}

static void print_joints(const hml_model *model)
{
    printf(",\n\"joints\": [");
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(model, i, &joint);
        printf("%s\n {\"name\": ", i ? "," : "");
        print_text(joint.name);
        int nq = hml_joint_type_nq(joint.type), nv = hml_joint_type_nv(joint.type);
        printf(", \"type\": \"%s\", \"body\": %d, \"q\": %d, \"nq\": %d, \"v\": %d, \"nv\": %d, \"actuated\": %s",
               hml_joint_type_name(joint.type), joint.body, joint.q, joint.nq, joint.v, joint.nv,
               joint.actuated ? "true" : "false");
        printf(", \"leader\": %d, \"multiplier\": %.17g, \"offset\": %.17g", joint.leader, joint.multiplier,
               joint.offset);
        print_numbers("armature", joint.armature, nv);
        print_numbers("damping", joint.damping, nv);
        print_numbers("stiffness", joint.stiffness, nv);
        print_numbers("rest", joint.rest, nq);
        print_numbers("lower", joint.lower, nv);
        print_numbers("upper", joint.upper, nv);
        print_numbers("effort", joint.effort_limit, nv);
        printf("}");
    }
    printf("]");
}

/* T(point) g(q) T(−point) after the origin; a universal joint is two revolutes */
static pose joint_place(const hml_joint_info *joint, const double *q)
{
    vec3 axis = vec3_at(joint->axis), point = vec3_at(joint->point);
    pose H = pose_of_arrays(joint->rotation, joint->position);
    if (joint->type != HML_JOINT_UNIVERSAL)
        return pose_mul(H, joint_pose((int)joint->type, axis, point, joint->pitch, q));
    H = pose_mul(H, joint_pose(HML_JOINT_REVOLUTE, axis, point, 0, q));
    return pose_mul(H, joint_pose(HML_JOINT_REVOLUTE, vec3_at(joint->axis2), point, 0, q + 1));
}

static void body_poses(const hml_model *model, const double *q, pose *H)
{
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint}, leader = {.struct_size = sizeof leader};
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_joint(model, i, &joint);
        hml_model_body(model, joint.body, &body);
        int32_t parent = body.parent;
        if (joint.type == HML_JOINT_UNIVERSAL) { /* past the cross */
            hml_model_body(model, parent, &body);
            parent = body.parent;
        }
        const double *own = q + joint.q;
        double followed;
        if (joint.leader >= 0) {
            hml_model_joint(model, joint.leader, &leader);
            followed = joint.multiplier * q[leader.q] + joint.offset;
            own = &followed;
        }
        pose g = joint_place(&joint, own);
        H[joint.body] = parent < 0 ? g : pose_mul(H[parent], g);
    }
}

static void print_poses(const hml_model *model, const double *q, pose *H)
{
    body_poses(model, q, H);
    printf("[");
    for (int32_t i = 0; i < hml_model_nframes(model); i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        double row[12];
        hml_model_frame(model, i, &frame);
        pose F = pose_of_arrays(frame.rotation, frame.position);
        if (frame.body >= 0) F = pose_mul(H[frame.body], F);
        pose_to_arrays(F, row, row + 9);
        printf("%s[", i ? ",\n  " : "");
        for (int k = 0; k < 12; k++) printf("%s%.17g", k ? ", " : "", row[k]);
        printf("]");
    }
    printf("]");
}

static void print_frames(const hml_model *model)
{
    int32_t nq = hml_model_nq(model);
    printf(",\n\"frames\": [");
    for (int32_t i = 0; i < hml_model_nframes(model); i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_frame(model, i, &frame);
        printf("%s", i ? ", " : "");
        print_text(frame.name);
    }
    printf("],\n\"warnings\": [");
    for (int32_t i = 0; i < hml_model_nwarnings(model); i++) {
        printf("%s", i ? ", " : "");
        print_text(hml_model_warning(model, i));
    }
    printf("],\n\"poses\": [");
    double *q = calloc((size_t)nq + 1, sizeof *q);
    pose *H = calloc((size_t)hml_model_nbodies(model) + 1, sizeof *H);
    for (int n = 0; q && H; n++) {
        int32_t got = 0;
        while (got < nq && scanf("%lf", &q[got]) == 1) got++;
        if (got < nq || (nq == 0 && n > 0)) break;
        printf("%s\n ", n ? "," : "");
        print_poses(model, q, H);
    }
    free(q);
    free(H);
    printf("]");
}

int main(int argc, char **argv)
{
    hml_load_options options;
    hml_load_options_init(&options);
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--base") == 0 && i + 1 < argc)
            options.base = strcmp(argv[++i], "free") == 0 ? HML_BASE_FREE : HML_BASE_FIXED;
        else if (strcmp(argv[i], "--independent") == 0)
            options.build |= HML_BUILD_MIMIC_INDEPENDENT;
        else if (strcmp(argv[i], "--keep-fixed") == 0)
            options.build |= HML_BUILD_KEEP_FIXED;
        else
            path = argv[i];
    }
    hml_model *model;
    hml_error error = {0};
    if (!path || hml_load(path, &options, &model, &error)) {
        fprintf(stderr, "dump_model: %s:%d: %s\n", error.file, error.line, path ? error.message : "no model");
        return 1;
    }
    double gravity[3];
    hml_model_gravity(model, gravity);
    printf("{\"name\": ");
    print_text(hml_model_name(model));
    printf(", \"nq\": %d, \"nv\": %d, \"mass\": %.17g", hml_model_nq(model), hml_model_nv(model),
           hml_model_mass(model));
    print_numbers("gravity", gravity, 3);
    printf(",\n");
    print_bodies(model);
    print_joints(model);
    print_frames(model);
    printf("}\n");
    hml_model_free(model);
    return 0;
}
