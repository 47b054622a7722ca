import bwipjs from 'bwip-js/node'
import { calibrationCodes } from '#shared/domain/wedge/calibration.ts'
import { type BoxPt, dotPt, wholeDots } from './canvas.ts'

/** A linear symbol planned for a width: runs in modules, bar first, and the module in whole dots. */
export interface LinearPlan {
  readonly runs: readonly number[]
  readonly moduleDots: number
  readonly widthDots: number
}

/** A matrix symbol planned for a square: rows of dark modules, and the module in whole dots. */
export interface MatrixPlan {
  readonly rows: readonly (readonly boolean[])[]
  readonly moduleDots: number
  readonly sideDots: number
}

/** ISO/IEC 15417: ten modules of white on either side. */
export const linearQuietModules = 10
/** ISO/IEC 18004: four modules of white all round. */
export const matrixQuietModules = 4

/** Two dots of 203 dpi: below that thermal printers and hand scanners fail. */
const minLinearModulePt = 2 * dotPt
const maxLinearModulePt = 4 * dotPt
const minMatrixModuleDots = 3

function symbolOf(bcid: string, text: string, options: Record<string, string>): object {
  // bwip-js 4.11 declares `raw` without the symbology's own options; it takes them.
  const symbol: unknown = bwipjs.raw({ bcid, text, ...options })[0]
  if (typeof symbol !== 'object' || symbol === null) throw new RangeError(`no ${bcid} symbol of this text`)
  return symbol
}

const withSeparator: readonly string[] = Object.values(calibrationCodes)

/** Code128 has no place for control characters on our labels, nor for anything beyond ASCII. */
function assertEncodable(text: string): void {
  // it is there to learn how a scanner sends the separator
  if (withSeparator.includes(text)) return
  if (!/^[\x20-\x7e]+$/.test(text)) throw new RangeError('a tracking code is printable ASCII')
}

/** Code128 of a text with modules of `moduleDots` dots, of any width. */
export function code128Of(text: string, moduleDots: number): LinearPlan {
  assertEncodable(text)
  const symbol = symbolOf('code128', text, {})
  if (!('sbs' in symbol) || !Array.isArray(symbol.sbs)) throw new RangeError('no Code128 of this text')
  const runs = symbol.sbs.map(Number)
  return { runs, moduleDots, widthDots: runs.reduce((sum, run) => sum + run, 0) * moduleDots }
}

/**
 * Code128 of a text in the widest whole-dot modules that leave its quiet zones inside a width. `dot` is the side of one
 * of the printer's dots in points. Throws RangeError where even modules of 0.25 mm do not fit: a narrower symbol would
 * not scan.
 */
export function planCode128(text: string, availablePt: number, dot: number = dotPt): LinearPlan {
  const { widthDots: modules } = code128Of(text, 1)
  const room = Math.floor(wholeDots(availablePt, dot) / (modules + 2 * linearQuietModules))
  if (room < Math.round(minLinearModulePt / dot))
    throw new RangeError(`a Code128 of ${text.length} characters does not fit`)
  return code128Of(text, Math.min(room, Math.round(maxLinearModulePt / dot)))
}

/** QR code (level M) of a text with modules of `moduleDots` dots, of any size. */
export function qrOf(text: string, moduleDots: number): MatrixPlan {
  assertEncodable(text)
  const symbol = symbolOf('qrcode', text, { eclevel: 'M' })
  if (!('pixs' in symbol && 'pixx' in symbol) || !Array.isArray(symbol.pixs))
    throw new RangeError('no QR code of this text')
  const side = Number(symbol.pixx)
  const dark = symbol.pixs.map((pixel) => Number(pixel) === 1)
  const rows = Array.from({ length: side }, (_, row) => dark.slice(row * side, (row + 1) * side))
  return { rows, moduleDots, sideDots: side * moduleDots }
}

/** QR code (level M) of a text for a square side with the quiet zone inside. Throws RangeError where it does not fit. */
export function planQr(text: string, availablePt: number): MatrixPlan {
  const { sideDots: side } = qrOf(text, 1)
  const moduleDots = Math.floor(wholeDots(availablePt) / (side + 2 * matrixQuietModules))
  if (moduleDots < minMatrixModuleDots) throw new RangeError(`a QR of ${text.length} characters does not fit`)
  return qrOf(text, moduleDots)
}

/** The dark bars of a plan, from the symbol's upper left corner, in points; `dot` is the side of one dot. */
export function linearBars(plan: LinearPlan, heightPt: number, dot: number = dotPt): BoxPt[] {
  // a fiftieth of a dot: renderers blacken every dot a bar touches, and rounding must not make it touch one more
  const edgeInsetPt = dot / 50
  const module = plan.moduleDots * dot
  const bars: BoxPt[] = []
  let at = 0
  for (const [index, run] of plan.runs.entries()) {
    if (index % 2 === 0) {
      const xPt = at * module + edgeInsetPt
      bars.push({ xPt, yPt: 0, widthPt: run * module - 2 * edgeInsetPt, heightPt })
    }
    at += run
  }
  return bars
}

/** The dark modules of a plan, neighbours in a row joined, from the symbol's upper left corner, in points. */
export function matrixBars(plan: MatrixPlan, dot: number = dotPt): BoxPt[] {
  const module = plan.moduleDots * dot
  const bars: BoxPt[] = []
  for (const [rowIndex, row] of plan.rows.entries()) {
    for (let from = 0; from < row.length; from++) {
      if (row[from] !== true || row[from - 1] === true) continue
      let to = from
      while (row[to] === true) to++
      bars.push({
        xPt: from * module,
        yPt: rowIndex * module,
        widthPt: (to - from) * module,
        heightPt: module,
      })
    }
  }
  return bars
}
