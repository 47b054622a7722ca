import { format, resolveConfig } from 'prettier'
import { type CorpusRow, expectedOn, type Outcome, type PaperName } from './corpus-row.ts'

const columns = ['104 mm, 203 dpi', '104 mm, 300 dpi', '80 mm, 203 dpi', '80 mm, 300 dpi'] as const

function inWords(outcome: Outcome): string {
  if ('code' in outcome)
    return outcome.cause === undefined ? outcome.code : `${outcome.code}: ${outcome.cause}`
  const labels = outcome.length === 1 ? '1 label' : `${String(outcome.length)} labels`
  const codes = outcome.flat().length
  if (codes === 0) return `${labels}, nothing to read`
  return codes === outcome.length ? labels : `${labels}, ${String(codes)} codes`
}

/** The corpus as a page of Markdown: what each document is, and what comes of it on each paper. */
export async function corpusTable(rows: readonly CorpusRow[]): Promise<string> {
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
    `${String(rows.length)} documents made by \`test/support/label-corpus.ts\`, run by \`test/integration/label-corpus.test.ts\`: as bitmaps for rolls, and placed on a medium of 100 by 150 mm with the outcome of the third column. "1 label" means that its code is read back, "2 labels" that each has its own, in reading order.`,
    '',
    '| Document | Made how | 104 mm at 203 dpi, and 100x150 mm | Otherwise |',
    '| --- | --- | --- | --- |',
    ...cells,
    '',
  ].join('\n')
  return format(text, { ...(await resolveConfig('electron/labels/CORPUS.md')), parser: 'markdown' })
}
