import { type Bitmap, erased } from '../pixels/bitmap.ts'
import { bandStepMm, findLinearSymbols, findMatrixModules, type LinearSymbol } from '../read/find-symbols.ts'

/**
 * Returns the narrowest module that scanners read every time in tests, in dots: 0.23 mm at 203 dpi, 0.19 mm at 300 dpi.
 */
function narrowestLinearDots(dpi: number): number {
  return ((dpi < 250 ? 0.23 : 0.19) * dpi) / 25.4
}

const narrowestMatrixDots = 3
/** Smallest factor for a label. With a smaller factor the small print of a label (6 points high) is not legible. */
const smallestScale = 0.6
/**
 * Tolerance of the measured module width, in dots. Without it a small error could make the printed module a whole dot
 * narrower.
 */
const measuringErrorDots = 0.02
/**
 * If necessary, a label is made smaller by at most this further factor, so that its modules have a whole number of
 * dots. All bars that have the same width in modules then have the same width in print.
 */
const worthOfWholeDots = 0.85

/** The measured barcodes of a label. */
export interface Measured {
  readonly linear: readonly LinearSymbol[]
  /**
   * Width of the narrowest modules of linear barcodes in the printer's dots; infinite if there is no linear barcode.
   */
  readonly linearDots: number
  readonly matrixDots: number
}

/** Measures the barcodes of a label rendered at `pixelsPerDot` pixels for each of the printer's dots. */
export function measureSymbols(fine: Bitmap, dpi: number, pixelsPerDot: number): Measured {
  const linear = findLinearSymbols(fine, dpi * pixelsPerDot)
  // searches for matrix codes only outside the linear barcodes and a rim around each, because bars may look like the
  // corner mark of a QR code
  const rim = Math.round((bandStepMm * dpi * pixelsPerDot) / 25.4)
  const bars = linear.map(({ box: { x, y, width, height } }) => ({
    x: x - rim,
    y: y - rim,
    width: width + 2 * rim,
    height: height + 2 * rim,
  }))
  const beside = erased(fine, bars)
  const matrix = findMatrixModules(beside, dpi * pixelsPerDot)
  return {
    linear,
    linearDots: Math.min(...linear.map((symbol) => symbol.moduleDots)) / pixelsPerDot,
    matrixDots: Math.min(...matrix) / pixelsPerDot,
  }
}

/**
 * Returns the factor, at most `most` and at least `smallestScale`, by which a label is made smaller so that its
 * barcodes stay readable; null if there is no such factor. If possible without a much smaller label, the narrowest
 * modules get a whole number of dots. Returns null for a label without a linear barcode, because its readability could
 * not be checked.
 */
export function readableScale(
  { linear, linearDots, matrixDots }: Measured,
  most: number,
  dpi: number,
): number | null {
  if (linear.length === 0) return null
  const isReadable = (scale: number): boolean =>
    scale >= smallestScale &&
    linearDots * scale + measuringErrorDots >= narrowestLinearDots(dpi) &&
    matrixDots * scale >= narrowestMatrixDots
  const whole = Math.min(most, Math.floor(linearDots * most + measuringErrorDots) / linearDots)
  if (whole >= most * worthOfWholeDots && isReadable(whole)) return whole
  return isReadable(most) ? most : null
}

/**
 * Whether every linear barcode is found in the scaled label with unchanged bars and spaces: each must have the same
 * width in modules, after rounding, as before scaling.
 */
export function keepsBarcodes(scaled: Bitmap, dpi: number, before: readonly LinearSymbol[]): boolean {
  const after = findLinearSymbols(scaled, dpi).map(({ runs }) => runs)
  // the barcode of a turned label may be found from its other end, so its lengths are also compared in reverse order
  const eitherWay = [...after, ...after.map((runs) => runs.toReversed())]
  return before.every(({ modules }) => eitherWay.some((runs) => readsAs(runs, modules)))
}

function readsAs(runs: readonly number[], modules: readonly number[]): boolean {
  const sum = (lengths: readonly number[]): number => lengths.reduce((total, length) => total + length, 0)
  const moduleDots = sum(runs) / sum(modules)
  return (
    runs.length === modules.length &&
    runs.every((run, index) => Math.abs(run / moduleDots - (modules[index] ?? 0)) < 0.5)
  )
}
