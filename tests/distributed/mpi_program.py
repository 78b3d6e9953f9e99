"""Run by mpirun: the first process compares the results of all with its own."""

import sys

import numpy as np
from mpi4py import MPI

import hamel
from hamel import distributed

comm = MPI.COMM_WORLD
n = int(sys.argv[1])
if comm.Get_rank() == 0:
    robot = hamel.load("quadruped")
    q, v = robot.random(1, n), np.random.default_rng(1).normal(size=(n, robot.nv))
    job = distributed.job(robot)
    begin = MPI.Wtime()
    results = distributed.mpi(job, (q, v), comm, 256)
    took = MPI.Wtime() - begin
    own = distributed.local(job, (q, v), 256)
    assert all(np.array_equal(results[name], own[name]) for name in own)
    q[5, 8] = np.nan  # what fails in another process is raised in this one
    try:
        distributed.mpi(job, (q, v), comm, 256)
    except hamel.NotFiniteError:
        print(f"{comm.Get_size()} processes: the same bits, {took:.2f} s")
    else:
        sys.exit("a state that is not finite went unnoticed")
else:
    assert distributed.mpi(None, None, comm) is None
    distributed.mpi(None, None, comm)
