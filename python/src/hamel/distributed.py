"""Batches on engines that exist already: Ray, Dask, MPI, or the job arrays of a cluster.

>>> import hamel, numpy as np
>>> from hamel import distributed
>>> robot = hamel.load("quadruped")
>>> q, v = robot.random(1, 100), np.zeros((100, robot.nv))
>>> job = distributed.job(robot, "linearize", select=["A", "acceleration"])
>>> results = distributed.local(job, (q, v), chunk=32)
>>> results["A"].shape
(100, 36, 36)

Everything stands on one function, `compute`: a chunk of states in, a chunk of results out. `ray`, `dask` and `mpi` take
chunks to workers and results back, in order; the engine starts the workers, and repeats what a lost worker had. A model
travels once to each worker, as bytes with a digest, and is kept there. The results are those of `local` to the last bit,
on processors with the same instruction sets.

``python -m hamel.distributed part`` and ``merge`` are for the job arrays of Slurm and the like: docs/distributed.md.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import math
import os
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import InvalidArgumentError
from ._load import loads
from ._optional import need

__all__ = ["Job", "chunk_size", "chunks", "compute", "dask", "job", "local", "mpi", "ray"]

Array = NDArray[numpy.float64]
Results = Dict[str, Array]


@dataclass(frozen=True)
class Job:
    """What is computed: a method of a model, by name, and which of its results. Made by `job`; small, and can be pickled.

    model: the digest of the model, whose bytes travel by themselves; function, select and options: see `job`.
    """

    model: str
    text: bytes
    function: str
    select: Tuple[str, ...]
    options: str  # as JSON, so that a job has a hash


def job(
    model: _core.Model, function: str = "linearize", select: Optional[Sequence[str]] = None, **options: Any
) -> Job:
    """A job for `local`, `ray`, `dask` and `mpi`.

    function    a method of Model that takes arrays with leading dimensions: linearize, dynamics, forward_dynamics, …
    select      which fields of its result; A, B and acceleration of linearize, all of the others, if not given
    options     further arguments by name: representation="mixed", inputs="actuated", errors="nan", …
    """
    if not callable(getattr(model, function, None)):
        raise InvalidArgumentError(f"a model has no method {function!r}")
    text = model.to_json().encode()
    fields = tuple(select) if select is not None else ("A", "B", "acceleration") if function == "linearize" else ()
    return Job(hashlib.sha256(text).hexdigest(), text, function, fields, json.dumps(options, sort_keys=True))


@functools.lru_cache(maxsize=8)
def _model(digest: str, text: bytes) -> _core.Model:
    """The model of these bytes, made once per process."""
    if hashlib.sha256(text).hexdigest() != digest:
        raise InvalidArgumentError("the bytes of the model are damaged: their digest is another one")
    return loads(text.decode(), format="json")


def compute(job: Job, arrays: Sequence[ArrayLike], threads: int = 1) -> Results:
    """A chunk of states in, a chunk of results out: what every worker runs.

    arrays: the arguments of the function, such as (q, v) or (q, v, tau), one row per state. The results have the names
    of the function's fields; a function that returns one array has it under its own name.
    """
    result = getattr(_model(job.model, job.text), job.function)(*arrays, threads=threads, **json.loads(job.options))
    if isinstance(result, numpy.ndarray):
        return {job.function: result}
    names = job.select or tuple(getattr(result, "_fields", ()))
    missing = [name for name in names if not hasattr(result, name)]
    if missing or not names:
        raise InvalidArgumentError(f"{job.function} has no result {missing[0]!r}" if missing else "select is empty")
    return {name: numpy.asarray(getattr(result, name)) for name in names}


# ---- chunks ----


def _rows(arrays: Sequence[ArrayLike]) -> Tuple[List[Array], int]:
    taken = [numpy.asarray(a, dtype=float) for a in arrays]
    if not taken or any(a.ndim < 2 for a in taken) or len({len(a) for a in taken}) != 1:
        raise InvalidArgumentError("every array must have one row per state, and all the same number of rows")
    return taken, len(taken[0])


def chunks(n: int, size: int) -> List[slice]:
    """The rows 0 … n − 1 in pieces of `size`; the last may be shorter."""
    if size < 1:
        raise InvalidArgumentError(f"a chunk has at least one state, not {size}")
    return [slice(begin, min(begin + size, n)) for begin in range(0, n, size)]


def chunk_size(job: Job, arrays: Sequence[ArrayLike], seconds: float = 0.2, most: int = 1 << 26) -> int:
    """States that one worker computes in about `seconds`, measured here, with results of at most `most` bytes.

    Engines take about a millisecond per task: chunks of 0.2 s keep that below one per cent.
    """
    taken, n = _rows(arrays)
    size = min(n, 64)
    if size == 0:
        return 1
    compute(job, [a[:size] for a in taken])  # loads the model
    while True:
        begin = time.perf_counter()
        results = compute(job, [a[:size] for a in taken])
        took = time.perf_counter() - begin
        if took > 0.01 or size == n:
            break
        size = min(n, 4 * size)
    row = sum(a.nbytes for a in results.values()) / size
    wanted = min(seconds * size / max(took, 1e-9), most / max(row, 1))
    return max(1, min(n, int(wanted)))


class _Gather:
    """Results of chunks, each into its rows; the arrays are made when the first chunk says what they are."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.results: Results = {}

    def put(self, rows: slice, part: Results) -> None:
        for name, values in part.items():
            if name not in self.results:
                self.results[name] = numpy.empty((self.n, *values.shape[1:]), values.dtype)
            self.results[name][rows] = values


