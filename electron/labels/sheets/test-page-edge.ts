import { drawText } from '../draw/canvas.ts'
import { dotsOf, type DotGrid, fillDots } from './dot-grid.ts'

/** Nested corners, one a millimetre: as many as are missing, so many millimetres are cut off. */
const cornerMarks = 5
const cornerMm = 7

/** A frame at the very edge of what prints, corners that count millimetres inwards, a ruler along the top and the left. */
export function drawEdge(grid: DotGrid): void {
  drawFrame(grid)
  for (const isRight of [false, true]) for (const isLow of [false, true]) drawCorner(grid, isRight, isLow)
  drawRuler(grid, true)
  drawRuler(grid, false)
}

/** Two dots: one alone is missing on many printers without anything being wrong. */
function lineDots(grid: DotGrid): number {
  return Math.max(2, dotsOf(grid, 0.25))
}

function drawFrame(grid: DotGrid): void {
  const { widthDots, heightDots } = grid
  const line = lineDots(grid)
  fillDots(grid, 0, 0, widthDots, line)
  fillDots(grid, 0, heightDots - line, widthDots, line)
  fillDots(grid, 0, 0, line, heightDots)
  fillDots(grid, widthDots - line, 0, line, heightDots)
}

function drawCorner(grid: DotGrid, isRight: boolean, isLow: boolean): void {
  const { widthDots, heightDots } = grid
  const arm = dotsOf(grid, cornerMm)
  for (let mm = 1; mm <= cornerMarks; mm++) {
    const at = dotsOf(grid, mm)
    const line = mm === cornerMarks ? 2 * lineDots(grid) : lineDots(grid)
    const x = isRight ? widthDots - arm : at
    const y = isLow ? heightDots - at - line : at
    fillDots(grid, x, y, arm - at, line)
    const xOfStroke = isRight ? widthDots - at - line : at
    const yOfStroke = isLow ? heightDots - arm : at
    fillDots(grid, xOfStroke, yOfStroke, line, arm - at)
  }
}

/** Strokes of 1.5 mm, longer each fifth millimetre, longest and with its number each tenth. */
function drawRuler(grid: DotGrid, isAcross: boolean): void {
  const { canvas, dot, widthDots, heightDots } = grid
  const line = lineDots(grid)
  const lengthDots = (isAcross ? widthDots : heightDots) - dotsOf(grid, cornerMm)
  for (let mm = cornerMm + 1; dotsOf(grid, mm) < lengthDots - line; mm++) {
    const at = dotsOf(grid, mm)
    const stroke = dotsOf(grid, mm % 10 === 0 ? 3.2 : mm % 5 === 0 ? 2.4 : 1.5)
    if (isAcross) fillDots(grid, at, 0, line, stroke)
    else fillDots(grid, 0, at, stroke, line)
    if (mm % 10 !== 0) continue
    const style = { sizePt: 6, bold: true, align: 'center' } as const
    if (isAcross) drawText(canvas, String(mm), at * dot, (stroke + dotsOf(grid, 2.2)) * dot, style)
    else
      drawText(canvas, String(mm), (stroke + dotsOf(grid, 0.5)) * dot, at * dot + 2.1, {
        ...style,
        align: 'left',
      })
  }
}
