import { type Bitmap, bytesPerRow, type DotBox, isBlack, quarterTurn } from '../pixels/bitmap.ts'

/** The place and the bars of a linear barcode in a bitmap. */
export interface LinearSymbol {
  readonly box: DotBox
  /** Width of one module in dots: the mean over the whole barcode. */
  readonly moduleDots: number
  /**
   * Widths of bars and spaces in dots, starting with a bar: from left to right, for a turned barcode from the bottom
   * up.
   */
  readonly runs: readonly number[]
  /**
   * Widths of bars and spaces in modules, rounded to whole modules. The rounding is reliable only if a module has many
   * dots.
   */
  readonly modules: readonly number[]
}

/**
 * Minimum height of a barcode's bars, in millimetres. Upright lines of this height are bars, because no text has
 * strokes of this length.
 */
const bandMm = 4
/** Maximum distance in millimetres between the end of a barcode's box and the end of its bars. */
export const bandStepMm = 2
/**
 * Maximum width of a run in a barcode. A wider run is a quiet zone or a black area, because bars and spaces on labels
 * are narrower.
 */
const widestRunMm = 3
/**
 * Minimum number of bars. EAN-8, the shortest barcode on labels, has 22 bars; shapes with fewer bars are lines and
 * tables.
 */
const fewestBars = 12

/**
 * Finds linear barcodes by their shape, upright and turned, without reading them. Does not find stacked codes with rows
 * lower than 4 mm, or barcodes that are so skewed that the edge of a bar moves by a dot or more within 4 mm.
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

/**
 * Returns the sequences of runs in a horizontal band that may be barcodes. A run consists of adjacent columns in which
 * all dots of the band have the same colour. Each sequence begins and ends with a bar, has at least `fewestBars` bars,
 * and has no run wider than `widest` dots.
 */
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
  // the mean of the narrowest bar and the narrowest space does not change if a renderer widens bars and narrows spaces
  // by the same amount
  const narrow = (narrowest(0) + narrowest(1)) / 2
  let modules: number[] = []
  let moduleDots = narrow
  // rounding to pixels makes the narrowest bar narrower than a module, so this loop uses the width of the whole barcode
  // to improve the estimate
  for (let guess = 0; guess < 3; guess++) {
    const by = moduleDots
    modules = runs.map((run) => Math.max(1, Math.round(run.length / by)))
    moduleDots = width / modules.reduce((sum, count) => sum + count, 0)
  }
  return { box: { x, y, width, height }, moduleDots, runs: runs.map((run) => run.length), modules }
}

/**
 * Returns the lengths of the runs of one row, alternating between white and black. The first run is white and may be
 * empty.
 */
function runsOf(bitmap: Bitmap, y: number): number[] {
  const runs: number[] = []
  let [shade, length] = [false, 0]
  for (let x = 0; x < bitmap.widthDots; x++) {
    const black = isBlack(bitmap, x, y)
    if (black !== shade) {
      runs.push(length)
      shade = black
      length = 0
    }
    length++
  }
  runs.push(length)
  return runs
}

/** Widths along a line through the middle of a QR code's corner mark, in modules: bar, space, bar, space, bar. */
const finder = [1, 1, 3, 1, 1]
/** Minimum number of modules, alternately black and white, in a timing pattern of a Data Matrix or Aztec code. */
const shortestTiming = 10
const rowStepMm = 0.25

/**
 * Returns the widths of the modules of matrix codes, in dots, if they are at least two dots wide. Finds QR codes by
 * their corner marks and other codes by their timing patterns. Text may look like a timing pattern, so the result may
 * contain widths that belong to no code, but the width of each code is in the result.
 */
export function findMatrixModules(bitmap: Bitmap, dpi: number): number[] {
  return [...alongRows(bitmap, dpi), ...alongRows(quarterTurn(bitmap), dpi)]
}

function alongRows(bitmap: Bitmap, dpi: number): number[] {
  const step = Math.max(1, Math.floor((rowStepMm * dpi) / 25.4))
  const seen: number[] = []
  let before: number[] = []
  for (let y = 0; y < bitmap.heightDots; y += step) {
    const now = modulesOfRow(runsOf(bitmap, y))
    // a pattern is at least a module high, so only patterns that occur in two consecutive sampled rows count
    seen.push(...now.filter((module) => before.some((other) => Math.abs(other - module) < 0.5)))
    before = now
  }
  return [...new Set(seen)]
}

function modulesOfRow(runs: readonly number[]): number[] {
  const modules: number[] = []
  for (let at = 1; at + finder.length <= runs.length; at += 2) {
    const five = runs.slice(at, at + finder.length)
    const module = five.reduce((sum, run) => sum + run, 0) / 7
    if (module >= 2 && five.every((run, index) => isNear(run, (finder[index] ?? 1) * module, module)))
      modules.push(module)
  }
  for (let from = 1; from + shortestTiming <= runs.length; from++) {
    const chain = runs.slice(from, from + shortestTiming)
    const module = chain.reduce((sum, run) => sum + run, 0) / chain.length
    if (module >= 2 && chain.every((run) => isNear(run, module, module))) modules.push(module)
  }
  return modules
}

/**
 * Whether a run has the expected length, with a tolerance of a tenth of a module, and of at least one dot for rounding.
 */
function isNear(run: number, expected: number, module: number): boolean {
  return Math.abs(run - expected) <= Math.max(module / 10, 1)
}

const smallestModuleDots = 2

/**
 * Finds the corner marks of QR codes, and returns the box of seven by seven modules of each mark. A mark looks the same
 * after a turn by 90 degrees.
 */
export function findQrMarks(bitmap: Bitmap, dpi: number): DotBox[] {
  // examines a line every quarter of a millimetre, which is less than a module of any code on a label
  const step = Math.max(1, Math.floor(dpi / 100))
  const marks: DotBox[] = []
  for (let y = 0; y < bitmap.heightDots; y += step) {
    for (const { middle, module } of alongLine((x) => isBlack(bitmap, x, y), bitmap.widthDots)) {
      const down = alongLine((at) => isBlack(bitmap, middle, at), bitmap.heightDots).find(
        (mark) => Math.abs(mark.middle - y) <= 1.5 * module && Math.abs(mark.module - module) <= module / 4,
      )
      if (!down) continue
      const side = Math.round(7 * module)
      const corner = (at: number): number => Math.round(at - side / 2)
      const box = { x: corner(middle), y: corner(down.middle), width: side, height: side }
      if (!marks.some((mark) => Math.abs(mark.x - box.x) < side && Math.abs(mark.y - box.y) < side))
        marks.push(box)
    }
  }
  return marks
}

/** Returns the middle and the module width of each corner mark that a line crosses. */
function alongLine(
  isBlackAt: (at: number) => boolean,
  length: number,
): { readonly middle: number; readonly module: number }[] {
  const found: { middle: number; module: number }[] = []
  // the last five runs. When a white run begins, the first and the last of the five are black
  const runs = [0, 0, 0, 0, 0]
  let shade = false
  let run = 0
  for (let at = 0; at <= length; at++) {
    const black = at < length && isBlackAt(at)
    if (black === shade) {
      run++
      continue
    }
    runs.shift()
    runs.push(run)
    if (shade) {
      const total = runs.reduce((sum, one) => sum + one, 0)
      const module = total / 7
      const isMark = runs.every((one, index) => Math.abs(one - (finder[index] ?? 1) * module) <= module / 2)
      if (isMark && module >= smallestModuleDots) found.push({ middle: Math.round(at - total / 2), module })
    }
    shade = black
    run = 1
  }
  return found
}
