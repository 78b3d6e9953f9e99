// hamel.hpp from an installed Hamel: a built-in robot, its linearization, a regulator.
#include <cstdio>

#include <hamel/hamel.hpp>

int main()
{
    const hamel::model robot = hamel::model::builtin("pendulum");
    const hamel::workspace work(robot);
    const hamel::linearization x = work.linearize(robot.neutral(), std::vector<double>(robot.nv()));
    hamel::matrix Q(2, 2), R(1, 1);
    Q(0, 0) = Q(1, 1) = R(0, 0) = 1;
    std::printf("%s: K = %g %g\n", robot.name().c_str(), hamel::lqr(x.A, x.B, Q, R).K(0, 0),
                hamel::lqr(x.A, x.B, Q, R).K(0, 1));
    return 0;
}
