/** Returns the width in points of a text at a size in points. */
export type Measure = (text: string, sizePt: number, bold: boolean) => number

export interface StyledLine {
  readonly text: string
  readonly bold: boolean
  /** Letter size relative to the size of the block. */
  readonly scale: number
  /** A part at the start or the end of the line that is always printed completely on one row. */
  readonly keep?: string
}

interface FittedBlock {
  readonly sizePt: number
  readonly lines: readonly StyledLine[]
}

interface FitBox {
  readonly widthPt: number
  readonly heightPt: number
  readonly maxSizePt: number
  readonly minSizePt: number
}

/** Line height as a multiple of the letter size. */
export const leading = 1.16

/**
 * Returns the longest prefix for which `fits` returns true; at least one character, so that the line breaking always
 * ends. Uses bisection, because a longer prefix is never narrower.
 */
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

const noBreak = '\u00a0'

/** Splits a line into the part to keep and the texts before and after it, without empty texts. */
function partsOf(line: StyledLine): StyledLine[] {
  const { keep, ...rest } = line
  if (keep === undefined) return [line]
  const atEnd = line.text.endsWith(keep)
  const other = {
    ...rest,
    text: (atEnd ? line.text.slice(0, -keep.length) : line.text.slice(keep.length)).trim(),
  }
  const kept = { ...line, text: keep }
  return (atEnd ? [other, kept] : [kept, other]).filter((part) => part.text !== '')
}

/**
 * Breaks a line at spaces, but not inside the part to keep. A word that is wider than the box continues on the next
 * row.
 */
function wrap(line: StyledLine, widthPt: number, sizePt: number, measure: Measure): StyledLine[] {
  const { keep, ...bare } = line
  const fits = (part: string): boolean =>
    measure(part.replaceAll(noBreak, ' '), sizePt * line.scale, line.bold) <= widthPt
  const rows: string[] = []
  let row = ''
  const words = partsOf(line).flatMap((part) =>
    keep !== undefined && part.text === keep ? [keep.replaceAll(' ', noBreak)] : part.text.split(' '),
  )
  for (let word of words) {
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
  return rows.map((text) => ({ ...bare, text: text.replaceAll(noBreak, ' ') }))
}

/** Returns the text if it fits the width on one line, otherwise cuts it and adds an ellipsis. */
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

/**
 * Returns the largest size between two bounds at which a bold text fits a width; the lower bound if it fits at no size.
 */
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
 * Sets each line on one row in letters of `minSizePt`, or in smaller letters if the rows would otherwise be higher than
 * the box. If a line is wider than the box, the part that must be printed completely (`keep`) gets a separate row. If
 * space remains, the last lines may use more than one row each. Text that still does not fit is cut and ends with an
 * ellipsis.
 */
function cutToRows(lines: readonly StyledLine[], box: FitBox, measure: Measure): FittedBlock {
  const widthOf = (text: string, line: StyledLine, sizePt: number): number =>
    measure(text, sizePt * line.scale, line.bold)
  const parts = lines.flatMap((line) =>
    widthOf(line.text, line, box.minSizePt) <= box.widthPt ? [line] : partsOf(line),
  )
  const sizePt = Math.min(box.minSizePt, box.heightPt / Math.max(heightOf(parts, 1), 1e-9))
  let sparePt = box.heightPt - heightOf(parts, sizePt)
  const blocks = parts.toReversed().map((line) => {
    const width = widthOf(line.text, line, sizePt)
    if (width <= box.widthPt) return [line]
    // only a wrong address has a postcode of this length; the postcode is printed completely in smaller letters
    if (line.keep !== undefined) return [{ ...line, scale: (line.scale * box.widthPt) / width }]
    const rows = wrap(line, box.widthPt, sizePt, measure)
    const rowPt = heightOf([line], sizePt)
    const shown = Math.min(rows.length, 1 + Math.max(0, Math.floor(sparePt / rowPt)))
    sparePt -= (shown - 1) * rowPt
    const last = rows.slice(shown - 1).map((row) => row.text)
    const text = clip(last.join(' '), box.widthPt, sizePt * line.scale, line.bold, measure)
    return [...rows.slice(0, shown - 1), { ...line, text }]
  })
  return { sizePt, lines: blocks.toReversed().flat() }
}

/**
 * Sets lines in the largest letters that fit the box. If unbroken lines would need letters that are more than a tenth
 * smaller than `maxSizePt`, breaks the lines first. Cuts a line only if it does not fit in the smallest letters. The
 * part of a line that must be printed completely (`keep`) is never broken or cut.
 */
export function fitLines(lines: readonly StyledLine[], box: FitBox, measure: Measure): FittedBlock {
  const step = 0.25
  const fits = (text: string, line: StyledLine, sizePt: number): boolean =>
    measure(text, sizePt * line.scale, line.bold) <= box.widthPt
  const whole = (sizePt: number): boolean => lines.every((line) => fits(line.text, line, sizePt))
  const keeps = (sizePt: number): boolean => lines.every((line) => fits(line.keep ?? '', line, sizePt))
  for (let sizePt = box.maxSizePt; sizePt >= box.maxSizePt * 0.9; sizePt -= step)
    if (whole(sizePt) && heightOf(lines, sizePt) <= box.heightPt) return { sizePt, lines }
  for (let sizePt = box.maxSizePt; sizePt >= box.minSizePt; sizePt -= step) {
    if (!keeps(sizePt)) continue
    const wrapped = lines.flatMap((line) => wrap(line, box.widthPt, sizePt, measure))
    if (heightOf(wrapped, sizePt) <= box.heightPt) return { sizePt, lines: wrapped }
  }
  return cutToRows(lines, box, measure)
}
