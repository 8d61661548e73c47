"""The ascent of PEACE's likelihood in large steps: all memberships of an object, and of all objects, at once.

A sweep gives every object in turn a Newton step over its simplex; given the others, f is concave in it. A joint Newton
step, by conjugate gradients, follows how objects pull each other, which sweeps follow slowly. Either is taken as far as
f rises. After the first sweeps the rows are profiles. The points where both stop are those where the published ascent
stops.
"""

# compiled kernels are imported where needed, so that what does without them starts faster

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray
from consclust.methods.base import Run
from consclust.methods.peace.pairmodel import TINY, PairModel

SWEEPS = 6  # Rounds at the beginning that are a sweep over the objects: far from the solution a joint step is short
SWEPT = 0.1  # Part of the largest gap from which a row takes part in a sweep after a joint step
SUFFICIENT = 1e-4  # Part of the rise foreseen by the gradient that a step must give
HALVINGS = 30  # Most halvings of a step that gives less
CONJUGATE_STEPS = 30  # Most products with the Hessian for a joint step
CONJUGATE_TOLERANCE = 0.01  # Part of the squared residual that the conjugate gradients leave, far from the solution
STEEPEST = 1e30  # Largest derivative that is stored, lest single precision overflow
RIDGE = 1e-10  # Added to the diagonal of the rows' Hessians, relative to its largest entry
Map = Callable[[FloatArray], FloatArray]


def block_ascent(model: PairModel, start: FloatArray, tau: float, max_iter: int) -> Run:
    """Ascend until no gap exceeds ``tau``, or neither f rises nor the gap shrinks.

    Sweeps over the objects come first. Then the objects of a profile get their mean memberships, which never lowers f,
    and the ascent goes on with the profiles.
    """
    y = start.copy()
    f = model.likelihood(start)
    path = list[float]()
    if model.gaps(y, model.gradient(y)).max() <= tau:
        return Run(y, -f, path, True)
    rise, least = np.inf, np.inf
    while rise > 0 and len(path) < min(SWEEPS, max_iter):
        rise = sweep(model, y, tau)
        f += rise
        path.append(f)
    objects, model, y = model, model.profile_model, model.merge(y)
    f, state = model.likelihood(y), _State(model)
    path[-1] = f
    while True:
        gap = float(model.gaps(y, state.at(y)).max())
        stalled = rise <= 0 and gap >= least
        if gap <= tau or stalled or len(path) == max_iter:
            f = model.likelihood(y)  # starts are compared by it, so without the rounding of the rises
            return Run(objects.expand(y), -f, [*path[:-1], f], gap <= tau)
        least = min(gap, least)
        y, rise = joint_step(model, y, state, gap / tau)
        rise += sweep(model, y, max(tau, SWEPT * gap))
        f += rise
        path.append(f)


def sweep(model: PairModel, y: FloatArray, least: float) -> float:
    """Improve in turn, in place, the memberships of every row whose gap is at least ``least``; return f's rise."""
    from consclust.numerics.kernels import pair_kernels as pairs

    columns = y.T.copy()
    risen = pairs.sweep(model.together, model.apart, columns, least * model.sizes, SUFFICIENT, HALVINGS, RIDGE)
    y[:] = columns.T
    return 2 * risen


def _halved(
    model: PairModel, y: FloatArray, move: FloatArray, base: IntArray, gradient: FloatArray
) -> tuple[FloatArray, float]:
    """Return y + move, halved until f rises by a part of what the gradient promises, and the rise; else y and 0."""
    for halvings in range(HALVINGS):
        new = retract(y, move / 2**halvings, base)
        rise = model.rise(y, new)
        if rise >= max(SUFFICIENT * float(np.vdot(gradient, new - y)), 0.0):
            return new, rise
    return y, 0.0


def retract(y: FloatArray, move: FloatArray, base: IntArray) -> FloatArray:
    """Return y + move in the simplices: negative memberships become 0, that of the base takes the rest."""
    rows = np.arange(len(y))
    new: FloatArray = np.maximum(y + move, 0.0)
    new[rows, base] = 0.0
    new /= np.maximum(new.sum(axis=1, keepdims=True), 1.0)
    new[rows, base] = np.maximum(1 - new.sum(axis=1), 0.0)
    return new


