"""Functions of a batch on a GPU for torch, with derivatives that stay there."""

from __future__ import annotations

from typing import Any, Callable

from ._cuda_coordinates import Coordinates
from ._errors import InvalidArgumentError
from ._names import did_you_mean
from ._optional import need

NAMES = ("forward_dynamics", "step")


def torch_function(batch: Any, name: str, h: float) -> Callable[..., Any]:
    """See Batch.torch_function."""
    torch = need("torch", "torch", "Batch.torch_function")
    if name not in NAMES:
        raise InvalidArgumentError(f"name is one of {', '.join(NAMES)}, not {name!r}{did_you_mean(str(name), NAMES)}")
    n, coordinates = batch.robot.nv, Coordinates(torch, batch.robot)

    def product(g: Any, J: Any) -> Any:
        return (g[..., None, :] @ J)[..., 0, :]

    class ForwardDynamics(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, q: Any, v: Any, tau: Any) -> Any:
            x = batch.linearize(q, v, tau)
            ctx.save_for_backward(q, x.Dq, x.Dv, x.Minv)
            return x.acceleration

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, g: Any) -> Any:
            q, Dq, Dv, Minv = ctx.saved_tensors
            return coordinates.to_numbers(q, product(g, Dq)), product(g, Dv), product(g, Minv)

    class OneStep(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, q: Any, v: Any, tau: Any) -> Any:
            x = batch.step(q, v, h, tau, jacobians=True)
            ctx.save_for_backward(q, x.q, x.Ad, x.Bd)
            return x.q, x.v

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, g_q: Any, g_v: Any) -> Any:
            q, after, Ad, Bd = ctx.saved_tensors
            g = torch.cat([coordinates.to_motions(after, g_q), g_v], -1)
            whole = product(g, Ad)
            return coordinates.to_numbers(q, whole[..., :n]), whole[..., n:], product(g, Bd)

    chosen = ForwardDynamics if name == "forward_dynamics" else OneStep

    def function(q: Any, v: Any, tau: Any) -> Any:
        v, tau = (x.expand(*q.shape[:-1], n).contiguous() for x in (v, tau))
        return chosen.apply(q.contiguous(), v, tau)

    return function
