/* Moments of inertia as solids. This file knows nothing of drawing. */

/*
 * The ellipsoid of constant density that has the mass and the moment of a body. For principal moments A, B, C its half
 * axes are a² = 5/2 (B + C − A)/m, …; what no rigid body has, a negative square, is drawn flat. The half lengths of the
 * box with the same moments are √(3/5) of that.
 * Returns {size, rotation: row-major, columns are the principal axes}.
 */
export function inertiaEllipsoid(mass, moment) {
  const { values, vectors } = eigen(moment);
  const sum = values[0] + values[1] + values[2];
  const size = values.map((x) => Math.sqrt(Math.max(0, (2.5 * (sum - 2 * x)) / mass)));
  return { size, rotation: vectors };
}

/* Jacobi's method for a symmetric 3 × 3 matrix, row after row; vectors are columns, right-handed */
export function eigen(m) {
  const a = Array.from(m);
  const v = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  for (let sweep = 0; sweep < 30; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[3 * p + q]) < 1e-300) continue;
      const t = 0.5 * Math.atan2(2 * a[3 * p + q], a[4 * q] - a[4 * p]);
      const [c, s] = [Math.cos(t), Math.sin(t)];
      for (let k = 0; k < 3; k++) [a[3 * k + p], a[3 * k + q]] = [c * a[3 * k + p] - s * a[3 * k + q], s * a[3 * k + p] + c * a[3 * k + q]];
      for (let k = 0; k < 3; k++) [a[3 * p + k], a[3 * q + k]] = [c * a[3 * p + k] - s * a[3 * q + k], s * a[3 * p + k] + c * a[3 * q + k]];
      for (let k = 0; k < 3; k++) [v[3 * k + p], v[3 * k + q]] = [c * v[3 * k + p] - s * v[3 * k + q], s * v[3 * k + p] + c * v[3 * k + q]];
    }
  }
  return { values: [a[0], a[4], a[8]], vectors: v };
}
