/*
 * Every pair of ways. X(name, tolerance, measure, one, other)
 *
 * The tolerance is a class (compare.c): EXACT none; SUMS sums and products; SOLVED divided by M, so that the condition
 * of M counts; DIFFER against differences; PLACES metres far from the origin; FLOATS single precision, FLOATS_SOLVED that
 * divided by M.
 */
#ifndef HAMEL_AGREE_KINDS_H
#define HAMEL_AGREE_KINDS_H

/* clang-format off */
#define AGREE_KINDS(X) \
    X(memory,             EXACT,  "bytes",         "memory after every call",            "as it was behind what was given") \
    X(status,             EXACT,  "status",        "what a call answers",                "what it must answer") \
    X(isa_a,              SOLVED, "acceleration",  "linearize, each instruction set",    "linearize, the best") \
    X(isa_Dq,             SOLVED, "D_q",           "linearize, each instruction set",    "linearize, the best") \
    X(isa_Dv,             SOLVED, "D_v",           "linearize, each instruction set",    "linearize, the best") \
    X(isa_Minv,           SOLVED, "inverse mass",  "linearize, each instruction set",    "linearize, the best") \
    X(batch_a,            SOLVED, "acceleration",  "linearize_batch, each set",          "linearize") \
    X(batch_Dq,           SOLVED, "D_q",           "linearize_batch, each set",          "linearize") \
    X(batch_Dv,           SOLVED, "D_v",           "linearize_batch, each set",          "linearize") \
    X(batch_Minv,         SOLVED, "inverse mass",  "linearize_batch, each set",          "linearize") \
    X(batch_place,        EXACT,  "bits",          "linearize_batch of n states",        "of another n, at another place") \
    X(parallel,           EXACT,  "bits",          "linearize_parallel",                 "linearize_batch") \
    X(part_outputs,       SOLVED, "blocks",        "some outputs alone",                 "all outputs at once") \
    X(A_blocks,           EXACT,  "bits",          "A and B with odd strides",           "D_q, D_v, M^-1, I, 0") \
    X(A_ad,               DIFFER, "-ad",           "upper left of A",                    "difference of Ad along v") \
    X(Dq_difference,      DIFFER, "D_q z",         "linearize",                          "difference of forward_dynamics") \
    X(Dv_difference,      DIFFER, "D_v z",         "linearize",                          "difference of forward_dynamics") \
    X(Minv_difference,    SOLVED, "M^-1 w",        "linearize",                          "forward_dynamics of tau + w") \
    X(Minv_dense,         SOLVED, "inverse mass",  "inverse_mass_matrix",                "Cholesky of M") \
    X(Minv_linearize,     SOLVED, "inverse mass",  "linearize",                          "Cholesky of M") \
    X(M_Minv,             SOLVED, "identity",      "M times inverse_mass_matrix",        "identity") \
    X(dtau_Dq,            SOLVED, "D_q",           "linearize",                          "-M^-1 dtau/dq") \
    X(dtau_Dv,            SOLVED, "D_v",           "linearize",                          "-M^-1 dtau/dv") \
    X(dtau_M,             SUMS,   "M",             "inverse_dynamics_derivatives",       "mass_matrix") \
    X(dtau_q,             DIFFER, "dtau/dq z",     "inverse_dynamics_derivatives",       "difference of inverse_dynamics") \
    X(dtau_v,             DIFFER, "dtau/dv z",     "inverse_dynamics_derivatives",       "difference of inverse_dynamics") \
    X(static_q,           SUMS,   "dtau/dq",       "static_torque, gravity_torque",      "inverse_dynamics_derivatives") \
    X(momentum_q,         SUMS,   "momentum rate", "centroidal_derivatives by q, v",     "Adot v of centroidal") \
    X(inverse_mass_q,     DIFFER, "d(M^-1 b)/dq z","inverse_mass_derivative",            "difference of inverse_mass_matrix") \
    X(directional_a,      SOLVED, "acceleration",  "directional_update",                 "forward_dynamics") \
    X(directional,        SOLVED, "A z + B w",     "directional_forward",                "linearize") \
    X(reverse,            SOLVED, "A' y, B' y",    "directional_reverse",                "linearize") \
    X(bos_a,              SOLVED, "acceleration",  "reference_linearize",                "linearize") \
    X(bos_A,              SOLVED, "A",             "reference_linearize",                "linearize") \
    X(bos_B,              SOLVED, "B",             "reference_linearize",                "linearize") \
    X(bos_tau,            SUMS,   "forces",        "reference_inverse_dynamics",         "inverse_dynamics") \
    X(bos_dtau,           SUMS,   "dtau",          "reference derivatives",              "inverse_dynamics_derivatives") \
    X(bos_Minv,           SOLVED, "inverse mass",  "reference_inverse_mass_matrix",      "linearize") \
    X(dynamics_M,         SUMS,   "M",             "dynamics",                           "mass_matrix") \
    X(dynamics_h,         SUMS,   "forces",        "dynamics h",                         "inverse_dynamics without a") \
    X(dynamics_a,         SOLVED, "acceleration",  "dynamics",                           "forward_dynamics") \
    X(linearize_a,        SOLVED, "acceleration",  "linearize",                          "forward_dynamics") \
    X(round_trip,         SUMS,   "forces",        "inverse of forward dynamics",        "tau") \
    X(round_trip_a,       SOLVED, "acceleration",  "forward of inverse dynamics",        "a") \
    X(Ma_h,               SUMS,   "forces",        "M a + h",                            "inverse_dynamics") \
    X(crba,               SUMS,   "M",             "crba, body and root",                "mass_matrix") \
    X(rnea,               SUMS,   "forces",        "rnea left, mixed, split",            "inverse_dynamics") \
    X(rnea_right,         PLACES, "forces",        "rnea right",                         "inverse_dynamics") \
    X(euler_jourdain,     SUMS,   "forces",        "euler_jourdain",                     "inverse_dynamics") \
    X(aba,                SOLVED, "acceleration",  "aba",                                "forward_dynamics") \
    X(hybrid,             SUMS,   "forces",        "hybrid_dynamics",                    "inverse_dynamics") \
    X(regressor,          SUMS,   "forces",        "regressor times parameters",         "inverse_dynamics") \
    X(coriolis,           SUMS,   "forces",        "C v + gravity",                      "inverse_dynamics") \
    X(skew,               SUMS,   "dM/dt",         "coriolis_matrix",                    "C + C'") \
    X(factors,            SUMS,   "M",             "L'L and L'DL",                       "mass_matrix") \
    X(joint_forces,       SUMS,   "forces",        "joint_wrenches, left, mixed, split", "inverse_dynamics") \
    X(joint_wrenches,     PLACES, "wrenches",      "joint_wrenches, each form",          "left") \
    X(momenta,            PLACES, "momentum",      "body_momenta, momentum_regressor",   "dynamics") \
    X(energies,           PLACES, "energies",      "energy_regressor",                   "dynamics") \
    X(momentum_forces,    PLACES, "forces",        "momentum_forces of momentum rates",  "inverse_dynamics") \
    X(momentum_velocities, SUMS,  "v, rates",      "momentum_velocities, _dynamics",     "v, body_momentum_rates") \
    X(linear,             SUMS,   "forces",        "derivatives times parameters",       "inverse_dynamics, regressor") \
    X(forward_parameters, SOLVED, "derivatives",   "forward_dynamics_parameters",        "-M^-1 inverse's") \
    X(force_rates,        SUMS,   "forces",        "force_rates",                        "inverse_dynamics") \
    X(energy_rate,        DIFFER, "power",         "tau v + wrenches - damping",         "difference of energy") \
    X(energy,             SUMS,   "energy",        "dynamics",                           "v' M v / 2") \
    X(momentum,           PLACES, "momentum",      "dynamics",                           "centroidal") \
    X(momentum_rate,      DIFFER, "momentum rate", "centroidal",                         "difference of momentum") \
    X(com,                PLACES, "com",           "dynamics",                           "centroidal") \
    X(com_alone,          PLACES, "com, J, dv/dq", "centroidal, com alone, each set",    "centroidal, with momenta") \
    X(gravity_force,      DIFFER, "gravity z",     "dynamics",                           "difference of potential energy") \
    X(batch_forward,      SOLVED, "acceleration",  "dynamics_batch, each set",           "forward_dynamics") \
    X(batch_torque,       SUMS,   "forces",        "dynamics_batch, each set",           "inverse_dynamics") \
    X(batch_M,            SUMS,   "M",             "dynamics_batch, each set",           "mass_matrix") \
    X(batch_inverse,      SOLVED, "inverse mass",  "dynamics_batch, each set",           "inverse_mass_matrix") \
    X(batch_dynamics_place, EXACT, "bits",         "dynamics_batch of n states",         "of another n, at another place") \
    X(batch_gravity,      SUMS,   "gravity",       "dynamics_batch, each set",           "gravity_torque") \
    X(batch_coriolis,     SUMS,   "C, dM/dt",      "dynamics_batch, each set",           "coriolis_matrix") \
    X(batch_regressor,    SUMS,   "Y",             "dynamics_batch, each set",           "regressor") \
    X(batch_centroidal,   PLACES, "com, momentum", "centroidal_batch, each set",         "centroidal, centroidal_derivatives") \
    X(batch_frame,        PLACES, "pose, J, dJ/dt","frame_batch, each set",              "frame, frame_derivatives") \
    X(batch_motion_place, EXACT,  "bits",          "those batches, packed",              "in pieces, with gaps") \
    X(isa_single,         SOLVED, "acceleration",  "forward_dynamics, each set",         "the best") \
    X(isa_torque,         SUMS,   "forces, M",     "inverse_dynamics, M, each set",      "the best") \
    X(poses,              PLACES, "poses",         "body_poses_exponential",             "body_poses") \
    X(poses_isa,          PLACES, "poses",         "body_poses and batch, each set",     "body_poses, the best") \
    X(poses_place,        EXACT,  "bits",          "body_poses_batch of n states",       "of another n, at another place") \
    X(poses_frames,       PLACES, "poses",         "frames",                             "body_poses") \
    X(jacobians,          PLACES, "columns",       "jacobians_batch, each set",          "jacobians, the best") \
    X(jacobians_place,    EXACT,  "bits",          "jacobians_batch of n states",        "of another n, at another place") \
    X(jacobian_columns,   PLACES, "columns",       "columns of all joints",              "frame, right") \
    X(jacobian_pose,      DIFFER, "twist",         "J z of a frame",                     "difference of poses") \
    X(jacobian_kinds,     PLACES, "J",             "jacobian, doubly left and mixed",    "frame and its base columns") \
    X(frame_twist,        PLACES, "twist",         "J v, frames",                        "frame") \
    X(frame_alone,        PLACES, "pose, J",       "frame, nothing else asked for",      "frame, with rates") \
    X(frame_isa,          PLACES, "J, derivatives", "frame, each set",                   "frame, the best") \
    X(frame_Jdot,         DIFFER, "dJ/dt",         "frame",                              "difference of J") \
    X(frame_acceleration, PLACES, "acceleration",  "J a + dJ/dt v",                      "frame, frames") \
    X(frame_derivatives,  DIFFER, "derivative",    "frame_derivatives",                  "difference of frame") \
    X(frame_hessian,      PLACES, "dJ/dt",         "frame_hessian times v",              "frame") \
    X(frame_series,       PLACES, "twists",        "frame_series",                       "frame") \
    X(frame_relative,     PLACES, "pose, J",       "frame_relative",                     "two frames") \
    X(point,              PLACES, "point",         "point",                              "frame, mixed") \
    X(system_matrices,    SUMS,   "J",             "system_matrices",                    "frame") \
    X(joint_velocities,   SUMS,   "v, a",          "joint_velocities, _accelerations",   "v, a") \
    X(wrench,             PLACES, "forces",        "wrench_add at a frame",              "J' f") \
    X(integrate,          PLACES, "v",             "(q + v) - q",                        "v") \
    X(integrate_batch,    PLACES, "q",             "integrate_batch, each set",          "configuration_integrate") \
    X(difference_batch,   PLACES, "v",             "difference_batch, each set",         "configuration_difference") \
    X(configuration_place, EXACT, "bits",          "configuration batches of n",         "of another n, at another place") \
    X(integrate_jacobians, DIFFER, "dq z, dv z",   "integrate_jacobians",                "difference of integrate") \
    X(difference_jacobians, DIFFER, "dq0, dq1",    "difference_jacobians",               "difference of difference") \
    X(rate,               PLACES, "dq/dt",         "rate, rate_matrix, velocity",        "each other") \
    X(rate_difference,    DIFFER, "dq/dt",         "configuration_rate",                 "difference of integrate") \
    X(group_of_q,         SUMS,   "q, v",          "products, inverses, both sides",     "integrate, difference") \
    X(coordinates,        SUMS,   "q, F",          "generalized coordinates and back",   "q, identity") \
    X(layouts,            PLACES, "q, v",          "layout_from of layout_to",           "q, v") \
    X(json_model,         EXACT,  "model",         "saved as JSON and loaded",           "the model") \
    X(json_bits,          EXACT,  "bits",          "linearize of the loaded JSON",       "of the model") \
    X(urdf_A,             SOLVED, "A blocks",      "saved as URDF and loaded",           "the model") \
    X(block_bits,         EXACT,  "bits",          "model_from_data, model_copy",        "the model") \
    X(rebuilt,            SUMS,   "model",         "taken apart and built again",        "the model") \
    X(merged_M,           SUMS,   "M",             "fixed bodies merged",                "fixed bodies kept") \
    X(merged_tau,         SUMS,   "forces",        "fixed bodies merged",                "fixed bodies kept") \
    X(merged_A,           SOLVED, "a, D_q, D_v",   "fixed bodies merged",                "fixed bodies kept") \
    X(merged_batch,       SOLVED, "a, D_q, D_v",   "batch, merged",                      "batch, kept") \
    X(merged_poses,       PLACES, "poses",         "fixed bodies merged",                "fixed bodies kept") \
    X(locked,             SUMS,   "M, forces",     "some joints locked",                 "their rows and columns gone") \
    X(appended,           SUMS,   "M, forces",     "two robots in one model",            "each alone") \
    X(appended_zero,      EXACT,  "M",             "between two robots in one model",    "0") \
    X(armature,           SUMS,   "M",             "model_add_armature",                 "M + diagonal") \
    X(set_parameters,     SUMS,   "forces",        "model_set_parameters",               "the model") \
    X(scaled,             SOLVED, "acceleration",  "scaled robot",                       "the robot") \
    X(rerooted_poses,     PLACES, "poses",         "rerooted",                           "the robot") \
    X(rerooted_twists,    PLACES, "twists",        "rerooted",                           "the robot") \
    X(rerooted_energy,    SUMS,   "energy",        "rerooted",                           "the robot") \
    X(rerooted_motion,    SOLVED, "accelerations", "rerooted",                           "the robot") \
    X(representation_v,   PLACES, "v, tau",        "to a representation and back",       "as it was") \
    X(representation_power, PLACES, "power",       "tau v in each representation",       "left") \
    X(representation_M,   PLACES, "forces",        "M a + h in each representation",     "tau there") \
    X(representation_a,   DIFFER, "acceleration",  "acceleration_to_representation",     "difference of v there") \
    X(representation_A,   DIFFER, "A z + B w",     "linearization_to_representation",    "difference of dynamics there") \
    X(representation_back, PLACES, "A, B, M, J",   "to a representation and back",       "left") \
    X(global,             PLACES, "D_q, Ad",       "perturbed on the other side",        "D_q Ad^-1") \
    X(global_difference,  DIFFER, "D_q z",         "gradient_to_global",                 "difference, other side") \
    X(no_holds,           SOLVED, "a, D_q, D_v",   "constrained, nothing held",          "free") \
    X(held_residual,      SOLVED, "forces",        "M a + h - J' lambda, held",          "tau") \
    X(held_motion,        SOLVED, "J a + dJ/dt v", "held frames and points",             "zero") \
    X(held_linearize,     SOLVED, "acceleration",  "constrained_linearize",              "constrained_forward_dynamics") \
    X(held_difference,    DIFFER, "D z",           "constrained_linearize",              "difference") \
    X(held_isa_a,         SOLVED, "acceleration",  "constrained_linearize, each set",    "scalar") \
    X(held_isa_D,         SOLVED, "D",             "constrained_linearize, each set",    "scalar") \
    X(held_isa_lambda,    SOLVED, "lambda",        "constrained_linearize, each set",    "scalar") \
    X(held_isa_force,     SOLVED, "dlambda",       "constrained_linearize, each set",    "scalar") \
    X(held_batch,         SOLVED, "a, D, lambda",  "constrained_linearize_batch",        "constrained_linearize") \
    X(held_step,          SOLVED, "A_d, B_d, v",   "constrained_step",                   "constrained_linearize") \
    X(reduced,            SOLVED, "K, D",          "constrained_reduce",                 "constrained_linearize") \
    X(held_A,             EXACT,  "bits",          "A, B, held; forces without a motor", "D_q, D_v, D_tau; 0") \
    X(held_inverse,       SOLVED, "forces",        "constrained_inverse_dynamics",       "M a + h - J' lambda") \
    X(held_unmoved,       DIFFER, "forces",        "what no motor moves, held",          "zero") \
    X(held_representation, DIFFER, "D z",          "constrained, to a representation",   "difference there") \
    X(impulse,            SOLVED, "M dv",          "constrained_impulse",                "J' impulse, J v+ = -e J v") \
    X(impulse_difference, DIFFER, "dv+ z",         "impulse_linearize",                  "difference") \
    X(step_euler,         SOLVED, "q, v",          "step, semi-implicit Euler",          "its definition") \
    X(step_rk,            SOLVED, "q, v",          "step, Munthe-Kaas",                  "its definition") \
    X(step_linearize,     DIFFER, "A_d, B_d",      "step_linearize",                     "difference of step") \
    X(step_same,          SOLVED, "q, v",          "step_linearize",                     "step") \
    X(discretize,         SUMS,   "A_d, B_d",      "discretize",                         "power series") \
    X(neighbours,         EXACT,  "bits",          "beside a bad state",                 "beside a good one") \
    X(bad_is_nan,         EXACT,  "bits",          "results of a bad state",             "NaN") \
    X(single,             FLOATS, "forces, M, poses", "batches in floats, a set",        "in double, rounded states") \
    X(single_solved,      FLOATS_SOLVED, "a, D_q, D_v, M^-1", "batches in floats, a set", "in double, rounded states") \
    X(single_place,       EXACT,  "bits",          "batches in floats of n states",      "of another n, at another place") \
    X(floats,             FLOATS, "groups",        "float batches",                      "double batches") \
    X(group_place,        EXACT,  "bits",          "group batches of n rows",            "of another n, at another place") \
    X(group_isa,          SUMS,   "groups",        "batches, each instruction set",      "scalar")
/* clang-format on */

#endif
