import { containerRows } from './corpus-containers.ts'
import { contentRows } from './corpus-contents.ts'
import { pageRows } from './corpus-pages.ts'
import type { CorpusRow } from './corpus-row.ts'
import { sheetRows } from './corpus-sheets.ts'

export const corpus: readonly CorpusRow[] = [...pageRows, ...sheetRows, ...contentRows, ...containerRows]
