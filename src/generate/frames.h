/* Frames of bodies: see frames.c. */
#ifndef HML_GENERATE_FRAMES_H
#define HML_GENERATE_FRAMES_H

#include "generate/program.h"

/* chooses the frames of all bodies, and writes their placements and inertias in them into the regions; 0: no memory */
int hmli_frames_choose(program *p);

#endif