def _plan(job: Job, arrays: Sequence[ArrayLike], chunk: Optional[int]) -> Tuple[List[Array], List[slice], _Gather]:
    taken, n = _rows(arrays)
    size = chunk if chunk is not None else chunk_size(job, taken)
    gather = _Gather(n)
    if n == 0:  # the shapes are those of no state
        gather.put(slice(0, 0), compute(job, taken))
    return taken, chunks(n, size), gather


# ---- engines ----


def local(job: Job, arrays: Sequence[ArrayLike], chunk: Optional[int] = None, threads: int = 1) -> Results:
    """In this process, chunk by chunk: what the engines must agree with."""
    taken, parts, gather = _plan(job, arrays, chunk)
    for rows in parts:
        gather.put(rows, compute(job, [a[rows] for a in taken], threads))
    return gather.results


def ray(
    job: Job,
    arrays: Sequence[ArrayLike],
    chunk: Optional[int] = None,
    retries: int = 3,
    ahead: int = 64,
    **options: Any,
) -> Results:
    """On the workers of Ray, which `ray.init` has started or found.

    retries     how often Ray repeats the chunk of a worker that died
    ahead       chunks that are under way at the same time, so that memory is bounded
    options     of the tasks of Ray: num_cpus=1, scheduling_strategy=…
    """
    engine = need("ray", "ray", "hamel.distributed.ray")
    taken, parts, gather = _plan(job, arrays, chunk)
    task = engine.remote(compute).options(max_retries=retries, **options)
    shared = engine.put(job)  # the model travels once to each node
    waiting: Dict[Any, slice] = {}
    for rows in parts:
        if len(waiting) >= ahead:
            _collect(engine, waiting, gather)
        waiting[task.remote(shared, [a[rows] for a in taken])] = rows
    while waiting:
        _collect(engine, waiting, gather)
    return gather.results


def _collect(engine: Any, waiting: Dict[Any, slice], gather: _Gather) -> None:
    done, _ = engine.wait(list(waiting), num_returns=1)
    for reference in done:
        gather.put(waiting.pop(reference), engine.get(reference))


