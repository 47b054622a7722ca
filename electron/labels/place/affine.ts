/** x' = a x + c y + e, y' = b x + d y + f, as PDF writes it. */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** First `first`, then `second`. */
export function followedBy([a, b, c, d, e, f]: Affine, [a2, b2, c2, d2, e2, f2]: Affine): Affine {
  return [
    a2 * a + c2 * b,
    b2 * a + d2 * b,
    a2 * c + c2 * d,
    b2 * c + d2 * d,
    a2 * e + c2 * f + e2,
    b2 * e + d2 * f + f2,
  ]
}

export function shift(x: number, y: number): Affine {
  return [1, 0, 0, 1, x, y]
}

export function scale(by: number): Affine {
  return [by, 0, 0, by, 0, 0]
}

/**
 * Turns a box that has its corner at nought clockwise, y running down, and moves its corner there again; `width` and
 * `height` are its sides before.
 */
export function turnBox(turn: 0 | 90 | 180 | 270, width: number, height: number): Affine {
  if (turn === 90) return [0, 1, -1, 0, height, 0]
  if (turn === 180) return [-1, 0, 0, -1, width, height]
  if (turn === 270) return [0, -1, 1, 0, 0, width]
  return [1, 0, 0, 1, 0, 0]
}

/** Between y running up and y running down, on a page of this height; its own opposite. */
export function flip(height: number): Affine {
  return [1, 0, 0, -1, 0, height]
}

/** The smallest upright box round a box that was transformed: left, bottom, right, top. */
export function boxUnder(
  [a, b, c, d, e, f]: Affine,
  [left, bottom, right, top]: readonly [number, number, number, number],
): [number, number, number, number] {
  const corners = [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ] as const
  const xs = corners.map(([x, y]) => a * x + c * y + e)
  const ys = corners.map(([x, y]) => b * x + d * y + f)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
