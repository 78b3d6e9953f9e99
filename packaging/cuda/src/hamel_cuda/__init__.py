"""libhamel-cuda, which hamel.cuda loads: batches on a GPU of NVIDIA."""

import pathlib


def library():
    """The path of libhamel-cuda.so."""
    return pathlib.Path(__file__).resolve().parent / "libhamel-cuda.so"
