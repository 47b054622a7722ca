/** Ten modules of white on either side of a Code128. */
const quietModules = 10
const dotMm = 25.4 / 203
const finestDots = 2
const widestDots = 4
/** How wide a letter of Helvetica Bold is on average, as a part of its size; a little more than it is. */
const letterWidth = 0.62

/** How wide the narrowest bar gets, and where the first one stands, as electron/labels draws it. */
export function barsIn(
  modules: number,
  widthMm: number,
  isMiddle: boolean,
): { readonly moduleMm: number; readonly leftMm: number } {
  const dots = Math.floor(widthMm / dotMm / (modules + 2 * quietModules))
  const moduleMm = Math.max(finestDots, Math.min(widestDots, dots)) * dotMm
  return { moduleMm, leftMm: isMiddle ? (widthMm - modules * moduleMm) / 2 : 0 }
}

/** The size at which a text fits a width, between two bounds. */
export function fittingMm(text: string, widthMm: number, mostMm: number, leastMm: number): number {
  return Math.max(leastMm, Math.min(mostMm, widthMm / (Math.max(1, text.length) * letterWidth)))
}

/** How wide a module of a QR code gets, and the white around it, as electron/labels draws it. */
export function matrixIn(
  side: number,
  roomMm: number,
): { readonly moduleMm: number; readonly quietMm: number } {
  const dots = Math.floor(roomMm / dotMm / (side + 8))
  const moduleMm = Math.min(8, dots) * dotMm
  return { moduleMm, quietMm: 4 * moduleMm }
}
