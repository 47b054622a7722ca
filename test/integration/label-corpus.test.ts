import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { encode } from 'fast-png'
import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { type Bitmap, isBlack } from '#labels/pixels/bitmap.ts'
import { placeInThread, rasteriseInThread } from '#labels/raster-in-thread.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { containerRows } from '#support/label-corpus/containers.ts'
import { contentRows } from '#support/label-corpus/contents.ts'
import { pageRows } from '#support/label-corpus/pages.ts'
import { sheetRows } from '#support/label-corpus/sheets.ts'
import { count } from '#support/counts.ts'
import {
  type CorpusRow,
  expectedOn,
  type Outcome,
  type PaperName,
  papers,
} from '#support/label-corpus/row.ts'
import { canDecodeLabels, type DecodedCode, pagesOf, readBitmap, readPng } from '#support/label-raster.ts'

const corpus: readonly CorpusRow[] = [...pageRows, ...sheetRows, ...contentRows, ...containerRows]

const ready = await canDecodeLabels()
if (!ready)
  console.warn('the corpus is not decoded: pdftoppm (poppler-utils) or zbarimg (zbar-tools) is missing')

const wide = '104 mm, 203 dpi'
const others = ['104 mm, 300 dpi', '80 mm, 203 dpi', '80 mm, 300 dpi'] as const
const everyPaper = count(0, 1) === 1
/**
 * The tested pairs of a document and a paper. Each document is tested on the usual paper (`wide`). In long runs, each
 * document is also tested on each paper of `others`; by default, every fourth document is also tested on one of these.
 * The paper of 58 mm is used only for documents that name it.
 */
const cases = corpus.flatMap((row, at) => {
  const more: PaperName[] = everyPaper
    ? [...others]
    : at % 4 === 0
      ? others.slice((at / 4) % 3, ((at / 4) % 3) + 1)
      : []
  if (row.on?.['58 mm, 203 dpi']) more.push('58 mm, 203 dpi')
  return [wide, ...more].map((paper) => ({ row, name: row.name, paper: paper as PaperName }))
})

/**
 * The documents that the tests place on a medium. In long runs: every document that is refused or contains codes. By
 * default: half of the documents with codes, and no refused document.
 */
const placed = corpus.filter((row, at) => {
  const expected = expectedOn(row, wide)
  if ('code' in expected) return everyPaper
  return expected.flat().length > 0 && (everyPaper || at % 2 === 0)
})

describe.skipIf(!ready)('documents of carriers and other senders', () => {
  it.each(cases)(
    'are rasterised to the expected labels with the expected codes: $name on $paper',
    async ({ row, paper }) => {
      const expected = expectedOn(row, paper)
      const labels = rasteriseInThread(await row.make(), papers[paper])
      expect(await outcomeOf(labels, expected, codesOn)).toEqual(comparable(expected))
    },
  )

  it.each(placed)(
    'have the expected codes if they are placed on 100 by 150 mm and drawn by poppler: $name',
    async (row) => {
      const expected = expectedOn(row, wide)
      const medium = { widthMm: 100, heightMm: 150 }
      const pages = placeInThread(await row.make(), medium).then((pdf) => pagesOf(pdf, 203))
      expect(await outcomeOf(pages, expected, codesOnPage)).toEqual(comparable(expected))
    },
  )
})

it('the table in electron/labels/CORPUS.md matches the corpus', async () => {
  await expect(await corpusTable(corpus)).toMatchFileSnapshot('../../electron/labels/CORPUS.md')
})

/**
 * Returns an expected outcome in the form of `outcomeOf`: the codes of each label once and sorted, or the cause of a
 * refusal.
 */
function comparable(outcome: Outcome): Outcome {
  return 'code' in outcome ? outcome : outcome.map((codes) => [...new Set(codes)].sort())
}

/** Returns the outcome of a document: the codes on each of its labels, as `read` finds them, or the refusal. */
async function outcomeOf<T>(
  labels: Promise<readonly T[]>,
  expected: Outcome,
  read: (label: T, expected: readonly string[]) => Promise<string[]>,
): Promise<Outcome> {
  try {
    const found = await labels
    return await Promise.all(
      found.map((label, at) => read(label, 'code' in expected ? [] : (expected[at] ?? []))),
    )
  } catch (error) {
    if (!(error instanceof CataloguedError)) throw error
    const { code, params } = error.failure
    const cause = params['cause']
    return cause === undefined ? { code } : { code, cause: String(cause) }
  }
}

