import { describe, expect, it } from 'vitest'
import { placeInThread, rasteriseInThread } from '#labels/raster-in-thread.ts'
import { comparable, outcomeOf } from '#support/corpus-outcome.ts'
import { corpusTable } from '#support/corpus-table.ts'
import { count } from '#support/counts.ts'
import { expectedOn, type PaperName, papers } from '#support/corpus-row.ts'
import { corpus } from '#support/label-corpus.ts'
import { canDecodeLabels, pagesOf } from '#support/label-raster.ts'
import { codesOn, codesOnPage } from '#support/second-opinion.ts'

const ready = await canDecodeLabels()
if (!ready)
  console.warn('the corpus is not decoded: pdftoppm (poppler-utils) or zbarimg (zbar-tools) is missing')

const wide = '104 mm, 203 dpi'
const others = ['104 mm, 300 dpi', '80 mm, 203 dpi', '80 mm, 300 dpi'] as const
const everyPaper = count(0, 1) === 1
/** Every document on the usual paper, by default every fourth on one of the others; on 58 mm those that name it. */
const cases = corpus.flatMap((row, at) => {
  const more: PaperName[] = everyPaper
    ? [...others]
    : at % 4 === 0
      ? others.slice((at / 4) % 3, ((at / 4) % 3) + 1)
      : []
  if (row.on?.['58 mm, 203 dpi']) more.push('58 mm, 203 dpi')
  return [wide, ...more].map((paper) => ({ row, name: row.name, paper: paper as PaperName }))
})

/** Every document that is refused or has something to read; by default every other one of the latter. */
const placed = corpus.filter((row, at) => {
  const expected = expectedOn(row, wide)
  if ('code' in expected) return everyPaper
  return expected.flat().length > 0 && (everyPaper || at % 2 === 0)
})

describe.skipIf(!ready)('documents that carriers and others hand out', () => {
  it.each(cases)('$name on $paper', async ({ row, paper }) => {
    const expected = expectedOn(row, paper)
    const labels = rasteriseInThread(await row.make(), papers[paper])
    expect(await outcomeOf(labels, expected, codesOn)).toEqual(comparable(expected))
  })

  it.each(placed)('$name on a medium of 100 by 150 mm, drawn by another reader', async (row) => {
    const expected = expectedOn(row, wide)
    const medium = { widthMm: 100, heightMm: 150 }
    const pages = placeInThread(await row.make(), medium).then((pdf) => pagesOf(pdf, 203))
    expect(await outcomeOf(pages, expected, codesOnPage)).toEqual(comparable(expected))
  })
})

it('is what the table in the room says', async () => {
  await expect(await corpusTable(corpus)).toMatchFileSnapshot('../../electron/labels/CORPUS.md')
})
