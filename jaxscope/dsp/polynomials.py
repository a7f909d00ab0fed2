"""From a transfer function to sections, where nothing is lost by it: the way of polynomials to the block filter.

Roots of a polynomial lose digits where they lie close together, and so does the recursion with the polynomial itself.
Both lose about what an error in the last digit of a coefficient does. So only polynomials that are far from that are
factored here; the others are left to the plain recursion, which then errs exactly as SciPy does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: change of the output, relative to its size, by one rounding of the coefficients up to which sections are used
WORST = 1e-12
#: error of the product of the factors, relative to the largest coefficient
_PRODUCT = 1e-13


def sections_of(b: Array, a: Array) -> Array | None:
    """Return sections (n_sections, 6) with the transfer function b / a, or None where factoring would lose digits.

    Parameters
    ----------
    b, a : (n_b,), (n_a,)
        ``a[0]`` is 1.

    Examples
    --------
    >>> sections_of(np.array([1.0]), np.array([1.0, -1.5, 0.75, -0.125])).shape
    (2, 6)
    >>> sections_of(np.array([1.0]), np.poly(np.full(8, 0.99))) is None
    True
    """
    if not (np.isfinite(a).all() and np.isfinite(b).all()) or b[0] == 0 or _sensitivity(b, a) > WORST:
        return None
    poles, zeros = np.roots(a), np.roots(b)
    if np.abs(poles).max(initial=0.0) >= 1:
        return None
    below, above = _factors(poles), _factors(zeros)
    below.sort(key=lambda factor: factor[2])
    sections = np.zeros((max(len(below), len(above)), 6))
    sections[:, 0] = sections[:, 3] = 1.0
    for k, factor in enumerate(below):
        sections[k, 3:] = factor
    # zeros go to the poles that are nearest to them, those of the sharpest poles first
    for k in range(len(sections) - 1, -1, -1):
        if not above:
            break
        nearest = min(range(len(above)), key=lambda j: float(np.abs(above[j] - sections[k, 3:]).sum()))
        sections[k, :3] = above.pop(nearest)
    sections[0, :3] *= b[0]
    return sections if _is_product(sections, b, a) else None


def _factors(roots: npt.NDArray[Any]) -> list[Array]:
    """Return polynomials (1, c1, c2) in z⁻¹ that hold the roots: complex pairs together, real ones by size."""
    upper = roots[roots.imag > 0]
    real = np.sort(roots[roots.imag == 0].real)
    found = [np.array([1.0, -2.0 * root.real, abs(root) ** 2]) for root in upper]
    pairs = zip(real[0:-1:2], real[1::2], strict=True)
    found.extend(np.array([1.0, -(one + other), one * other]) for one, other in pairs)
    if len(real) % 2:
        found.append(np.array([1.0, -real[-1], 0.0]))
    return found


def _is_product(sections: Array, b: Array, a: Array) -> bool:
    for columns, wanted in ((slice(0, 3), b), (slice(3, 6), a)):
        product = np.ones(1)
        for row in sections[:, columns]:
            product = np.convolve(product, row)
        if np.abs(product[len(wanted) :]).max(initial=0.0) > 0:
            return False
        short = np.zeros(len(wanted))
        short[: min(len(product), len(wanted))] = product[: len(wanted)]
        if np.abs(short - wanted).max() > _PRODUCT * np.abs(wanted).max():
            return False
    return True


def _sensitivity(b: Array, a: Array) -> float:
    """Return by how much the response can change, relative to its peak, when coefficients change by one rounding."""
    order = max(len(a), len(b))
    points = 1 << max(10, (8 * order - 1).bit_length())
    # a sharp resonance lies between the points of a grid, so the angles of the poles are looked at as well
    angles = np.concatenate([np.pi * np.arange(points + 1) / points, np.angle(np.roots(a))])
    z = np.exp(-1j * angles)
    below, above = np.abs(np.polyval(a[::-1], z)), np.abs(np.polyval(b[::-1], z))
    if below.min() == 0 or above.max() == 0:
        return np.inf
    response = above / below
    changed = (np.abs(a).sum() * response + np.abs(b).sum()) / below
    return float(np.finfo(np.float64).eps * changed.max() / response.max())
