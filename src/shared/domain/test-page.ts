/**
 * The test page of a printer: its marks, the scans of the marks, and what the scans show about the printing of labels.
 * The marks are Code128 symbols of decreasing bar widths and, if the paper has space for them, a turned Code128 symbol
 * and a QR code. Each mark contains the two letters of the test run and its own letter.
 */

/**
 * The beginning of each code on a printer's test page. The prefix consists of letters only, as in command barcodes
 * (commands.ts). No code of an article or a label begins with this prefix.
 */
export const testPagePrefix = 'SDTST'

export type TestMarkKind = 'upright' | 'turned' | 'matrix'

export interface TestMark {
  /** The text of the barcode: `testPagePrefix`, the two letters of the test run, and the letter of this barcode. */
  readonly code: string
  readonly kind: TestMarkKind
  /** Width of the narrowest bar, in dots and in millimetres. */
  readonly moduleDots: number
  readonly moduleMm: number
}

export interface TestPaper {
  readonly dpi: number
  readonly widthDots: number
  /** Height of the paper in dots; null: a roll, which is cut where the page ends. */
  readonly heightDots: number | null
}

/** The test page of a printer on paper of one size: its barcodes (marks) and its length. */
export interface TestPagePlan {
  readonly heightDots: number
  readonly marks: readonly TestMark[]
  /** Length in millimetres of the line that is measured with a ruler; 0: there is no space for the line. */
  readonly gaugeMm: number
  /** Whether the paper is too short for more than a name and a symbol. */
  readonly isShort: boolean
}

export const mmPerInch = 25.4
/** Width of the narrowest bars on carriers' labels, in millimetres. */
const finestLabelMm = 0.25
const roundingMm = 0.005
/** Widths in dots of the narrowest bars on the page, widest first. */
const uprightDots = [5, 4, 3, 2, 1]
const matrixModuleDots = 4
/**
 * Width of a Code128 of eight letters in modules: 11 each for start, letters and check character, 13 for the stop, and
 * 20 for the quiet zones.
 */
export const testMarkModules = 143

/** Sizes of the parts of the page in millimetres, from the top. */
export const testPageMm = {
  /** Height of the corner marks and the ruler. */
  edge: 8,
  /** Space for the ruler and its numbers, left of the symbols. */
  left: 7.5,
  right: 2,
  head: 21,
  /** Head of a page on short paper (`isShort`): only the name is printed. */
  shortHead: 6,
  shortFoot: 2,
  row: 13,
  /** Height of the row with the turned symbol, the QR code and the black block. */
  band: 42,
} as const

/** Minimum width of the row with the turned symbol, the QR code and a part of the black block, in millimetres. */
const narrowestBandMm = 44
const uprightLetters = ['A', 'B', 'C', 'D', 'E']
const turnedLetter = 'L'
const matrixLetter = 'Q'

/** Returns the two letters that identify a test run, from its number. The letters repeat after 676 runs. */
export function testRun(number: number): string {
  const at = ((Math.trunc(number) % 676) + 676) % 676
  return String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26))
}

/** Chooses the marks that fit on a paper, beginning with the bars that decide whether labels can be read. */
export function planTestPage(run: string, paper: TestPaper): TestPagePlan {
  const { dpi, widthDots, heightDots } = paper
  const toMm = (dots: number): number => (dots * mmPerInch) / dpi
  const mark = (kind: TestMarkKind, letter: string, moduleDots: number): TestMark => ({
    code: `${testPagePrefix}${run}${letter}`,
    kind,
    moduleDots,
    moduleMm: toMm(moduleDots),
  })
  const { left, right, edge, head, shortHead, shortFoot, row, band } = testPageMm
  const heightMm = heightDots === null ? Infinity : toMm(heightDots)
  const isShort = heightMm < edge + head + row + edge
  const fixedMm = isShort ? edge + shortHead + shortFoot : edge + head + edge
  // on a short label the row of symbols is between the lower corner marks, so it has less width
  const roomMm = toMm(widthDots) - left - (isShort ? edge : right)
  const fitting = uprightDots.filter((dots) => toMm(dots * testMarkModules) <= roomMm)
  const finest = finestOf(uprightDots, toMm)
  const hasBand = heightMm >= fixedMm + row + band && toMm(widthDots) >= narrowestBandMm
  const rows = Math.max(0, Math.floor((heightMm - fixedMm - (hasBand ? band : 0)) / row))
  const shown = mostTelling(fitting, finest).slice(0, rows)
  const upright = fitting
    .filter((dots) => shown.includes(dots))
    .map((dots) => mark('upright', uprightLetters[dots - 1] ?? '', dots))
  const beside = hasBand
    ? [mark('turned', turnedLetter, finest), mark('matrix', matrixLetter, matrixModuleDots)]
    : []
  const neededMm = fixedMm + upright.length * row + (hasBand ? band : 0)
  return {
    heightDots: heightDots ?? Math.ceil((neededMm * dpi) / mmPerInch),
    marks: [...upright, ...beside],
    gaugeMm: isShort ? 0 : Math.max(0, Math.floor((toMm(widthDots) - 14) / 10) * 10),
    isShort,
  }
}

/**
 * Returns the smallest of the bar widths `dots` that is not below `finestLabelMm` (the width of the narrowest bars on
 * carriers' labels).
 */
function finestOf(dots: readonly number[], toMm: (dots: number) => number): number {
  return Math.min(...dots.filter((one) => toMm(one) >= finestLabelMm - roundingMm))
}

/** Orders widths by importance: the bars of labels, the next wider ones, the next finer ones, then the rest. */
function mostTelling(dots: readonly number[], finest: number): number[] {
  return dots.toSorted((a, b) => distance(a, finest) - distance(b, finest))
}

