/*
 * Changing models. A model is immutable; an edit makes a new one and leaves the old one alone.
 *
 *   hml_model_to_builder      a model as a builder
 *   hml_builder_add_model     put a whole model on a body of another that is being built
 *   hml_model_append          put a model on a frame of another
 *   hml_model_lock            joints become rigid where they are: a model with fewer coordinates
 *   hml_model_reroot          another body becomes the base
 *   hml_model_reroot_state    a state of the old model as a state of the new one
 *   hml_model_scale           other lengths and masses
 *   hml_model_equal           whether two models are the same, and where they differ
 *   hml_model_set_inertias    other masses for the same bodies, in place
 *   hml_model_set_parameters  the same with ten numbers per body
 *   hml_model_with_armature    a copy with more armature
 *   hml_model_realign         right angles that a file writes with few digits become right
 *   hml_configuration_transfer, hml_velocity_transfer   coordinates from one model to another, by the joints' names
 *
 * The caller frees *result with hml_model_free. error may be NULL. Edits of a model that was built with
 * HML_BUILD_KEEP_FIXED keep its fixed joints.
 *
 * Keyframes of the result: each edit keeps their names. A locked joint is where it was locked, whatever they said about
 * it; scaling scales their lengths; another base carries their states over; keyframes of two models that have the same
 * name become one.
 */
#ifndef HAMEL_EDIT_H
#define HAMEL_EDIT_H

#include "hamel/model.h"

/*
 * A builder that holds what the model holds; building it again gives the same model (with HML_BUILD_KEEP_FIXED if that
 * is how the model was built). Links that were merged are frames now; their inertia is part of the body that carries
 * them. Chains of mimic joints are resolved.
 */
HML_API hml_status hml_model_to_builder(const hml_model *model, hml_builder **builder);

/*
 * Puts a model on a body that is in the builder already (NULL: the world). The model's world becomes that placement in
 * the body's frame; links that were fixed to the model's world add their inertia to the body. Every name gets the
 * prefix (NULL: none). Gravity and name stay the builder's. After an error the builder holds a part of the model.
 */
HML_API hml_status hml_builder_add_model(hml_builder *builder, const hml_model *model, const char *prefix,
                                         const char *body, const double position[3], const double rotation[9],
                                         hml_error *error);

/* frame: index in the first model, −1: the world */
HML_API hml_status hml_model_append(const hml_model *model, int32_t frame, const hml_model *other, const char *prefix,
                                    hml_model **result, hml_error *error);

/*
 * The joints with these indices stay at their position in q (nq coordinates; NULL: neutral). Their links are merged;
 * their armature, damping, springs and limits are dropped. Mimic followers of a locked joint are locked with it; a
 * follower alone cannot be locked.
 */
HML_API hml_status hml_model_lock(const hml_model *model, const int32_t *joints, int32_t count, const double *q,
                                  hml_model **result, hml_error *error);

/*
 * The body becomes the base of its tree: a free joint connects it to the world (root = HML_JOINT_FREE), or it is fixed
 * where it is at q (root = HML_JOINT_FIXED; q NULL: neutral). The joint between the world and the old base is cut; it
 * must be free or fixed, without springs and the like. A free joint keeps its name for the new base and its placement
 * is the identity: its coordinates are the pose of the body in the world.
 *
 * Joints between the old base and the new one are reversed: they carry what carried them. Every body keeps its name,
 * its frame and its inertia. Keyframes are the same states, as hml_model_reroot_state carries them over. A reversed
 * joint keeps its name, and
 *   revolute, prismatic, helical, cylindrical   keep their coordinates: same values, same signs, same forces;
 *   spherical, translation3, free               have other coordinates (hml_model_reroot_state finds them), and may not
 *                                               have armature, damping, springs or limits;
 *   planar, translation2, schoenflies, universal   are refused: reversed they are not joints of their kind.
 */
HML_API hml_status hml_model_reroot(const hml_model *model, int32_t body, hml_joint_type root, const double *q,
                                    hml_model **result, hml_error *error);

/*
 * The state (q, v) of a model, seen with its rerooted version: every body is at the same pose with the same velocity
 * (v and v_out may be NULL). With a fixed new base the poses agree up to the motion of that base.
 */
HML_API hml_status hml_model_reroot_state(const hml_model *model, const double *q, const double *v,
                                          const hml_model *rerooted, double *q_out, double *v_out);

/*
 * All lengths times `length`, all masses times `mass`; time stays, so inertias, springs, dampers and efforts follow:
 * a motion q(t) of the model is a motion of the scaled one with its lengths scaled, if gravity is scaled by `length` as
 * well. Gravity itself is left alone.
 */
HML_API hml_status hml_model_scale(const hml_model *model, double length, double mass, hml_model **result);

/*
 * 1 if both have the same bodies, joints and frames in the same order, and values that differ by no more than
 * tolerance·max(1, |value|). Warnings are not compared. If they differ, `difference` (which may be NULL) gets a
 * sentence about the first difference.
 */
HML_API int hml_model_equal(const hml_model *a, const hml_model *b, double tolerance, char *difference, size_t size);

/* bodies first … first + count − 1 get these inertias; before the model is shared. NaN and negative mass are refused */
HML_API hml_status hml_model_set_inertias(hml_model *model, int32_t first, int32_t count,
                                          const hml_inertia_spec *inertias);

/*
 * hml_model_set_inertias for fitted parameters, which need not be those of any body: mass, centre and moment may not
 * exist for them. Bodies first … first + count − 1 get these parameters, 10·count of them; before the model is shared. A negative mass,
 * or a first moment without a mass, is refused with HML_BAD_MODEL, NaN with HML_NOT_FINITE; the model stays as it was.
 * hml_inertia_check says whether a body can have them; fitted parameters need not be physical.
 */
HML_API hml_status hml_model_set_parameters(hml_model *model, int32_t first, int32_t count, const double *parameters);

/*
 * A copy of a model whose coordinates have more armature: nv values, none negative. With h·d + h²·k for a servo's
 * gains, and its force −k (q ⊖ target + h ν) − d ν, a step that is explicit in the forces, such as hml_contact_step,
 * becomes implicit in the servo, and no gain is too high for it.
 */
HML_API hml_status hml_model_with_armature(const hml_model *model, const double *armature, hml_model **result);

/*
 * A copy whose placements have the round angles that its file meant: of 1.5708 for π/2 the cosine is −4e-6, not zero. Where an entry
 * of a joint's rotation is smaller than the tolerance, and the rotation is one about an axis of the frame without it, the
 * entry becomes zero, and the rest a rotation again; small numbers of axes become zero, too. Sines are what is compared, so
 * nothing turns by more than about the tolerance (in rad, at most 1e-3). *angle (which may be NULL): the largest turn, 0 if
 * nothing changed. Generated code has fewer operations then (hamel/generate.h); it is the code of a slightly different robot.
 */
HML_API hml_status hml_model_realign(const hml_model *model, double tolerance, hml_model **result, double *angle);

/* coordinates of joints with the same name and type are copied; the other coordinates of the output stay unchanged */
HML_API hml_status hml_configuration_transfer(const hml_model *from, const double *q_from, const hml_model *to,
                                              double *q_to);
HML_API hml_status hml_velocity_transfer(const hml_model *from, const double *v_from, const hml_model *to,
                                         double *v_to);

#endif
