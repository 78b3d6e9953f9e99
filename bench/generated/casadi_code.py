"""C code that CasADi generates for a robot: the same linearization, for a comparison. Needs casadi and adam-robotics.

Usage: casadi_code.py ROBOT.urdf NAME OUT.c    then compile OUT.c as a shared library and give it to generated_bench

The acceleration and its derivatives by a perturbation of the configuration, by the velocity and by the forces, in velocities of
the body: derivatives of M a + h, solved by LDL.
"""

import pathlib
import sys
import time
from xml.etree import ElementTree

import casadi
from adam import Representations
from adam.casadi import KinDynComputations

WRAPPER = """
/* as generated_bench calls it */
int {name}_linearize(const double *q, const double *v, const double *tau, double *a, double *Dq, double *Dv, double *Minv)
{{
    const double w = q[3], x = q[4], y = q[5], z = q[6];
    const double H[16] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
                           2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
                           2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, q[0], q[1], q[2], 1}};
    static casadi_real work[{work}];
    static casadi_int iwork[{iwork}];
    const double *in[] = {{H, q + 7, v, tau}};
    double *out[] = {{a, Dq, Dv, Minv}};
    return {name}_casadi(in, out, iwork, work, 0);
}}
"""


def moving_joints(path: str) -> list[str]:
    """Names of the joints in the order of the file, depth first, as Hamel has them."""
    joints = ElementTree.parse(path).getroot().findall("joint")
    parents = {j.find("child").get("link"): j for j in joints}
    roots = {j.find("parent").get("link") for j in joints} - set(parents)

    def below(link: str) -> list[str]:
        names: list[str] = []
        for j in joints:
            if j.find("parent").get("link") == link:
                names += [j.get("name")] * (j.get("type") != "fixed") + below(j.find("child").get("link"))
        return names

    return [name for root in sorted(roots) for name in below(root)]


def hat(z: casadi.SX) -> casadi.SX:
    """A twist as a matrix, linear part first."""
    x = casadi.SX(4, 4)
    x[:3, :3] = casadi.skew(z[3:])
    x[:3, 3] = z[:3]
    return x


def main() -> None:
    urdf, name, out = sys.argv[1:]
    start = time.process_time()
    robot = KinDynComputations(pathlib.Path(urdf).read_text(), moving_joints(urdf), gravity=[0, 0, -9.81, 0, 0, 0])
    robot.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    n = robot.NDoF
    H, s, v, tau, z = (casadi.SX.sym(*size) for size in [("H", 4, 4), ("s", n), ("v", n + 6), ("t", n + 6), ("z", n + 6)])
    H_z, s_z = H @ (casadi.SX.eye(4) + hat(z[:6])), s + z[6:]  # to first order, which is all that a derivative sees

    def at_zero(x: casadi.SX) -> casadi.SX:
        return casadi.substitute(x, z, casadi.SX.zeros(n + 6))

    M, h = robot.mass_matrix(H_z, s_z), robot.bias_force(H_z, s_z, v[:6], v[6:])
    D, L, order = casadi.ldl(at_zero(M))
    inverse = casadi.ldl_solve(casadi.SX.eye(n + 6), D, L, order)
    a = inverse @ (tau - at_zero(h))
    fixed = casadi.SX.sym("a", n + 6)
    torque = M @ fixed + h
    q_part, v_part = (casadi.substitute(at_zero(casadi.jacobian(torque, x)), fixed, a) for x in (z, v))
    results = [a, -inverse @ q_part, -inverse @ v_part, inverse]
    results = [results[0]] + [casadi.densify(r).T for r in results[1:]]  # CasADi stores columns
    f = casadi.Function(f"{name}_casadi", [H, s, v, tau], results, {"cse": True})
    generator = casadi.CodeGenerator(pathlib.Path(out).name, {"with_header": False})
    generator.add(f)
    folder = str(pathlib.Path(out).resolve().parent) + "/"
    generator.generate(folder)
    with pathlib.Path(out).open("a") as file:
        file.write(WRAPPER.format(name=name, work=max(1, f.sz_w()), iwork=max(1, f.sz_iw())))
    print(f"{name}: {f.n_instructions()} instructions, {time.process_time() - start:.1f} s")


if __name__ == "__main__":
    main()
