import { maxBoundValues } from './dialect.ts'

/** Rows in portions that one statement can bind. */
export function portions<Row extends object>(rows: readonly Row[]): Row[][] {
  const columns = Object.keys(rows[0] ?? {}).length
  const atOnce = Math.max(1, Math.floor(maxBoundValues / Math.max(1, columns)))
  const count = Math.ceil(rows.length / atOnce)
  return Array.from({ length: count }, (_, index) => rows.slice(index * atOnce, (index + 1) * atOnce))
}
