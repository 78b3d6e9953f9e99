/* hamel: kinematics, dynamics and exact linearization of robots whose base moves, from the shell. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "options.h"
#include "term.h"

const cli_command_info cli_commands[] = {
    {"info", CLI_INFO, "[MODEL]", "what is in a model: tree, joints, masses, frames, warnings",
     "The tree of bodies with their joints, the frames that are no bodies, the warnings of the\n"
     "reader, and how much memory a thread needs for each instruction set.\n",
     cli_info},
    {"dynamics", CLI_DYNAMICS, "[MODEL] [--state FILE]", "equations of motion M a + h = tau",
     "Mass matrix M, bias h (Coriolis, gravity, damping, springs, less external wrenches), its\n"
     "gravity part, the acceleration, energies, centre of mass and centroidal momentum.\n",
     cli_dynamics},
    {"jacobian", CLI_JACOBIAN, "[MODEL] --frame NAME [--state FILE]",
     "a frame's pose, Jacobian, twist and acceleration",
     "The Jacobian J and its time derivative map the velocity in the chosen representation to the\n"
     "frame's twist in the same representation. The acceleration is that of forward dynamics.\n",
     cli_jacobian},
    {"linearize", CLI_LINEARIZE, "[MODEL] [--state FILE]", "the exact linearization dz/dt = A z + B w",
     "z is first a perturbation of the configuration, q exp(z), then of the velocity, each in the\n"
     "order of the velocity names; w is a change of the forces. No angles, no singularities, no\n"
     "differences.\n",
     cli_linearize},
    {"validate", CLI_VALIDATE, "[MODEL]", "the linearization against geometric differences",
     "Section 5 of Bos, Traversaro, Pucci and Saccon (2022): random states, placements and inertias;\n"
     "the derivatives of forward dynamics by H, s, v and r against forward differences with step\n"
     "1e-6, beside the paper's errors; then for steps from 1e-1 to 1e-14. With --out FILE.json the\n"
     "study is also written to FILE-study.csv and FILE-study.svg.\n",
     cli_validate},
    {"simulate", CLI_SIMULATE, "[MODEL] --time T [--state FILE]", "the motion from a state, integrated on the group",
     "Forces and wrenches of the state act all the time. The result holds time, position, velocity,\n"
     "energy and momentum (linear, then angular about the world's origin), a row a time; what is\n"
     "printed are the drifts of energy and momentum. The default, dopri5, chooses its own steps.\n"
     "With --ground the robot may touch the plane z = 0, stand, slip and fall over.\n",
     cli_simulate},
    {"bench", CLI_BENCH, "[MODEL...]", "nanoseconds a call, for every algorithm",
     "The median over many repetitions, for one state at a time and for batches, on one thread.\n", cli_bench},
};

const int cli_command_count = sizeof cli_commands / sizeof *cli_commands;

static void help_of_all(void)
{
    printf("hamel: dynamics and exact linearization of robots whose base moves\n\n"
           "Usage: hamel COMMAND [MODEL] [OPTION]...\n\nCommands\n");
    for (int i = 0; i < cli_command_count; i++) printf("  %-12s %s\n", cli_commands[i].name, cli_commands[i].summary);
    printf("\nMODEL is a URDF, MJCF or Hamel JSON file; without one, the built-in nine-joint robot of\n"
           "Bos et al. (2022) is taken.\n\nOptions of every command\n");
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

int main(int argc, char **argv)
{
    const cli_command_info *command;
    cli_options options;
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a failed write, not a death */
#endif
    term_init();
    int status = cli_options_read(argc, argv, &command, &options);
    if (status == CLI_OK && command) status = command->run(&options);
    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && status == CLI_OK) {
        return cli_fail(CLI_OUTPUT, "standard output cannot be written: %s", strerror(errno ? errno : EIO));
    }
    return status;
}