const columns = ['104 mm, 203 dpi', '104 mm, 300 dpi', '80 mm, 203 dpi', '80 mm, 300 dpi'] as const

function inWords(outcome: Outcome): string {
  if ('code' in outcome)
    return outcome.cause === undefined ? outcome.code : `${outcome.code}: ${outcome.cause}`
  const labels = outcome.length === 1 ? '1 label' : `${String(outcome.length)} labels`
  const codes = outcome.flat().length
  if (codes === 0) return `${labels}, nothing to read`
  return codes === outcome.length ? labels : `${labels}, ${String(codes)} codes`
}

/** Returns the corpus as a Markdown page: the description of each document and its outcome on each paper. */
async function corpusTable(rows: readonly CorpusRow[]): Promise<string> {
  const cells = rows.map((row) => {
    const wide = inWords(expectedOn(row, columns[0]))
    const on = (paper: PaperName): string => inWords(expectedOn(row, paper))
    const differing = columns.filter((paper) => on(paper) !== wide).map((paper) => `${paper}: ${on(paper)}`)
    const narrow = row.on?.['58 mm, 203 dpi']
    if (narrow) differing.push(`58 mm: ${inWords(narrow)}`)
    return `| ${row.name} | ${row.how} | ${wide} | ${differing.join('; ')} |`
  })
  const text = [
    '# Label documents and what comes of them',
    '',
    `The table has ${String(rows.length)} documents that \`test/support/label-corpus/\` creates. \`test/integration/label-corpus.test.ts\` draws each document as bitmaps for rolls, and places it on a medium of 100 by 150 mm. The third column is the outcome on a roll of 104 mm at 203 dpi and on this medium; the fourth column has the rolls with other outcomes. "1 label" means that the code of the label is read back. "2 labels" means that two labels are found in reading order, each with its own code.`,
    '',
    '| Document | Made how | 104 mm at 203 dpi, and 100x150 mm | Otherwise |',
    '| --- | --- | --- | --- |',
    ...cells,
    '',
  ].join('\n')
  return format(text, { ...(await resolveConfig('electron/labels/CORPUS.md')), parser: 'markdown' })
}

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
let isPrepared = false

/** Returns the codes that zxing reads from a PNG. zxing supports matrix codes that zbar does not support. */
async function zxingCodes(png: Uint8Array): Promise<string[]> {
  // Uses the wasm file of the package, so that zxing does not download it, as it does by default.
  if (!isPrepared)
    prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(wasm)).buffer } })
  isPrepared = true
  const found = await readBarcodes(png, { tryHarder: true })
  return found.filter(({ isValid }) => isValid).map(({ text }) => text)
}

function pngOf(bitmap: Bitmap): Uint8Array {
  const { widthDots: width, heightDots: height } = bitmap
  const data = new Uint8Array(width * height).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (isBlack(bitmap, x, y)) data[y * width + x] = 0
  return encode({ width, height, data, channels: 1, depth: 8 })
}

/**
 * Returns the codes that zbar finds and, if an expected code is missing or no code is expected, also the codes that
 * zxing finds. Each code once, sorted.
 */
async function withSecondOpinion(
  seen: readonly DecodedCode[],
  expected: readonly string[],
  png: () => Uint8Array,
): Promise<string[]> {
  const found = new Set(seen.map(({ text }) => text))
  const isMissing = expected.some((text) => !found.has(text))
  if (isMissing || expected.length === 0) for (const text of await zxingCodes(png())) found.add(text)
  return [...found].sort()
}

/** Returns every code on a bitmap once, sorted. */
async function codesOn(bitmap: Bitmap, expected: readonly string[]): Promise<string[]> {
  return withSecondOpinion(await readBitmap(bitmap), expected, () => pngOf(bitmap))
}

/** Returns every code on a page that poppler drew: a PNG from `pagesOf`. */
async function codesOnPage(png: Uint8Array, expected: readonly string[]): Promise<string[]> {
  return withSecondOpinion(await readPng(png), expected, () => png)
}
