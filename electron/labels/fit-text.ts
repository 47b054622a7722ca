/** Width in points of a text at a size in points. */
export type Measure = (text: string, sizePt: number, bold: boolean) => number

export interface StyledLine {
  readonly text: string
  readonly bold: boolean
  /** Size relative to the block's. */
  readonly scale: number
}

export interface FittedBlock {
  readonly sizePt: number
  readonly lines: readonly StyledLine[]
}

export interface FitBox {
  readonly widthPt: number
  readonly heightPt: number
  readonly maxSizePt: number
  readonly minSizePt: number
}

/** Line height as a multiple of the letter size. */
export const leading = 1.16

/** By halving: a longer prefix is never narrower. At least one character, so that wrapping gets on. */
function longestPrefix(text: string, fits: (part: string) => boolean): number {
  let low = 1
  let high = text.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(text.slice(0, middle))) low = middle
    else high = middle - 1
  }
  return low
}

/** Breaks at spaces; a word wider than the box is cut where it must be. */
function wrap(line: StyledLine, widthPt: number, sizePt: number, measure: Measure): StyledLine[] {
  const fits = (part: string): boolean => measure(part, sizePt * line.scale, line.bold) <= widthPt
  const rows: string[] = []
  let row = ''
  for (let word of line.text.split(' ')) {
    const joined = row === '' ? word : `${row} ${word}`
    if (fits(joined)) {
      row = joined
      continue
    }
    if (row !== '') rows.push(row)
    while (!fits(word) && word.length > 1) {
      const cut = longestPrefix(word, fits)
      rows.push(word.slice(0, cut))
      word = word.slice(cut)
    }
    row = word
  }
  if (row !== '') rows.push(row)
  return rows.map((text) => ({ ...line, text }))
}

/** Text that fits a width on one line: whole, or cut with an ellipsis. */
export function clip(text: string, widthPt: number, sizePt: number, bold: boolean, measure: Measure): string {
  const fits = (part: string): boolean => measure(part, sizePt, bold) <= widthPt
  if (fits(text)) return text
  return `${text
    .slice(
      0,
      longestPrefix(text, (part) => fits(`${part}…`)),
    )
    .trimEnd()}…`
}

/** The largest size at which a text fits a width, between two bounds. */
export function fitSize(
  text: string,
  widthPt: number,
  bounds: { readonly maxSizePt: number; readonly minSizePt: number },
  measure: Measure,
): number {
  const widthAtOne = measure(text, 100, true) / 100
  if (widthAtOne === 0) return bounds.maxSizePt
  return Math.max(bounds.minSizePt, Math.min(bounds.maxSizePt, widthPt / widthAtOne))
}

function heightOf(lines: readonly StyledLine[], sizePt: number): number {
  return lines.reduce((sum, line) => sum + line.scale * leading * sizePt, 0)
}

/**
 * Lines in the largest letters that the box takes. First without breaking a line, down to three quarters of the
 * largest size; then with breaks, down to the smallest; then each line cut to one, and shrunk until all are in.
 */
export function fitLines(lines: readonly StyledLine[], box: FitBox, measure: Measure): FittedBlock {
  const step = 0.25
  const whole = (sizePt: number): boolean =>
    lines.every((line) => measure(line.text, sizePt * line.scale, line.bold) <= box.widthPt)
  for (let sizePt = box.maxSizePt; sizePt >= box.maxSizePt * 0.75; sizePt -= step)
    if (whole(sizePt) && heightOf(lines, sizePt) <= box.heightPt) return { sizePt, lines }
  for (let sizePt = box.maxSizePt; sizePt >= box.minSizePt; sizePt -= step) {
    const wrapped = lines.flatMap((line) => wrap(line, box.widthPt, sizePt, measure))
    if (heightOf(wrapped, sizePt) <= box.heightPt) return { sizePt, lines: wrapped }
  }
  const sizePt = Math.min(box.minSizePt, box.heightPt / Math.max(heightOf(lines, 1), 1e-9))
  const clipped = lines.map((line) => ({
    ...line,
    text: clip(line.text, box.widthPt, sizePt * line.scale, line.bold, measure),
  }))
  return { sizePt, lines: clipped }
}
