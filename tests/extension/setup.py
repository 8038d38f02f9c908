"""Builds both with setuptools; all that dmlc adds is an include directory."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import dmlc

extensions = [
    Extension(name, [source], include_dirs=[dmlc.get_include()])
    for name, source in [("cython_user", "cython_user.pyx"), ("c_user", "c_user.c")]
]
setup(name="dmlc-users", ext_modules=cythonize(extensions))
