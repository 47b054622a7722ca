import bwipjs from 'bwip-js/node'
import { calibrationCodes } from '#shared/domain/wedge/calibration.ts'
import { type BoxPt, dotPt, wholeDots } from './canvas.ts'

/**
 * A linear barcode planned for a width: the widths of bars and spaces in modules, starting with a bar, and the width of
 * a module in whole dots.
 */
export interface LinearPlan {
  readonly runs: readonly number[]
  readonly moduleDots: number
  readonly widthDots: number
}

/** A matrix barcode planned for a square: rows of modules (true is dark), and the side of a module in whole dots. */
export interface MatrixPlan {
  readonly rows: readonly (readonly boolean[])[]
  readonly moduleDots: number
  readonly sideDots: number
}

/** Quiet zone of Code128 on the left and on the right, in modules (ISO/IEC 15417). */
export const linearQuietModules = 10
/** Quiet zone of a QR code on all sides, in modules (ISO/IEC 18004). */
export const matrixQuietModules = 4

/**
 * Narrowest module of a Code128: two dots at 203 dpi. Thermal printers and hand scanners fail with narrower modules.
 */
const minLinearModulePt = 2 * dotPt
const maxLinearModulePt = 4 * dotPt
const minMatrixModuleDots = 3

function symbolOf(bcid: string, text: string, options: Record<string, string>): object {
  // `raw` accepts the options of the barcode type, but the types of bwip-js 4.11 do not contain these options
  const symbol: unknown = bwipjs.raw({ bcid, text, ...options })[0]
  if (typeof symbol !== 'object' || symbol === null) throw new RangeError(`no ${bcid} symbol of this text`)
  return symbol
}

const withSeparator: readonly string[] = Object.values(calibrationCodes)

/**
 * Throws RangeError for an empty text, control characters and characters outside ASCII, because no code on these labels
 * contains them. The calibration codes are the only exceptions.
 */
function assertEncodable(text: string): void {
  // this text contains a separator on purpose: with it an operator tests how a scanner sends separators
  if (withSeparator.includes(text)) return
  if (!/^[\x20-\x7e]+$/.test(text)) throw new RangeError('a tracking code is printable ASCII')
}

/** Plans a Code128 with modules of `moduleDots` dots. Its width has no limit. */
export function code128Of(text: string, moduleDots: number): LinearPlan {
  assertEncodable(text)
  const symbol = symbolOf('code128', text, {})
  if (!('sbs' in symbol) || !Array.isArray(symbol.sbs)) throw new RangeError('no Code128 of this text')
  const runs = symbol.sbs.map(Number)
  return { runs, moduleDots, widthDots: runs.reduce((sum, run) => sum + run, 0) * moduleDots }
}

/**
 * Plans a Code128 with the widest modules of whole dots, up to 0.5 mm, that fit a width, including the quiet zones.
 * `dot` is the side of one printer dot in points. Throws RangeError if modules of 0.25 mm do not fit, because scanners
 * do not read narrower modules.
 */
export function planCode128(text: string, availablePt: number, dot: number = dotPt): LinearPlan {
  const room = Math.floor(wholeDots(availablePt, dot) / modulesOf(text))
  if (room < leastModuleDots(dot)) throw new RangeError(`a Code128 of ${text.length} characters does not fit`)
  return code128Of(text, Math.min(room, Math.round(maxLinearModulePt / dot)))
}

/** Returns the smallest width of a Code128 that `planCode128` plans, in points. `dot`: see there. */
export function leastCode128Pt(text: string, dot: number): number {
  return modulesOf(text) * leastModuleDots(dot) * dot
}

/** Returns the width of a Code128 in modules, including the quiet zones. */
function modulesOf(text: string): number {
  return code128Of(text, 1).widthDots + 2 * linearQuietModules
}

function leastModuleDots(dot: number): number {
  return Math.round(minLinearModulePt / dot)
}

/** Plans a QR code (level M) with modules of `moduleDots` dots. Its size has no limit. */
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

/**
 * Plans a QR code (level M) with the largest modules of whole dots that fit a square, including the quiet zone. Throws
 * RangeError if modules of three dots do not fit.
 */
export function planQr(text: string, availablePt: number): MatrixPlan {
  const { sideDots: side } = qrOf(text, 1)
  const moduleDots = Math.floor(wholeDots(availablePt) / (side + 2 * matrixQuietModules))
  if (moduleDots < minMatrixModuleDots) throw new RangeError(`a QR of ${text.length} characters does not fit`)
  return qrOf(text, moduleDots)
}

/**
 * Returns the dark bars of a plan, in points from the upper left corner of the barcode. `dot` is the side of one dot in
 * points.
 */
export function linearBars(plan: LinearPlan, heightPt: number, dot: number = dotPt): BoxPt[] {
  // renderers blacken every dot that a bar touches, so bars are a fiftieth of a dot narrower on each side: after
  // rounding they must not touch another dot
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

/**
 * Returns the dark modules of a plan, in points from the upper left corner of the barcode. Adjacent modules of a row
 * are one box.
 */
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
