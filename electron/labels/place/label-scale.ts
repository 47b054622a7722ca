import { type Bitmap, erased } from '../pixels/bitmap.ts'
import { bandStepMm, findLinearSymbols, findMatrixModules, type LinearSymbol } from '../read/find-symbols.ts'

/** The narrowest module that scanned every time in tests, in dots: 0.23 mm at 203 dpi, 0.19 mm at 300 dpi. */
function narrowestLinearDots(dpi: number): number {
  return ((dpi < 250 ? 0.23 : 0.19) * dpi) / 25.4
}

const narrowestMatrixDots = 3
/** Below this the small print of a label, 6 points high, is not legible. */
const smallestScale = 0.6
/** Tolerance of the measured module, so that a small error does not cost a whole dot. */
const measuringErrorDots = 0.02
/** How far a label may shrink to get bars of whole dots, which makes all bars of one width print alike. */
const worthOfWholeDots = 0.85

/** The barcodes of a label, measured at three pixels for each of the printer's dots. */
export interface Measured {
  readonly linear: readonly LinearSymbol[]
  /** Narrowest modules, in the printer's dots; infinite if there is no symbol of that kind. */
  readonly linearDots: number
  readonly matrixDots: number
}

/** Measures the barcodes of a label rendered at `pixelsPerDot` pixels for each of the printer's dots. */
export function measureSymbols(fine: Bitmap, dpi: number, pixelsPerDot: number): Measured {
  const linear = findLinearSymbols(fine, dpi * pixelsPerDot)
  // bars may look like the corner mark of a QR code, also where they end between two bands
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
 * Returns the factor, at most `most`, that makes a label fit with readable barcodes, or null if there is none. The
 * factor makes the narrowest module whole dots if that costs little, otherwise it is `most`. A label without a linear
 * barcode is never scaled, because nothing could prove that it can still be read.
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
 * Whether every linear barcode is still found in the scaled label, with each bar and space nearest to its own width.
 */
export function keepsBarcodes(scaled: Bitmap, dpi: number, before: readonly LinearSymbol[]): boolean {
  const after = findLinearSymbols(scaled, dpi).map(({ runs }) => runs)
  // a turned symbol may be found in the opposite direction
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
