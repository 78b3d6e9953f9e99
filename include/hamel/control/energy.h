/*
 * Who carries the energy of a mode: the bodies of a robot and their shares in its kinetic energy.
 *
 *   hml_modes_energy_scratch_doubles   memory that the next function needs
 *   hml_modes_energy                   of each mode that hml_modes_solve found, and each body
 *
 * A mode has the velocity w, complex. A body with the Jacobian J and the inertia I has the energy wᴴ Jᵀ I J w / 4 in the mean over
 * a period, and what the armatures of its joint add. Part of libhamel-control; nothing is allocated.
 */
#ifndef HAMEL_CONTROL_ENERGY_H
#define HAMEL_CONTROL_ENERGY_H

#include "hamel/work.h"

HML_API size_t hml_modes_energy_scratch_doubles(const hml_model *model, size_t n);

/*
 * right: 2nv × n × 2, the right eigenvectors of hml_modes_solve in the coordinates of the robot. energy: n × nbodies; a row sums to 1,
 * or to 0 where nothing moves. A mode whose velocity is nothing against its displacement, such as an integrator, takes the
 * displacement for w.
 */
HML_API hml_status hml_modes_energy(const hml_model *model, hml_work *work, const double *q, size_t n,
                                    const double *right, double *scratch, double *energy);

#endif
