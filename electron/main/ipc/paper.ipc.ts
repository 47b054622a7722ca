import type { Logger } from '#kit/logger.ts'
import type { PaperMaker } from '../paper-maker.ts'
import { bindDomain } from './bind.ts'

export function bindPaper(maker: PaperMaker, logger: Logger): void {
  bindDomain(
    'paper',
    {
      testPage: (wish) => maker.testPage(wish),
      sheet: (wish) => maker.sheet(wish),
      sheetPdf: (wish) => maker.save(wish),
    },
    logger,
  )
}
