/**
 * The test page of a printer: what is drawn on it, what a scan of it says, and what that means for labels. Marks are
 * Code128 symbols of falling bar widths, one of them turned, and a QR code; each says the print run and its own letter.
 */

/** In the style of the command barcodes (commands.ts): letters alone, and no article or label begins so. */
export const testPagePrefix = 'SDTST'

export type TestMarkKind = 'upright' | 'turned' | 'matrix'

export interface TestMark {
  /** What its symbol holds: prefix, run, and the letter of this mark. */
  readonly code: string
  readonly kind: TestMarkKind
  /** Of the narrowest bar. */
  readonly moduleDots: number
  readonly moduleMm: number
}

export interface TestPaper {
  readonly dpi: number
  readonly widthDots: number
  /** Null on a roll: as long as it takes. */
  readonly heightDots: number | null
}

/** What is drawn for one paper, and how long it gets. */
export interface TestPagePlan {
  readonly heightDots: number
  readonly marks: readonly TestMark[]
  /** Length of the line that somebody can lay a ruler on; 0 where there is no room for one. */
  readonly gaugeMm: number
  /** Too short for more than a name and a symbol. */
  readonly isShort: boolean
}

export const mmPerInch = 25.4
/** Narrowest bars that labels of carriers have. */
const finestLabelMm = 0.25
const roundingMm = 0.005
/** Dots of the narrowest bars on the page, widest first. */
const uprightDots = [5, 4, 3, 2, 1]
const matrixModuleDots = 4
/** Code128 of eight letters with its quiet zones: start, letters and check digit of 11 modules each, a stop of 13, 20 white. */
export const testMarkModules = 143

/** The parts of the page in millimetres, from the top. */
export const testPageMm = {
  /** Corner marks and the ruler. */
  edge: 8,
  /** Left of what is scanned lies the ruler with its numbers. */
  left: 7.5,
  right: 2,
  head: 21,
  /** Of a label too short for more than its name. */
  shortHead: 6,
  shortFoot: 2,
  row: 13,
  /** The turned symbol, the QR code and the black block stand beside each other. */
  band: 42,
} as const

/** The symbol that lies, the QR code and something of the black block. */
const narrowestBandMm = 44
const uprightLetters = ['A', 'B', 'C', 'D', 'E']
const turnedLetter = 'L'
const matrixLetter = 'Q'

/** A run's two letters from a number; runs repeat after 676. */
export function testRun(number: number): string {
  const at = ((Math.trunc(number) % 676) + 676) % 676
  return String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26))
}

/** What fits on a paper: first of all the bars that decide whether labels can be read. */
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
  // of a short label the row stands between the lower corners
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

/** The narrowest bars that are not finer than those of labels, in dots. */
function finestOf(dots: readonly number[], toMm: (dots: number) => number): number {
  return Math.min(...dots.filter((one) => toMm(one) >= finestLabelMm - roundingMm))
}

/** The bars of labels, the next wider ones, the next finer ones; then the rest. */
function mostTelling(dots: readonly number[], finest: number): number[] {
  return dots.toSorted((a, b) => distance(a, finest) - distance(b, finest))
}

function distance(dots: number, finest: number): number {
  return dots >= finest ? (dots - finest) * 2 : (finest - dots) * 2 + 1
}

/** The run and mark of a scanned text, or null. Case is ignored: a wedge under Caps Lock inverts it. */
export function parseTestMark(text: string): { readonly run: string; readonly code: string } | null {
  const code = text.trim().toUpperCase()
  const match = /^SDTST([A-Z]{2})[A-Z]$/.exec(code)
  return match?.[1] === undefined ? null : { run: match[1], code }
}

/** How the black block and the fine lines beside it came out, as somebody sees it. */
export const blockLooks = ['even', 'pale', 'thick'] as const
export type BlockLook = (typeof blockLooks)[number]

/** What is known of one printed test page. */
export interface TestReading {
  readonly dpi: number
  readonly marks: readonly TestMark[]
  /** Codes that were scanned. */
  readonly read: ReadonlySet<string>
  /** Nothing more of it scans. */
  readonly isFinished: boolean
  readonly gaugeMm: number
  /** What somebody measured where `gaugeMm` should be. */
  readonly measuredMm: number | null
  readonly block: BlockLook | null
}

/**
 * What to change. `darker`, `lighter`: the printer's darkness, by what was seen; `darkness`: that, and nobody has said
 * which way. `speed`: slower. `head`: clean or change the print head. `dpi`: the resolution set here is not the
 * printer's. `scale`: something on the way makes the page larger or smaller. `scanner`: nothing of it was read at all.
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
  /** ok: labels scan; look: some may not; stop: labels from this printer will not scan. */
  readonly outcome: 'ok' | 'look' | 'stop'
  /** The finest upright bars that were read, null if none were. */
  readonly finestMm: number | null
  readonly advice: readonly TestAdvice[]
}

/** Null while there is too little to judge by: before it is finished only what is good already can be said. */
export function judgeTestPage(reading: TestReading): TestVerdict | null {
  const { marks, read } = reading
  if (marks.length === 0) return null
  const isRead = (mark: TestMark | undefined): boolean => mark !== undefined && read.has(mark.code)
  const upright = marks.filter(({ kind }) => kind === 'upright').toSorted((a, b) => a.moduleMm - b.moduleMm)
  const telling = upright.filter(({ moduleMm }) => moduleMm >= finestLabelMm - roundingMm)
  const [finest, next] = telling
  const turned = marks.find(({ kind }) => kind === 'turned')
  const isGood = isRead(finest) && (turned === undefined || isRead(turned))
  if (!isGood && !reading.isFinished) return null

  const size = sizeAdvice(reading)
  const isStreaked = reading.isFinished && isGood && telling.some((mark) => !isRead(mark))
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
  // bars across the way of the paper smear where it runs too fast
  if (uprightRead) return block === null || block === 'even' ? ['speed'] : ['speed', darknessBy(block)]
  // bars along the way of the paper break where a dot of the head is gone
  if (turnedRead) return ['head']
  return [darknessBy(block), 'speed']
}

function darknessBy(block: BlockLook | null): TestAdvice {
  if (block === 'pale') return 'darker'
  return block === 'thick' ? 'lighter' : 'darkness'
}

/** A ruler is read to a millimetre. */
const measuredToMm = 1
const resolutions = [203, 300, 600]

/** Why the gauge has not the length it should have; empty where it has, or nobody measured. */
function sizeAdvice({ dpi, gaugeMm, measuredMm }: TestReading): readonly TestAdvice[] {
  if (measuredMm === null || Math.abs(measuredMm - gaugeMm) <= measuredToMm) return []
  const isOther = resolutions.some(
    (other) => other !== dpi && Math.abs((gaugeMm * dpi) / other - measuredMm) <= 2 * measuredToMm,
  )
  return [isOther ? 'dpi' : 'scale']
}
