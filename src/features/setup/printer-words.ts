import { m } from '#messages/messages.js'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type {
  PaperKind,
  PaperSize,
  PrinterEntry,
  PrinterKind,
  PrinterSettings,
  PrinterTest,
  PrintRoute,
} from '#shared/bridge/printer-views.ts'
import { failureText, printerCause } from '#place/failure-text.ts'
import type { Outcome } from '#ui/outcome.ts'
import { shownTitle } from '#place/print-words.ts'
import { printerKinds, rowOf } from './printer-kinds.ts'
import { type Paper, papers } from './printers.state.svelte.ts'
import type { TestPageView } from '#shared/bridge/paper-views.ts'
import type { TestAdvice, TestVerdict } from '#shared/domain/test-page.ts'
import { formatNumber } from '#ui/format.ts'
import type { StrayScan } from './test-page.state.svelte.ts'

interface Routed {
  readonly entries: readonly PrinterEntry[]
  /** The first printer of the list, which prints all paper without a route. */
  readonly first: PrinterEntry | null
  readonly routes: readonly PrintRoute[]
}

/** Returns the result of a printer test: an outcome, and a text with the next action. */
export function testWords(test: PrinterTest, kind: PrinterKind): { outcome: Outcome; text: string } {
  const words = printerKinds[kind].test
  if (test.state === 'ready' && test.failure) {
    const { happened, next } = failureText(test.failure)
    return { outcome: 'look', text: `${m.printer_ready()} ${happened} ${next}` }
  }
  if (test.state === 'ready') return { outcome: 'done', text: words.ready() }
  if (test.state === 'reached') return { outcome: 'look', text: m.printer_reached() }
  if (test.state === 'unknown') return { outcome: 'look', text: words.silent() }
  const cause = words.refused ?? words.causes[String(test.failure?.params['cause'] ?? '')]
  if (cause) return { outcome: 'stop', text: cause() }
  if (!test.failure || test.failure.code === 'printer.refused')
    return { outcome: 'stop', text: m.printer_unreachable() }
  const { happened, next } = failureText(test.failure)
  return { outcome: 'stop', text: `${happened} ${next}` }
}

/** Returns one line with the kind of a printer and its address or queue. The label folder has a fixed text. */
export function whereWords(settings: PrinterSettings): string {
  return rowOf(settings).where(settings)
}

/** Returns the current state of a printer: an outcome, and the reported reason if the printer does not print. */
export function liveWords(live: PrinterView | null): { outcome: Outcome; text: string } {
  if (live?.state === 'ready')
    return live.failure === null
      ? { outcome: 'done', text: m.printer_live_ready() }
      : { outcome: 'look', text: failureText(live.failure).happened }
  if (live?.state !== 'refused') return { outcome: 'none', text: m.printer_live_unknown() }
  if (!live.failure) return { outcome: 'stop', text: m.cause_unknown() }
  return { outcome: 'stop', text: printerCause(live.failure)?.happened ?? failureText(live.failure).happened }
}

const kindWords: Record<PaperKind, () => string> = {
  return_label: m.paper_return_label,
  sheet: m.paper_sheet,
}

export const sizeWords: Record<PaperSize, { on: () => string; about: () => string }> = {
  label: { on: m.paper_on_label, about: m.paper_label_size },
  page: { on: m.paper_on_page, about: m.paper_page_size },
}

/** Returns one text that names a kind of paper and its size, for the screen that sets up printers. */
export function paperName({ paper, size }: Paper): string {
  return `${kindWords[paper]()} ${sizeWords[size].on()}`
}

/** Returns a text about the paper that a printer prints. If it prints none, the text tells the operator what to do. */
export function roleWords({ first, routes }: Routed, id: string): string {
  if (first?.id === id) return m.printers_first_text()
  const here = routes.filter(({ printerId }) => printerId === id)
  if (here.length === 0) return m.printers_nothing_text()
  return m.printers_takes({ papers: here.map((route) => paperName(route)).join(', ') })
}

/** Returns how the paper of this station is distributed over the printers. */
export function routesWords({ first, routes, entries }: Routed): string {
  const others = routes.filter(({ printerId }) => printerId !== first?.id)
  const [only] = others
  if (!only) return m.routes_all({ first: shownTitle(first?.title ?? '') })
  if (others.length > 1) return m.routes_elsewhere({ count: others.length, all: papers.length })
  const title = entries.find(({ id }) => id === only.printerId)?.title ?? ''
  return m.routes_single({ paper: paperName(only), printer: shownTitle(title) })
}

type Mark = TestPageView['marks'][number]

function widthWords(widthMm: number): string {
  return m.test_width({ width: formatNumber(Math.round(widthMm * 100) / 100) })
}

export function markWords({ kind, moduleMm }: Mark): string {
  if (kind === 'matrix') return m.test_qr()
  const width = widthWords(moduleMm)
  return kind === 'turned' ? m.test_lying({ width }) : width
}

const advices: Readonly<Record<TestAdvice, () => string>> = {
  dpi: m.test_advice_dpi,
  scale: m.test_advice_scale,
  scanner: m.test_advice_scanner,
  darker: m.test_advice_darker,
  lighter: m.test_advice_lighter,
  darkness: m.test_advice_darkness,
  speed: m.test_advice_speed,
  head: m.test_advice_head,
}

/** Returns the result of a test page, and the changes that the operator can try, most promising first. */
export function verdictWords({ outcome, finestMm, advice }: TestVerdict): {
  readonly outcome: Outcome
  readonly text: string
  readonly finest: string
  readonly steps: readonly string[]
} {
  const texts = { ok: m.test_ok, look: m.test_look, stop: m.test_stop }
  return {
    outcome: outcome === 'ok' ? 'done' : outcome,
    text: texts[outcome](),
    finest: finestMm === null ? '' : m.test_finest({ width: widthWords(finestMm) }),
    steps: advice.map((one) => advices[one]()),
  }
}

export function strayWords(stray: StrayScan, wanted: string): string {
  return stray.kind === 'no_mark' ? m.test_no_mark() : m.test_other_run({ run: stray.run, wanted })
}
