"""Pliant turns a mesh into a deformable object that runs in real time.

    >>> import pliant
    >>> squid = pliant.make_shape("squid", vertices=20_000)
    >>> pliant.info(squid)["tets"]
    >>> pliant.write_mesh("squid.vtu", squid)

Arrays are numpy arrays: positions (n, 3) in metres, ids 0-based. Bad input raises pliant.InputError, which is a ValueError.
Long calls release the GIL; those that take `progress`, and render, can be interrupted with Ctrl-C.
"""

from . import _pliant
from ._pliant import *  # noqa: F401,F403

__version__ = _pliant.__version__
__all__ = sorted(name for name in dir(_pliant) if not name.startswith("_"))