function distance(dots: number, finest: number): number {
  return dots >= finest ? (dots - finest) * 2 : (finest - dots) * 2 + 1
}

/**
 * Parses the text of a barcode of a test page. Returns the letters of its test run and the whole text in capitals
 * (`code`); null for any other text. Case is ignored, because a keyboard scanner inverts it under Caps Lock.
 */
export function parseTestMark(text: string): { readonly run: string; readonly code: string } | null {
  const code = text.trim().toUpperCase()
  const match = /^SDTST([A-Z]{2})[A-Z]$/.exec(code)
  return match?.[1] === undefined ? null : { run: match[1], code }
}

/** The appearance of the black block and of the fine lines beside it, as the operator judges it. */
export const blockLooks = ['even', 'pale', 'thick'] as const
export type BlockLook = (typeof blockLooks)[number]

/** The results of one printed test page. */
export interface TestReading {
  readonly dpi: number
  readonly marks: readonly TestMark[]
  /** The codes of those `marks` (barcodes of the test page) that the operator has scanned. */
  readonly read: ReadonlySet<string>
  /** Whether the operator ended the test, so that no further mark will be scanned. */
  readonly isFinished: boolean
  readonly gaugeMm: number
  /** The length that the operator measured for the line whose right length is `gaugeMm`. */
  readonly measuredMm: number | null
  readonly block: BlockLook | null
}

/**
 * The advice of a test page. `darker`, `lighter`: change the printer's darkness in this direction, as the black block
 * shows; `darkness`: change the darkness, in a direction that is not known before the operator enters the appearance of
 * the block. `speed`: print more slowly. `head`: clean or change the print head. `dpi`: the resolution set here is not
 * the printer's. `scale`: a program or setting enlarges or shrinks the page. `scanner`: no mark of the page was read at
 * all.
 */
export const testAdvices = [
  'dpi',
  'scale',
  'scanner',
  'darker',
  'lighter',
  'darkness',
  'speed',
  'head',
] as const
export type TestAdvice = (typeof testAdvices)[number]

export interface TestVerdict {
  /**
   * The verdict on the printer. `ok`: labels can be scanned; `look`: some labels may not be readable; `stop`: labels
   * from this printer cannot be scanned.
   */
  readonly outcome: 'ok' | 'look' | 'stop'
  /** Width of the finest upright bars that were read, in millimetres; null: none were read. */
  readonly finestMm: number | null
  readonly advice: readonly TestAdvice[]
}

/**
 * Judges a test page. While the test runs, returns null until the decisive marks were read, because further scans may
 * still improve the result. The decisive marks are the upright mark with the narrowest bars that occur on labels, and
 * the turned mark if the page has one.
 */
export function judgeTestPage(reading: TestReading): TestVerdict | null {
  const { marks, read } = reading
  if (marks.length === 0) return null
  const isRead = (mark: TestMark | undefined): boolean => mark !== undefined && read.has(mark.code)
  const upright = marks.filter(({ kind }) => kind === 'upright').toSorted((a, b) => a.moduleMm - b.moduleMm)
  const testable = upright.filter(({ moduleMm }) => moduleMm >= finestLabelMm - roundingMm)
  const [finest, next] = testable
  const turned = marks.find(({ kind }) => kind === 'turned')
  const isGood = isRead(finest) && (turned === undefined || isRead(turned))
  if (!isGood && !reading.isFinished) return null

  const size = sizeAdvice(reading)
  const isStreaked = reading.isFinished && isGood && testable.some((mark) => !isRead(mark))
  const bars = isGood
    ? isStreaked
      ? ['head' as const]
      : []
    : barAdvice(reading, isRead(finest), isRead(turned))
  const found = upright.find((mark) => isRead(mark))
  return {
    outcome: outcomeOf(isGood && !isStreaked && size.length === 0, [finest, next, turned].some(isRead)),
    finestMm: found?.moduleMm ?? null,
    advice: [...size, ...bars],
  }
}

function outcomeOf(isFine: boolean, isPartly: boolean): TestVerdict['outcome'] {
  if (isFine) return 'ok'
  return isPartly ? 'look' : 'stop'
}

function barAdvice(
  { read, block }: TestReading,
  uprightRead: boolean,
  turnedRead: boolean,
): readonly TestAdvice[] {
  if (read.size === 0) return ['scanner', darknessBy(block)]
  // of the decisive symbols only the turned one was not read: its bars lie across the paper's direction and smear if
  // the paper moves too fast
  if (uprightRead) return block === null || block === 'even' ? ['speed'] : ['speed', darknessBy(block)]
  // of the decisive symbols only the upright one was not read: its bars lie along the paper's direction and break if a
  // dot of the print head fails
  if (turnedRead) return ['head']
  return [darknessBy(block), 'speed']
}

function darknessBy(block: BlockLook | null): TestAdvice {
  if (block === 'pale') return 'darker'
  return block === 'thick' ? 'lighter' : 'darkness'
}

/** Accuracy of a reading from a ruler, in millimetres. */
const measuredToMm = 1
const resolutions = [203, 300, 600]

/**
 * Returns the advice if the line that was measured with a ruler has a wrong length; empty if it is right or not
 * measured.
 */
function sizeAdvice({ dpi, gaugeMm, measuredMm }: TestReading): readonly TestAdvice[] {
  if (measuredMm === null || Math.abs(measuredMm - gaugeMm) <= measuredToMm) return []
  const isOther = resolutions.some(
    (other) => other !== dpi && Math.abs((gaugeMm * dpi) / other - measuredMm) <= 2 * measuredToMm,
  )
  return [isOther ? 'dpi' : 'scale']
}
