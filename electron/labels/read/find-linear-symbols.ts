import { type Bitmap, bytesPerRow, type DotBox, quarterTurn } from '../pixels/bitmap.ts'

/** A linear barcode as it lies in a bitmap. */
export interface LinearSymbol {
  readonly box: DotBox
  /** Width of one module in dots, a mean over the whole symbol. */
  readonly moduleDots: number
  /** Widths of bars and spaces, bar first; a symbol found lying on its side reads from its bottom. */
  readonly runs: readonly number[]
  /** The same in modules: exact where a module is many dots. */
  readonly modules: readonly number[]
}

/** Bars this high are a barcode's: no text keeps its strokes upright for so long. */
const bandMm = 4
/** A symbol's box may end this much before its bars do. */
export const bandStepMm = 2
/** Wider than any bar or space of a module that labels use; a quiet zone ends a symbol, and so does a black band. */
const widestRunMm = 3
/** EAN-8, the shortest of those on labels, has 22 bars; shorter than this are rules and tables. */
const fewestBars = 12

/**
 * Linear barcodes by their shape, upright and lying; none is read. What is not found: symbols skewed by more than
 * their bars are wide, and stacked codes of rows lower than 4 mm.
 */
export function findLinearSymbols(bitmap: Bitmap, dpi: number): LinearSymbol[] {
  const lying = findUpright(quarterTurn(bitmap), dpi).map(({ box, ...symbol }) => ({
    ...symbol,
    box: { x: box.y, y: bitmap.heightDots - box.x - box.width, width: box.height, height: box.width },
  }))
  return [...findUpright(bitmap, dpi), ...lying]
}

interface Run {
  readonly from: number
  readonly length: number
}

function findUpright(bitmap: Bitmap, dpi: number): LinearSymbol[] {
  const dotsPerMm = dpi / 25.4
  const height = Math.round(bandMm * dotsPerMm)
  const step = Math.round(bandStepMm * dotsPerMm)
  const found = new Map<string, LinearSymbol>()
  for (let y = 0; y + height <= bitmap.heightDots; y += step) {
    for (const runs of barRuns(bitmap, y, height, widestRunMm * dotsPerMm)) {
      const symbol = measure(runs, y, height)
      const key = `${symbol.box.x} ${symbol.runs.join(' ')}`
      const known = found.get(key)
      found.set(key, known ? { ...known, box: { ...known.box, height: y + height - known.box.y } } : symbol)
    }
  }
  return [...found.values()]
}

/** Columns of a band that are black or white all the way down, as runs; each answer begins and ends with a bar. */
function barRuns(bitmap: Bitmap, top: number, height: number, widest: number): Run[][] {
  const rowBytes = bytesPerRow(bitmap.widthDots)
  const all = bitmap.bytes.slice(top * rowBytes, (top + 1) * rowBytes)
  const any = all.slice()
  for (let y = top + 1; y < top + height; y++) {
    for (let at = 0, from = y * rowBytes; at < rowBytes; at++, from++) {
      const byte = bitmap.bytes[from] ?? 0
      all[at] = (all[at] ?? 0) & byte
      any[at] = (any[at] ?? 0) | byte
    }
  }
  const groups: Run[][] = []
  let runs: Run[] = []
  const close = (): void => {
    if (runs.length % 2 === 0) runs.pop()
    if (runs.length >= 2 * fewestBars - 1) groups.push(runs)
    runs = []
  }
  for (let x = 0; x < bitmap.widthDots;) {
    const shade = shadeAt(all, any, x)
    const from = x
    while (x < bitmap.widthDots && shadeAt(all, any, x) === shade) x++
    const length = x - from
    if (shade === 'mixed' || length > widest) close()
    else if (shade === 'black' || runs.length > 0) runs.push({ from, length })
  }
  close()
  return groups
}

function shadeAt(all: Uint8Array, any: Uint8Array, x: number): 'black' | 'white' | 'mixed' {
  const bit = 0x80 >> (x & 7)
  if (((all[x >> 3] ?? 0) & bit) !== 0) return 'black'
  return ((any[x >> 3] ?? 0) & bit) === 0 ? 'white' : 'mixed'
}

function measure(runs: readonly Run[], y: number, height: number): LinearSymbol {
  const [first, last] = [runs[0], runs.at(-1)]
  const x = first?.from ?? 0
  const width = (last?.from ?? 0) + (last?.length ?? 0) - x
  const narrowest = (offset: number): number =>
    Math.min(...runs.filter((_, index) => index % 2 === offset).map((run) => run.length))
  // a renderer that widens bars narrows spaces by as much
  const narrow = (narrowest(0) + narrowest(1)) / 2
  let modules: number[] = []
  let moduleDots = narrow
  // the narrowest is narrower than most where bars are drawn in pixels: the mean of a first guess makes a better one
  for (let guess = 0; guess < 3; guess++) {
    const by = moduleDots
    modules = runs.map((run) => Math.max(1, Math.round(run.length / by)))
    moduleDots = width / modules.reduce((sum, count) => sum + count, 0)
  }
  return { box: { x, y, width, height }, moduleDots, runs: runs.map((run) => run.length), modules }
}
