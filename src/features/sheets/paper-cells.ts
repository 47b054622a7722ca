/** The quiet zone of Code 128: ten modules on each side. */
const quietModules = 10
const dotMm = 25.4 / 203
const finestDots = 2
const widestDots = 4
/** Average width of a letter of Helvetica Bold, as a fraction of the font size, rounded up. */
const letterWidth = 0.62

/**
 * Returns the width of the narrowest bar, and the position of the first bar, as electron/labels draws them for a
 * printer with 203 dpi.
 */
export function barsIn(
  modules: number,
  widthMm: number,
  isMiddle: boolean,
): { readonly moduleMm: number; readonly leftMm: number } {
  const dots = Math.floor(widthMm / dotMm / (modules + 2 * quietModules))
  const moduleMm = Math.max(finestDots, Math.min(widestDots, dots)) * dotMm
  return { moduleMm, leftMm: isMiddle ? (widthMm - modules * moduleMm) / 2 : 0 }
}

/** Returns the font size at which a text fits a width, limited to the range from `leastMm` to `mostMm`. */
export function fittingMm(text: string, widthMm: number, mostMm: number, leastMm: number): number {
  return Math.max(leastMm, Math.min(mostMm, widthMm / (Math.max(1, text.length) * letterWidth)))
}

/**
 * Returns the width of a module of a QR code, and the margin around the code, as electron/labels draws them for a
 * printer with 203 dpi.
 */
export function matrixIn(
  side: number,
  roomMm: number,
): { readonly moduleMm: number; readonly quietMm: number } {
  const dots = Math.floor(roomMm / dotMm / (side + 8))
  const moduleMm = Math.min(8, dots) * dotMm
  return { moduleMm, quietMm: 4 * moduleMm }
}