def dask(
    job: Job,
    arrays: Sequence[ArrayLike],
    client: Any,
    chunk: Optional[int] = None,
    retries: int = 3,
    ahead: int = 64,
) -> Results:
    """On the workers of a `dask.distributed.Client`.

    retries     how often Dask repeats a chunk that failed; chunks of workers that died are repeated anyway
    ahead       chunks that are under way at the same time, so that memory is bounded

    The states of a chunk travel with its task, so that they are not lost with a worker, as scattered data would be.
    """
    engine = need("dask.distributed", "dask[distributed]", "hamel.distributed.dask")
    taken, parts, gather = _plan(job, arrays, chunk)

    class Carrier(engine.WorkerPlugin):  # type: ignore[misc, name-defined]
        """Brings the job, and with it the model, once to each worker, also to those that start later."""

        def __init__(self, job: Job) -> None:
            self.job = job

        def setup(self, worker: Any) -> None:
            from hamel.distributed import _carry  # the worker's own module, not a copy that travels with the class

            _carry(self.job)

    client.register_plugin(Carrier(job), name=f"hamel-{_key(job)}")
    todo, waiting = iter(parts), {}

    def submit() -> Optional[Any]:
        rows = next(todo, None)
        if rows is None:
            return None
        future = client.submit(_compute_carried, _key(job), [a[rows] for a in taken], retries=retries, pure=False)
        waiting[future.key] = rows
        return future

    first = [future for future in (submit() for _ in range(ahead)) if future is not None]
    done = engine.as_completed(first, with_results=True)
    for future, result in done:
        gather.put(waiting.pop(future.key), result)
        future.release()
        following = submit()
        if following is not None:
            done.add(following)
    return gather.results


_carried: Dict[str, Job] = {}  # the jobs that Dask has brought to this process


def _carry(job: Job) -> None:
    _carried[_key(job)] = job


def _key(job: Job) -> str:
    return hashlib.sha256(repr((job.model, job.function, job.select, job.options)).encode()).hexdigest()[:16]


def _compute_carried(key: str, arrays: Sequence[Array]) -> Results:
    return compute(_carried[key], arrays)


def mpi(
    job: Optional[Job], arrays: Optional[Sequence[ArrayLike]], comm: Any = None, chunk: Optional[int] = None
) -> Optional[Results]:
    """On the processes of MPI: every process calls it, and the first one gives the job and the states and gets the results.

    The first process hands out chunks and computes none itself, unless it is alone. MPI does not survive the loss of a
    process: then the program ends, and starts again from the beginning (or use the command with --resume).
    """
    mpi4py = need("mpi4py.MPI", "mpi4py", "hamel.distributed.mpi")
    comm = mpi4py.COMM_WORLD if comm is None else comm
    if comm.Get_size() == 1:
        if job is None or arrays is None:
            raise InvalidArgumentError("the first process gives the job and the states")
        return local(job, arrays, chunk)
    if comm.Get_rank() == 0:
        return _mpi_lead(mpi4py, job, arrays, comm, chunk)
    _mpi_follow(mpi4py, comm)
    return None


def _mpi_lead(
    mpi4py: Any, job: Optional[Job], arrays: Optional[Sequence[ArrayLike]], comm: Any, chunk: Optional[int]
) -> Results:
    try:
        if job is None or arrays is None:
            raise InvalidArgumentError("the first process gives the job and the states")
        taken, parts, gather = _plan(job, arrays, chunk)
    except BaseException:
        comm.bcast(None)  # the others stop waiting
        raise
    comm.bcast(job)
    todo = iter(enumerate(parts))
    failure: Optional[BaseException] = None
    busy = comm.Get_size() - 1
    while busy > 0:
        about = mpi4py.Status()
        index, result = comm.recv(source=mpi4py.ANY_SOURCE, status=about)
        if isinstance(result, BaseException):
            failure = failure or result
        elif index is not None:
            gather.put(parts[index], result)
        following = None if failure else next(todo, None)
        if following is None:
            busy -= 1
            comm.send(None, dest=about.Get_source())
        else:
            comm.send((following[0], [a[following[1]] for a in taken]), dest=about.Get_source())
    if failure:
        raise failure
    return gather.results


def _mpi_follow(mpi4py: Any, comm: Any) -> None:
    job = comm.bcast(None)
    if job is None:
        return
    comm.send((None, None), dest=0)  # ready
    while True:
        task = comm.recv(source=0)
        if task is None:
            return
        try:
            comm.send((task[0], compute(job, task[1])), dest=0)
        except Exception as error:  # the first process raises it
            comm.send((task[0], error), dest=0)


# ---- job arrays ----


