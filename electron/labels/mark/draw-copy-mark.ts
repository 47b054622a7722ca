import { type Canvas, drawText, fillBox, type Fonts, measureWith, withQuarterTurn } from '../draw/canvas.ts'
import { clip, leading } from '../draw/fit-text.ts'
import type { MarkShape } from './mark-place.ts'
import type { BoxPt } from '../draw/page-geometry.ts'

/** What a reprint says of itself, in the words of whoever asks for it. */
export interface CopyMark {
  /** `COPY`, `KOPIE`: the word that nobody overlooks. */
  readonly word: string
  /** Date and reason, in small letters; cut where it would be wider than some 60 mm at its smallest. */
  readonly line: string
}

/** One way to lay out a mark; lengths are in em of the word. */
export interface CopyMarkShape extends MarkShape {
  readonly rows: readonly string[]
  readonly lineEm: number
  /** The line stands beside the word, not below it. */
  readonly isBeside: boolean
}

const leastWordPt = 11
const mostWordPt = 30
/** Below this no thermal printer draws letters that can be read. */
const leastLinePt = 6
const widestLinePt = 180

const paddingEm = 0.32
const frameEm = 0.07
/** Of capitals; some have an accent. */
const capEm = 0.72
const accentEm = 0.14
const gapEm = 0.26

/** The ways to lay out a mark, at so many dots an inch. */
export function copyMarkShapes(mark: CopyMark, fonts: Fonts, dpi: number): CopyMarkShape[] {
  const measure = measureWith(fonts)
  const line = clip(mark.line, widestLinePt, leastLinePt, false, measure)
  const emOf = (text: string, bold: boolean): number => measure(text, 100, bold) / 100
  const wordEm = emOf(mark.word, true)
  const shapeOf = (rows: readonly string[], lineEm: number, isBeside: boolean): CopyMarkShape => {
    const rowsEm = Math.max(...rows.map((row) => emOf(row, false))) * lineEm
    const belowEm = isBeside ? 0 : gapEm + rows.length * lineEm * leading
    return {
      rows,
      lineEm,
      isBeside,
      widthEm: (isBeside ? wordEm + 2 * gapEm + rowsEm : Math.max(wordEm, rowsEm)) + 2 * paddingEm,
      heightEm: accentEm + capEm + belowEm + 2 * paddingEm,
      leastDots: (Math.max(leastWordPt, leastLinePt / lineEm) * dpi) / 72,
      mostDots: (mostWordPt * dpi) / 72,
    }
  }
  const below = [1, 2, 3, 4].map((rows) => inRows(line, rows, (text) => emOf(text, false)))
  return [
    shapeOf([line], 0.4, true),
    ...[0.3, 0.55].flatMap((lineEm) => below.map((rows) => shapeOf(rows, lineEm, false))),
  ]
}

/** Words in rows of about one length: at most so many, unless a word is longer than its row. */
function inRows(line: string, most: number, widthOf: (text: string) => number): string[] {
  const words = line.split(' ')
  for (let width = widthOf(line) / most; ; width *= 1.05) {
    const rows: string[] = []
    for (const word of words) {
      const joined = `${rows.at(-1) ?? ''} ${word}`.trim()
      if (rows.length > 0 && widthOf(joined) <= width) rows[rows.length - 1] = joined
      else rows.push(word)
    }
    if (rows.length <= most) return rows
  }
}

/** Draws a mark in a box, on white and in a frame; turned, it reads from the bottom up. */
export function drawCopyMark(
  canvas: Canvas,
  box: BoxPt,
  word: string,
  {
    shape,
    emPt,
    isTurned,
  }: { readonly shape: CopyMarkShape; readonly emPt: number; readonly isTurned: boolean },
): void {
  if (isTurned) {
    withQuarterTurn(canvas, box, (turned) => {
      const whole = { xPt: 0, yPt: 0, widthPt: box.heightPt, heightPt: box.widthPt }
      drawCopyMark(turned, whole, word, { shape, emPt, isTurned: false })
    })
    return
  }
  const frame = frameEm * emPt
  fillBox(canvas, box)
  fillBox(canvas, inset(box, frame), 1)
  const left = box.xPt + paddingEm * emPt
  const baseline = box.yPt + (paddingEm + accentEm + capEm) * emPt
  drawText(canvas, word, left, baseline, { sizePt: emPt, bold: true })
  const linePt = shape.lineEm * emPt
  const style = { sizePt: linePt, align: shape.isBeside ? 'right' : 'left' } as const
  const xPt = shape.isBeside ? box.xPt + box.widthPt - paddingEm * emPt : left
  const first = shape.isBeside ? baseline : baseline + gapEm * emPt + capEm * linePt
  for (const [at, row] of shape.rows.entries())
    drawText(canvas, row, xPt, first + at * linePt * leading, style)
}

function inset(box: BoxPt, by: number): BoxPt {
  return {
    xPt: box.xPt + by,
    yPt: box.yPt + by,
    widthPt: box.widthPt - 2 * by,
    heightPt: box.heightPt - 2 * by,
  }
}