class _State:
    """f's derivatives at Y, in memory that is used again from Y to Y.

    The second derivatives have single precision: they only choose where to go, and how far is decided by f.
    """

    def __init__(self, model: PairModel) -> None:
        n = len(model.together)
        self._model = model
        self.weights, self.curvature = np.empty((2, n, n), np.float32)  # omega, and c / a^2 + (N - c) / (1 - a)^2

    def at(self, y: FloatArray) -> FloatArray:
        """Compute them; return g, half the gradient, shape (n, K)."""
        from consclust.numerics.kernels.pair_kernels import derivatives, narrow

        model, (n, k) = self._model, y.shape
        upper, lower = np.triu_indices(k)
        pair = np.zeros((k, k), dtype=np.int64)
        pair[upper, lower] = pair[lower, upper] = np.arange(len(upper))
        products = (y[:, upper] * y[:, lower]).astype(np.float32)
        self.g, self.own = np.empty_like(y), np.empty((n, k, k))  # own: sums of curvature y_j y_j'
        for rows in model.blocks:
            share = y[rows] @ y.T
            weights, curvature = np.empty_like(share), self.curvature[rows]
            derivatives(model.together[rows], model.apart[rows], share, weights, curvature, STEEPEST)
            self.g[rows] = weights @ y
            narrow(weights, STEEPEST, self.weights[rows])
            self.own[rows] = (curvature @ products)[:, pair]
        return self.g


def joint_step(model: PairModel, y: FloatArray, state: _State, distance: float) -> tuple[FloatArray, float]:
    """Return Y after a Newton step of all free memberships, where the bound ones go to 0, and the rise of f."""
    rows = np.arange(len(y))
    base = y.argmax(axis=1)
    single = y.astype(np.float32)
    slope = state.g - state.g[rows, base, None]
    blocks = _blocks(state.own, base)
    free = y + slope / (np.einsum("nkk->nk", blocks) + TINY) > 0
    free[rows, base] = False
    inverse = _inverses(blocks, free)

    def precondition(residual: FloatArray) -> FloatArray:
        return np.where(free, np.einsum("nkl,nl->nk", inverse, residual), 0.0)

    def curved(direction: FloatArray) -> FloatArray:
        moved = direction.copy()
        moved[rows, base] = -direction.sum(axis=1)
        product = np.einsum("nkl,nl->nk", state.own, moved)
        moving = moved.astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # such a product ends the conjugate gradients
            for block in model.blocks:
                change = single[block] @ moving.T
                change *= state.curvature[block]
                product[block] += change @ single - state.weights[block] @ moving
        return np.where(free, product - product[rows, base, None], 0.0)

    move = _conjugate_gradients(curved, precondition, np.where(free, slope, 0.0), distance)
    return _halved(model, y, np.where(free, move, -y), base, 2 * state.g)


def _blocks(own: FloatArray, base: IntArray) -> FloatArray:
    """Minus the Hessian of each row over its memberships but the base's, shape (n, K, K)."""
    rows = np.arange(len(own))
    of_base = own[rows, base]
    both = of_base[rows, base]
    return own - of_base[:, :, None] - of_base[:, None, :] + both[:, None, None]


def _conjugate_gradients(curved: Map, precondition: Map, slope: FloatArray, distance: float) -> FloatArray:
    """Solve curved(x) = slope, short of negative curvature, and of products beyond single precision."""
    solution, residual = np.zeros_like(slope), slope
    direction = conditioned = precondition(residual)
    size = float(np.vdot(residual, conditioned))
    least = size * CONJUGATE_TOLERANCE * min(1.0, distance * 1e-4)
    for count in range(CONJUGATE_STEPS):
        product = curved(direction)
        bend = float(np.vdot(direction, product))
        if not 0 < bend < np.inf:
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
    """Inverses of the rows' Hessians on their free memberships; the identity on the others."""
    inner = np.where(free[:, :, None] & free[:, None, :], blocks, 0.0)
    diagonal = np.einsum("nkk->nk", inner)
    diagonal += np.where(free, RIDGE * diagonal.max(axis=1, keepdims=True) + TINY, 1.0)
    return np.linalg.inv(inner)