def _part(arguments: argparse.Namespace) -> None:
    from ._load import load

    if not 0 <= arguments.index < arguments.count:
        raise SystemExit(f"--index is 0 … {arguments.count - 1}, not {arguments.index}")
    _refuse_to_overwrite(arguments.out, [arguments.states])
    states = numpy.load(arguments.states)
    odd = [name for name in states.files if name not in ("position", "velocity", "force")]
    if odd or "position" not in states.files or "velocity" not in states.files:  # a misspelt force would be lost
        said = f"there is an array {odd[0]!r}" if odd else "position or velocity is missing"
        raise SystemExit(f"{arguments.states}: {said}; states have position, velocity and force")
    n = len(states["position"])
    rows = slice(n * arguments.index // arguments.count, n * (arguments.index + 1) // arguments.count)
    arrays = [states[name][rows] for name in ("position", "velocity", "force") if name in states.files]
    model = load(arguments.model, base=arguments.base)
    select = arguments.select.split(",") if arguments.select else None
    options = {"errors": "nan"} if arguments.function == "linearize" else {}
    what = job(model, arguments.function, select, **options)
    results = local(what, arrays, chunk=max(1, min(4096, math.ceil(len(arrays[0])))), threads=arguments.threads)
    _save(arguments.out, {**results, "part": numpy.array([arguments.index, arguments.count])})


def _merge(arguments: argparse.Namespace) -> None:
    _refuse_to_overwrite(arguments.out, arguments.parts)
    parts: Dict[int, Any] = {}
    for path in arguments.parts:
        part = numpy.load(path)
        if "part" not in part.files:
            raise SystemExit(f"{path} is not a part that python -m hamel.distributed part has written")
        index, count = (int(x) for x in part["part"])
        first = next(iter(parts.values()), part)
        if part.files != first.files or count != int(first["part"][1]):
            raise SystemExit(f"{path} has other results than {arguments.parts[0]}, or is one of another number of parts")
        if index in parts:
            raise SystemExit(f"{path} is part {index} of {count}, which another file has as well")
        parts[index] = part
    missing = [k for k in range(count) if k not in parts]
    if missing:
        raise SystemExit(f"part {missing[0]} of {count} is missing" + (f", and {len(missing) - 1} more" if missing[1:] else ""))
    names = [name for name in parts[0].files if name != "part"]
    _save(arguments.out, {name: numpy.concatenate([parts[k][name] for k in range(count)]) for name in names})


def _refuse_to_overwrite(out: str, inputs: Sequence[str]) -> None:
    for path in inputs:
        if os.path.exists(out) and os.path.exists(path) and os.path.samefile(out, path):
            raise SystemExit(f"{out} would overwrite {path}; give it another name")


def _save(path: str, arrays: Dict[str, Array]) -> None:
    with open(path + ".part", "wb") as file:  # a job that is killed leaves no file that looks complete
        numpy.savez(file, **arrays)  # type: ignore[arg-type]
    os.replace(path + ".part", path)


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """``python -m hamel.distributed part`` computes one part of many; ``merge`` joins the parts."""
    parser = argparse.ArgumentParser(prog="python -m hamel.distributed", description=main.__doc__)
    commands = parser.add_subparsers(required=True)
    part = commands.add_parser("part", help="the rows of one task of a job array")
    part.add_argument("model")
    part.add_argument("states", help="an .npz file: position, velocity, force")
    part.add_argument("out", help="an .npz file")
    part.add_argument("--index", type=int, required=True, help="which part, from 0")
    part.add_argument("--count", type=int, required=True, help="of how many")
    part.add_argument("--function", default="linearize")
    part.add_argument("--select", default="", help="names of results with commas between them")
    part.add_argument("--base", default="auto", choices=("auto", "free", "fixed"))
    part.add_argument("--threads", type=int, default=1)
    part.set_defaults(run=_part)
    merge = commands.add_parser("merge", help="join all parts, in any order")
    merge.add_argument("out")
    merge.add_argument("parts", nargs="+")
    merge.set_defaults(run=_merge)
    chosen = parser.parse_args(arguments)
    chosen.run(chosen)


if __name__ == "__main__":
    main()
