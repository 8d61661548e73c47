"""The ascent of PEACE's likelihood in large steps: all memberships of an object, and of all objects, at once.

A sweep gives every object in turn a Newton step over its simplex; given the others, f is concave in it. A joint Newton
step, by conjugate gradients, follows how objects pull each other, which sweeps follow slowly. Either is taken as far as
f rises. The points where both stop are those where the published ascent stops.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from concord.ensemble import FloatArray, IntArray
from concord.methods.base import Run
from concord.methods.peace.pairmodel import TINY, PairModel, gain, gaps

SWEEPS = 6  # Rounds at the beginning that are a sweep only: far from the solution a joint step is short
SWEPT = 0.1  # Part of the largest gap from which an object takes part in a sweep after a joint step
SUFFICIENT = 1e-4  # Part of the rise foreseen by the gradient that a step must give
HALVINGS = 30  # Most halvings of a step that gives less
CONJUGATE_STEPS = 30  # Most products with the Hessian for a joint step
CONJUGATE_TOLERANCE = 0.01  # Part of the squared residual that the conjugate gradients leave, far from the solution
RIDGE = 1e-10  # Added to the diagonal of the objects' Hessians, relative to its largest entry
Map = Callable[[FloatArray], FloatArray]


def block_ascent(model: PairModel, start: FloatArray, tau: float, max_iter: int) -> Run:
    """Ascend until no gap exceeds ``tau``, or neither f rises nor the gap shrinks."""
    y, path = start.copy(), list[float]()
    f, least = model.likelihood(y), np.inf
    while True:
        state = _State.at(model, y)
        gap = float(gaps(y, state.g).max())
        stalled = bool(path) and path[-1] <= f and gap >= least
        if gap <= tau or stalled or len(path) == max_iter:
            return Run(y, -model.likelihood(y), path, gap <= tau)
        f, least = path[-1] if path else f, min(gap, least)
        if len(path) < SWEEPS:
            sweep(model, y, tau)
        else:
            y = joint_step(model, y, state, gap / tau)
            sweep(model, y, max(tau, SWEPT * gap))
        path.append(model.likelihood(y))


def sweep(model: PairModel, y: FloatArray, least: float) -> None:
    """Improve in turn, in place, the memberships of every object whose gap is at least ``least``."""
    for i in range(len(y)):
        y[i] = _improved(model.together[i], model.apart[i], y, y[i], least)


def _improved(together: FloatArray, apart: FloatArray, others: FloatArray, y: FloatArray, least: float) -> FloatArray:
    """Return the memberships of one object after a Newton step; unchanged if their gap is below ``least``."""
    share = others @ y
    joined = together / np.maximum(share, TINY)
    parted = apart / np.maximum(1 - share, TINY)
    g = (joined - parted) @ others
    if g.max() - g[y > 0].min() < least:
        return y
    base = int(y.argmax())
    curvature = joined / np.maximum(share, TINY) + parted / np.maximum(1 - share, TINY)
    differences = others - others[:, base, None]
    hessian = (differences * curvature[:, None]).T @ differences
    diagonal = hessian.diagonal() + RIDGE * hessian.diagonal().max() + TINY
    slope = g - g[base]
    bound = y + slope / diagonal <= 0
    bound[base] = True
    free = np.flatnonzero(~bound)
    move = np.where(bound, -y, 0.0)
    if len(free):
        block = hessian[np.ix_(free, free)]
        block.flat[:: len(free) + 1] = diagonal[free]
        move[free] = np.linalg.solve(block, slope[free])
    move[base] = 0.0
    found: FloatArray = _halved(
        y[None], move[None], np.array([base]), g, lambda new: gain(together, apart, share, others @ new[0])
    )[0]
    return found


def _halved(
    y: FloatArray, move: FloatArray, base: IntArray, gradient: FloatArray, rise: Callable[[FloatArray], float]
) -> FloatArray:
    """Return y + move, halved until it raises f by a part of what the gradient promises; y if it never does."""
    for halvings in range(HALVINGS):
        new = retract(y, move / 2**halvings, base)
        if rise(new) >= max(SUFFICIENT * float(np.vdot(gradient, new - y)), 0.0):
            return new
    return y


def retract(y: FloatArray, move: FloatArray, base: IntArray) -> FloatArray:
    """Return y + move in the simplices: negative memberships become 0, that of the base takes the rest."""
    rows = np.arange(len(y))
    new: FloatArray = np.maximum(y + move, 0.0)
    new[rows, base] = 0.0
    new /= np.maximum(new.sum(axis=1, keepdims=True), 1.0)
    new[rows, base] = np.maximum(1 - new.sum(axis=1), 0.0)
    return new


class _State(NamedTuple):
    """f's derivatives at Y."""

    share: FloatArray  # Y Y', shape (n, n)
    weights: FloatArray  # omega, shape (n, n)
    curvature: FloatArray  # c / a^2 + (N - c) / (1 - a)^2, shape (n, n)
    g: FloatArray  # Half the gradient, shape (n, K)

    @classmethod
    def at(cls, model: PairModel, y: FloatArray) -> "_State":
        """Compute them."""
        share = y @ y.T
        together, apart = np.maximum(share, TINY), np.maximum(1 - share, TINY)
        weights, parted = model.together / together, model.apart / apart
        curvature = weights / together
        weights -= parted
        parted /= apart
        curvature += parted
        return cls(share, weights, curvature, weights @ y)


