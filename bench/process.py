"""What has to stand in the process before a library is imported: threads, instruction sets."""

from __future__ import annotations

import argparse
import os
import sys

AVX512 = "AVX512F,AVX512VL,AVX512BW,AVX512DQ,AVX512CD"
"""What the C library's memcpy and memset ask for."""

PEERS_SWITCHES = {
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",  # PyTorch, and what its compiler writes
        "DNNL_MAX_CPU_ISA": "AVX2",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{n}" for n in AVX512.split(",")),
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "OPENCV_CPU_DISABLE": "AVX512-SKX,AVX512F",
        "OPENCV_IPP": "avx2",  # the IPP inside of OpenCV
        "TORCHINDUCTOR_CPP_MARCH": "x86-64-v3",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    }
}
"""What holds other libraries to the instruction set that dmlc is held to.

Each was seen to act: PyTorch, NumPy and OpenCV say what they use (`peers.instruction_set`), XLA's
object files and the C library's choice of memcpy lose their 64-byte registers. ONNX Runtime has no
switch of its own; what it leaves to memcpy is held.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that `prepare` reads."""
    cores = len(os.sched_getaffinity(0))
    add = parser.add_argument
    add("--threads", metavar="N", type=positive, default=cores, help="threads of every library")
    add("--isa", metavar="NAME", help="kernels to use, as DMLC_ISA names them; avx2 for peers too")


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {value}")
    return value


def environment(options: argparse.Namespace) -> dict[str, str]:
    """The variables that libraries read when they are loaded."""
    wanted = {"TF_CPP_MIN_LOG_LEVEL": "3"}
    if options.isa:
        wanted |= {"DMLC_ISA": options.isa, **PEERS_SWITCHES.get(options.isa, {})}
    if options.threads != os.cpu_count():
        wanted["OMP_NUM_THREADS"] = str(options.threads)
    return wanted


def prepare(options: argparse.Namespace) -> None:
    """Everything that libraries read once; starts the program anew where its environment differs.

    The C library reads its switches before the first line of any program.
    """
    # XLA has no setting for its threads but counts the cores that it may use.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
    wanted = environment(options)
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **wanted})
