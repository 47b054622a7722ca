import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SheetPrinted, SheetWish } from '#shared/bridge/paper-views.ts'
import type { PrinterEntry } from '#shared/bridge/printer-views.ts'
import { a4Room, countSheetPages } from '#shared/domain/sheet-layout.ts'
import { planTestPage } from '#shared/domain/test-page.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'

/** Four by six inches at 203 dots an inch. */
const paper = { dpi: 203, widthDots: 812, heightDots: 1218 }
const run = 'KM'

/** Paper that is no label; nothing is drawn. Each ends as `world.paperOutcome` says. */
export function paperMethods(desk: MemoryCore): ScandeskBridge['paper'] {
  const { world } = desk
  const note = (wish: SheetWish): number => {
    world.sheets = [...world.sheets, wish]
    return countSheetPages({ ...wish, room: a4Room })
  }
  return {
    testPage: () =>
      desk.call('paper:testPage', () => {
        const { marks, gaugeMm } = planTestPage(run, paper)
        return ok({ run, dpi: paper.dpi, marks: [...marks], gaugeMm, outcome: world.paperOutcome })
      }),
    sheet: (wish) => desk.call('paper:sheet', () => printed(desk, note(wish))),
    sheetPdf: (wish) =>
      desk.call('paper:sheetPdf', () =>
        ok({
          pages: note(wish),
          file: `/home/desk/.config/scandesk/labels/2026-11-21T140700-${wish.kind}.pdf`,
        }),
      ),
  }
}

/** Main knows the paper of every kind of printer; here only the folder and the queues have room for a page. */
function printed({ world }: MemoryCore, pages: number): Result<SheetPrinted> {
  const { paperOutcome: outcome, printerSetup } = world
  const isNarrow = outcome.failure?.code === 'printer.paper_too_narrow'
  const hasRoom = ({ settings }: PrinterEntry): boolean =>
    settings.kind === 'folder' || settings.kind === 'ipp'
  const wider = isNarrow ? printerSetup.printers.filter(hasRoom).map(({ id }) => id) : []
  return ok({ pages, outcome, wider })
}