def joint_step(model: PairModel, y: FloatArray, state: _State, distance: float) -> FloatArray:
    """Return Y after a Newton step of all free memberships; the bound ones go to 0."""
    rows, base = np.arange(len(y)), y.argmax(axis=1)
    slope = state.g - state.g[rows, base, None]
    blocks = _blocks(y, state.curvature, base)
    free = y + slope / (np.einsum("nkk->nk", blocks) + TINY) > 0
    free[rows, base] = False
    inverse = _inverses(blocks, free)

    def precondition(residual: FloatArray) -> FloatArray:
        return np.where(free, np.einsum("nkl,nl->nk", inverse, residual), 0.0)

    def curved(direction: FloatArray) -> FloatArray:
        moved = direction.copy()
        moved[rows, base] = -direction.sum(axis=1)
        change = np.hstack([moved, y]) @ np.hstack([y, moved]).T
        change *= state.curvature
        product = change @ y - state.weights @ moved
        return np.where(free, product - product[rows, base, None], 0.0)

    def rise(new: FloatArray) -> float:
        return gain(model.together, model.apart, state.share, new @ new.T)

    move = _conjugate_gradients(curved, precondition, np.where(free, slope, 0.0), distance)
    return _halved(y, np.where(free, move, -y), base, 2 * state.g, rise)


def _blocks(y: FloatArray, curvature: FloatArray, base: IntArray) -> FloatArray:
    """Minus the Hessian of each object over its memberships but the base's, shape (n, K, K)."""
    n, k = y.shape
    upper, lower = np.triu_indices(k)
    products = curvature @ (y[:, upper] * y[:, lower])
    full = np.empty((n, k, k))
    full[:, upper, lower] = full[:, lower, upper] = products
    of_base = full[np.arange(n), base]
    both = of_base[np.arange(n), base]
    return full - of_base[:, :, None] - of_base[:, None, :] + both[:, None, None]


def _conjugate_gradients(curved: Map, precondition: Map, slope: FloatArray, distance: float) -> FloatArray:
    """Solve curved(x) = slope, short of negative curvature."""
    solution, residual = np.zeros_like(slope), slope
    direction = conditioned = precondition(residual)
    size = float(np.vdot(residual, conditioned))
    least = size * CONJUGATE_TOLERANCE * min(1.0, distance * 1e-4)
    for count in range(CONJUGATE_STEPS):
        product = curved(direction)
        bend = float(np.vdot(direction, product))
        if bend <= 0:
            return direction if count == 0 else solution
        length = size / bend
        solution = solution + length * direction
        residual = residual - length * product
        conditioned = precondition(residual)
        size, last = float(np.vdot(residual, conditioned)), size
        if size <= least:
            break
        direction = conditioned + size / last * direction
    return solution


def _inverses(blocks: FloatArray, free: npt.NDArray[np.bool_]) -> FloatArray:
    """Inverses of the objects' Hessians on their free memberships; the identity on the others."""
    inner = np.where(free[:, :, None] & free[:, None, :], blocks, 0.0)
    diagonal = np.einsum("nkk->nk", inner)
    diagonal += np.where(free, RIDGE * diagonal.max(axis=1, keepdims=True) + TINY, 1.0)
    return np.linalg.inv(inner)
