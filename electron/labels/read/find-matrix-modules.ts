import { type Bitmap, isBlack, quarterTurn } from '../pixels/bitmap.ts'

/** Runs of one row, alternating; the first is white and may be empty. */
function runsOf(bitmap: Bitmap, y: number): number[] {
  const runs: number[] = []
  let [shade, length] = [false, 0]
  for (let x = 0; x < bitmap.widthDots; x++) {
    const black = isBlack(bitmap, x, y)
    if (black !== shade) {
      runs.push(length)
      shade = black
      length = 0
    }
    length++
  }
  runs.push(length)
  return runs
}

/** The corner marks of a QR code: bar, space, bar of three, space, bar. */
const finder = [1, 1, 3, 1, 1]
/** Data Matrix and Aztec: the smallest has this many alternating modules of one width in a line. */
const shortestTiming = 10
const rowStepMm = 0.25

/**
 * Modules of matrix codes, in dots: seen by the corner marks of QR and the timing patterns of the others. Strokes of
 * text may pass for a timing pattern; they never hide a code.
 */
export function findMatrixModules(bitmap: Bitmap, dpi: number): number[] {
  return [...alongRows(bitmap, dpi), ...alongRows(quarterTurn(bitmap), dpi)]
}

function alongRows(bitmap: Bitmap, dpi: number): number[] {
  const step = Math.max(1, Math.floor((rowStepMm * dpi) / 25.4))
  const seen: number[] = []
  let before: number[] = []
  for (let y = 0; y < bitmap.heightDots; y += step) {
    const now = modulesOfRow(runsOf(bitmap, y))
    // a pattern stands for a whole module, so for more than one sampled row
    seen.push(...now.filter((module) => before.some((other) => Math.abs(other - module) < 0.5)))
    before = now
  }
  return [...new Set(seen)]
}

function modulesOfRow(runs: readonly number[]): number[] {
  const modules: number[] = []
  for (let at = 1; at + finder.length <= runs.length; at += 2) {
    const five = runs.slice(at, at + finder.length)
    const module = five.reduce((sum, run) => sum + run, 0) / 7
    if (module >= 2 && five.every((run, index) => isNear(run, (finder[index] ?? 1) * module, module)))
      modules.push(module)
  }
  for (let from = 1; from + shortestTiming <= runs.length; from++) {
    const chain = runs.slice(from, from + shortestTiming)
    const module = chain.reduce((sum, run) => sum + run, 0) / chain.length
    if (module >= 2 && chain.every((run) => isNear(run, module, module))) modules.push(module)
  }
  return modules
}

/** Within a tenth of a module, or the one dot that rounding moves. */
function isNear(run: number, expected: number, module: number): boolean {
  return Math.abs(run - expected) <= Math.max(module / 10, 1)
}
