import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  PrintDecision,
  PrinterView,
  PrintLine,
  PrintPreview,
  PrintsView,
} from '#shared/bridge/print-views.ts'
import { standardFolderTitle } from '#shared/bridge/printer-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { asksAboutPrint, printChoicesOf, isPrintOpen } from '#shared/domain/print-job.ts'
import { deskStopped, failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { ago, type MemoryCore } from './memory-core.ts'
import { labelIdOf } from '../ids.ts'

export const zebra: PrinterView = {
  name: 'Zebra ZD421',
  title: 'Zebra ZD421',
  folder: null,
  state: 'ready',
  failure: null,
}
export const labelFolder: PrinterView = {
  name: 'Label folder',
  title: standardFolderTitle,
  folder: '/labels',
  state: 'ready',
  failure: null,
}

/**
 * Returns a print job that waits for its printer. `change`: fields with other values, for a job in another state.
 */
export function samplePrint(nowMs: number, change: Partial<PrintLine> = {}): PrintLine {
  const line: PrintLine = {
    jobId: 'pj-1',
    version: '1',
    labelId: labelIdOf('lb-1'),
    title: 'SHP00000000412',
    trackingCode: '3SRETR7654321',
    senderName: 'J. de Vries',
    printer: zebra.name,
    printerTitle: change.printer ?? zebra.title,
    state: 'queued',
    isReprint: false,
    scanProves: true,
    reason: null,
    hold: null,
    placement: null,
    unlisted: [],
    failure: null,
    createdAt: ago(nowMs, 3),
    since: ago(nowMs, 3),
    choices: [],
    ...change,
  }
  return { ...line, choices: change.choices ?? choicesFor(line) }
}

/** Returns the possible decisions about a job on a desk that has a second printer. */
export function choicesFor({ state, hold, printer }: PrintLine): PrintLine['choices'] {
  const isFile = printer === labelFolder.name
  return printChoicesOf({ state, hold: hold?.kind ?? null, isFile, hasOther: true })
}

/** A job that was interrupted during its send, so that the label may have been printed. */
export function unknownPrint(nowMs: number, change: Partial<PrintLine> = {}): PrintLine {
  const cut = failure('printer.outcome_unknown', { cause: deskStopped })
  return samplePrint(nowMs, { jobId: 'pj-unknown', state: 'unknown', failure: cut, ...change })
}

/** A job that is held and was not sent. `hold` is the reason. */
export function heldPrint(
  nowMs: number,
  hold: PrintLine['hold'],
  change: Partial<PrintLine> = {},
): PrintLine {
  return samplePrint(nowMs, { jobId: 'pj-held', hold, ...change })
}

/** A job that waits, because the printer is out of paper. */
export function refusedPrint(nowMs: number, change: Partial<PrintLine> = {}): PrintLine {
  const why = failure('printer.refused', { printer: zebra.name, cause: 'paper_out' })
  return samplePrint(nowMs, { jobId: 'pj-refused', state: 'refused', failure: why, ...change })
}

/** A job whose label was printed but not scanned afterwards. */
export function paperPrint(nowMs: number, change: Partial<PrintLine> = {}): PrintLine {
  return samplePrint(nowMs, { jobId: 'pj-paper', state: 'sent', since: ago(nowMs, 12), ...change })
}

export function printsOf(
  open: readonly PrintLine[],
  notScanned: readonly PrintLine[] = [],
  printers: readonly PrinterView[] = [zebra, labelFolder],
): PrintsView {
  return { open: [...open], notScanned: [...notScanned], printers: [...printers] }
}

/** The status of a desk with these prints. */
export function withPrints(status: DeskStatus, { open, printers }: PrintsView): DeskStatus {
  const [standard] = printers
  return {
    ...status,
    waitingPrints: open
      .filter(({ state }) => isPrintOpen(state))
      .map(({ jobId, labelId, title, state, hold, since }) => {
        return { jobId, labelId, title, state, asks: asksAboutPrint(state, hold !== null), since }
      }),
    printer: standard ? standard : status.printer,
  }
}

/** Returns a page of this size with a frame, bars in place of its barcode, and lines in place of text. */
export function samplePage(
  widthDots: number,
  heightDots: number,
  codes: readonly string[] = ['3SRETR7654321'],
): PrintPreview['pages'][number] {
  const rowBytes = Math.ceil(widthDots / 8)
  const bytes = new Uint8Array(rowBytes * heightDots)
  const fill = (x: number, y: number, width: number, height: number): void => {
    for (let row = y; row < y + height; row++)
      for (let column = x; column < x + width; column++) {
        const at = row * rowBytes + (column >> 3)
        bytes[at] = (bytes[at] ?? 0) | (0x80 >> (column & 7))
      }
  }
  const edge = Math.max(1, Math.round(widthDots / 26))
  const inner = widthDots - 2 * edge
  for (const y of [edge, heightDots - edge - 4]) fill(edge, y, inner, 4)
  for (const x of [edge, widthDots - edge - 4]) fill(x, edge, 4, heightDots - 2 * edge)
  fill(2 * edge, 2 * edge, Math.round(inner * 0.34), 2 * edge)
  const lines = Math.floor((heightDots * 0.42 - 5 * edge) / (1.5 * edge))
  for (let i = 0; i < lines; i++)
    fill(2 * edge, Math.round((5 + 1.5 * i) * edge), Math.round(inner * (i % 3 === 2 ? 0.42 : 0.7)), 14)
  if (codes.length > 0)
    fillBars(fill, 2 * edge, Math.round(heightDots * 0.54), widthDots - 4 * edge, heightDots)
  return { widthDots, heightDots, rows: bytes, codes: [...codes], laid: { turn: 0, part: 'page' } }
}

type Fill = (x: number, y: number, width: number, height: number) => void

function fillBars(fill: Fill, from: number, top: number, width: number, heightDots: number): void {
  const widths = [2, 1, 3, 1, 1, 2, 4, 1, 2, 2, 1, 3]
  let x = from
  for (let i = 0; x < from + width - 16; i++) {
    const module = 3 * (widths[i % widths.length] ?? 1)
    if (i % 2 === 0) fill(x, top, module, Math.round(heightDots * 0.3))
    x += module
  }
  fill(from, top + Math.round(heightDots * 0.33), Math.round(width * 0.6), 18)
}

/** Paper of four by six inches in a printer of 203 dpi. */
export function samplePreview(change: Partial<PrintPreview> = {}): PrintPreview {
  return { dpi: 203, pages: [samplePage(812, 1218)], ...change }
}

/**
 * Returns the methods for the prints in `world.prints`. Nothing is sent to a printer, and a held print stays held until
 * it is released.
 */
export function printMethods(desk: MemoryCore): ScandeskBridge['print'] {
  const { world } = desk
  return {
    list: () => desk.call('print:list', () => ok(world.prints)),
    preview: ({ jobId }) => desk.call('print:preview', () => ok(world.previews[jobId] ?? samplePreview())),
    decide: ({ jobId, version, decision }) =>
      desk.call('print:decide', () => decide(desk, jobId, version, decision)),
  }
}

function decide(
  desk: MemoryCore,
  jobId: string,
  version: string,
  decision: PrintDecision,
): Result<PrintsView> {
  const { world } = desk
  const { open, notScanned } = world.prints
  const line = [...open, ...notScanned].find((one) => one.jobId === jobId)
  if (!line || line.version !== version || !line.choices.includes(decision.kind))
    return fail('queue.moved_on')
  world.printsDecided = [...world.printsDecided, { jobId, decision }]
  const lines = after(desk, line, decision)
  const isOpen = ({ state }: PrintLine): boolean => state !== 'confirmed' && state !== 'sent'
  const others = (list: readonly PrintLine[]): PrintLine[] => list.filter((one) => one.jobId !== jobId)
  const at = open.findIndex((one) => one.jobId === jobId)
  const waiting = lines.filter(isOpen)
  world.prints = {
    ...world.prints,
    // A print that still waits keeps its position in the list.
    open: at < 0 ? [...open, ...waiting] : others(open).toSpliced(at, 0, ...waiting),
    notScanned: [...lines.filter((one) => !isOpen(one)), ...others(notScanned)],
  }
  world.status = withPrints(world.status, world.prints)
  desk.emit('status', world.status)
  return ok(world.prints)
}

/** Returns the job in its state after the decision, and the new job if the decision created one. */
function after(desk: MemoryCore, line: PrintLine, decision: PrintDecision): PrintLine[] {
  const now = ago(desk.world.nowMs(), 0)
  const moved = (change: Partial<PrintLine>): PrintLine => {
    const changed = { ...line, version: `${line.version}+`, since: now, ...change }
    return { ...changed, choices: choicesFor(changed) }
  }
  const waiting = { state: 'queued', failure: null } as const
  switch (decision.kind) {
    case 'came_out':
      return [moved({ state: 'confirmed', failure: null })]
    case 'print_again': {
      const { reason } = decision
      const copy = { isReprint: true, scanProves: false, reason, hold: null }
      const again = { ...waiting, ...copy, jobId: desk.id('pj'), createdAt: now }
      return line.state === 'unknown' ? [moved(again)] : [line, moved(again)]
    }
    case 'print_anyway':
      return [moved({ ...waiting, hold: null })]
    case 'place':
      return [moved({ placement: decision.placement })]
    case 'move':
      return [moved({ ...waiting, printer: decision.printer })]
    case 'retry':
      return [moved(waiting)]
    case 'give_up':
      return []
  }
}
