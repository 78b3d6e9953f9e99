/* hamel: kinematics, dynamics and exact linearization of robots whose base moves, from the shell. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "options.h"
#include "term.h"

const cli_command_info cli_commands[] = {
    {"info", CLI_INFO, "[MODEL]", "what is in a model: tree, joints, masses, frames, warnings",
     "The tree of bodies with their joints, limits and passive forces, the other frames, collision\n"
     "shapes, keyframes and the warnings of the reader.\n",
     cli_info},
    {"dynamics", CLI_DYNAMICS, "[MODEL] [--state FILE | --states FILE.npz --out FILE.npz]",
     "equations of motion M a + h = tau",
     "Mass matrix M, bias h (Coriolis, gravity, damping, springs, minus external wrenches), its\n"
     "gravity part, the acceleration, energies, centre of mass and centroidal momentum.\n",
     cli_dynamics},
    {"jacobian", CLI_JACOBIAN, "[MODEL] --frame NAME [--state FILE]",
     "a frame's pose, Jacobian, twist and acceleration",
     "The Jacobian J and its time derivative map the velocity in the chosen representation to the\n"
     "frame's twist in the same representation. The acceleration is that of forward dynamics.\n",
     cli_jacobian},
    {"linearize", CLI_LINEARIZE, "[MODEL] [--state FILE | --states FILE.npz --out FILE.npz]",
     "the exact linearization dz/dt = A z + B w",
     "z is a perturbation of the configuration, q exp(z), followed by one of the velocity, each in\n"
     "the order of the velocity names. w is a change of the forces. There are no Euler angles, no\n"
     "singularities and no finite differences. Prints a summary: sizes, the largest couplings, the\n"
     "eigenvalues with frequency and damping, and which of them the inputs reach. With --states, one row per state of "
     "an .npz file.\n",
     cli_linearize},
    {"trim", CLI_TRIM, "[MODEL] [--state FILE] [--hold FRAME:KIND]...",
     "an equilibrium, or a steady motion, near a state",
     "The state is the guess; its velocity stays, and nothing accelerates. Finds the configuration, the\n"
     "torques of the motors and the forces of the holds, within the limits of the model, of least\n"
     "torque and near the guess. What is held stays where it is in the guess. If there is no such\n"
     "configuration, the command says what cannot be balanced and exits with 3.\n",
     cli_trim},
    {"modes", CLI_MODES, "[MODEL] [--state FILE] [--hold FRAME:KIND]...", "how it shakes: eigenvalues and modes of A",
     "The eigenvalues of A of linearize, or with holds those of the motions that they allow, from slow to\n"
     "fast: frequency, damping, which coordinates take part, and whether the inputs move the mode.\n"
     "Eigenvalues that are the same up to rounding are one mode. Away from an equilibrium they are the\n"
     "modes of this moment. With --view a page shows the robot as it moves in one of them. With --locus\n"
     "the eigenvalues are those of many values of a mass, a spring, a damper, the speed or gravity, while\n"
     "the motors keep the state; the command says where the robot becomes unstable.\n",
     cli_modes},
    {"lqr", CLI_LQR, "[MODEL] [--state FILE] [--hold FRAME:KIND]...", "the linear-quadratic regulator about a state",
     "The gain K of the forces tau - K z, where tau are the forces of the state and z is the\n"
     "perturbation of configuration and velocity, as in linearize. Prints K, the poles of the closed\n"
     "loop with frequency and damping, the margins of its inputs, and the residual of the Riccati\n"
     "equation. If the inputs cannot stabilize the robot, the command says which mode they do not reach\n"
     "and exits with 3. With --simulate the robot is pushed, and moves under the feedback, whose forces\n"
     "are held over every step (of 0.001 s, or of --discrete) and stay within the efforts of the file.\n",
     cli_lqr},
    {"plan", CLI_PLAN, "PROBLEM.json", "optimal control: the motion of least cost",
     "The file has a robot, where it starts, phases with their holds, inputs and bounds, and the terms of\n"
     "the cost and the constraints (docs/files.md). Prints a line per iteration on standard error: cost,\n"
     "gaps between the steps, violation of constraints, expected decrease, length of the step. The result\n"
     "has the states, inputs, contact forces and feedback gains. If it does not converge, or a constraint\n"
     "cannot be kept, the command says so, writes the best motion it has found, and exits with 3.\n",
     cli_plan},
    {"validate", CLI_VALIDATE, "[MODEL]", "the linearization against geometric differences",
     "Repeats section 5 of Bos, Traversaro, Pucci and Saccon (2022). Draws random states, and compares\n"
     "the derivatives of forward dynamics by H, s, v and r with forward differences of step 1e-6.\n"
     "A MODEL stays as it is; without one, or with --random, placements and inertias are drawn too, as\n"
     "in the paper. Prints the errors, beside the paper's for its robot, then those for steps from 1e-1\n"
     "to 1e-14. With --out FILE.json the study is also written to FILE-study.csv and FILE-study.svg.\n",
     cli_validate},
    {"simulate", CLI_SIMULATE, "[MODEL] --time T [--state FILE]", "the motion from a state, integrated on the group",
     "Forces and wrenches of the state act all the time. The result has one row per time: position,\n"
     "velocity, energy and momentum (linear, then angular about the world's origin). The command\n"
     "prints some rows, and what was put into the robot and taken out of it. The default integrator,\n"
     "dopri5, chooses its own steps. With --ground the robot may touch the plane z = 0, stand, slip and fall\n"
     "over. It starts on the ground, unless the state gives the position of its base.\n",
     cli_simulate},
    {"view", CLI_VIEW, "[MODEL] [--state FILE] [--trajectory FILE] [--out FILE]", "the robot in a browser",
     "Writes one HTML file that shows the robot, with its meshes and materials, and replays a motion.\n"
     "The file needs a browser and nothing else: it can be sent to others. Without --out it goes to\n"
     "the temporary folder, and a browser opens it if there is a display.\n",
     cli_view},
    {"generate", CLI_GENERATE, "[MODEL] --out FILE.c", "C source for this robot, without Hamel",
     "Writes FILE.c and FILE.h: linearization, forward and inverse dynamics, mass matrix and time steps\n"
     "of this robot in plain C11, which needs libm only and allocates nothing; with --frames also poses\n"
     "and Jacobians, with --hold the linearization while these frames are held. Constants of the model\n"
     "are in the code. All names begin with the name of the file. With --test also FILE_test.c, a program\n"
     "that compares the code with results of this command. The same model gives the same bytes.\n",
     cli_generate},
    {"bench", CLI_BENCH, "[MODEL...]", "nanoseconds per call, for every algorithm",
     "The median over many repetitions, for one state at a time and for batches, on one thread.\n", cli_bench},
};

const int cli_command_count = sizeof cli_commands / sizeof *cli_commands;

static void help_of_all(void)
{
    printf("hamel: dynamics and exact linearization of robots whose base moves\n\n"
           "Usage: hamel COMMAND [MODEL] [OPTION]...\n\nCommands\n");
    for (int i = 0; i < cli_command_count; i++) printf("  %-12s %s\n", cli_commands[i].name, cli_commands[i].summary);
    printf("\nMODEL is a URDF, MJCF or Hamel JSON file, or the name of a robot: one that comes with Hamel,\n"
           "such as quadruped, or one of the folders in HAMEL_ROBOTS, such as anymal_b. Without a MODEL the\n"
           "command uses the built-in nine-joint robot of Bos et al. (2022).\n\nOptions of every command\n");
    cli_options_help(stdout, CLI_ALL);
    printf(
        "\nhamel COMMAND --help lists a command's own options as well.\n"
        "Exit status: 0 done, 1 bad input, 2 bad usage, 3 the computation failed, 4 the output cannot be written.\n");
}

void cli_help(const cli_command_info *command)
{
    if (!command) {
        help_of_all();
        return;
    }
    printf("hamel %s: %s\n\nUsage: hamel %s %s [OPTION]...\n\n%s\nOptions\n", command->name, command->summary,
           command->name, command->operands, command->text);
    cli_options_help(stdout, command->bit);
}

/*
 * Where a standard file is closed, the next file that is opened would take its place, and what is said on standard error
 * would go into the results. /dev/null takes the place instead, opened so that it can neither be read nor written: output
 * to a closed file is still an error.
 */
static void keep_standard_files(void)
{
#if !defined _WIN32
    for (int file = 0; file < 3; file++) {
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF) (void)!open("/dev/null", file ? O_RDONLY : O_WRONLY);
    }
#endif
}

int main(int argc, char **argv)
{
    const cli_command_info *command;
    cli_options options;
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); /* beyond a limit on file sizes, writing fails but does not kill the program */
#endif
    keep_standard_files();
    term_init();
    int status = cli_options_read(argc, argv, &command, &options);
    if (status == CLI_OK && command) status = cli_check_overwrite(&options);
    if (status == CLI_OK && command) status = command->run(&options);
    if (status == CLI_OK) status = cli_check_memory();
    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && status == CLI_OK) {
        return cli_fail(CLI_OUTPUT, "standard output cannot be written: %s", strerror(errno ? errno : EIO));
    }
    return status;
}
