import { m } from '#messages/messages.js'
import type { PrinterView, PrintDecision, PrintLine } from '#shared/bridge/print-views.ts'
import type { PrintHold, PrintLaid } from '#shared/domain/print-job.ts'
import { deskStopped, type Failure } from '#shared/errors/catalogue.ts'
import { failureText, causeInTheMiddle, printerCause } from '#place/failure-text.ts'
import { formatDateTime, formatNumber } from '#ui/format.ts'
import type { Outcome } from '#ui/outcome.ts'
import { printerName, reprintWords } from '#place/print-words.ts'
import { groupOf, type PrintStep } from './prints.state.svelte.ts'

export interface Words {
  readonly title: string
  readonly text: string
}

/** Returns the name that operators use for the printer of a job. */
export function printerOf(
  { printer, printerTitle }: Pick<PrintLine, 'printer' | 'printerTitle'>,
  printers: readonly PrinterView[],
): string {
  const known = printers.find(({ name }) => name === printer)
  return printerName(printerTitle, (known?.folder ?? null) !== null)
}

/** Returns why a printer does not print, as one sentence. */
export function refusalText(failure: Failure | null): string {
  if (!failure) return m.cause_unknown()
  return failureText(failure).happened
}

/**
 * Returns one sentence about the state of a job: why it is not printed yet, or, for a label that is not scanned yet,
 * when it was sent to the printer or came out. `printer` is the printer that the job waits for.
 */
export function whyText(line: PrintLine, printer: PrinterView | null, nowMs: number): string {
  const { hold, state, failure, since } = line
  const time = formatDateTime(since, nowMs)
  if (groupOf(line) === 'paper')
    return state === 'confirmed' ? m.prints_out_at({ time }) : m.prints_sent_at({ time })
  if (state === 'unknown') return m.prints_why_unknown()
  if (state === 'sending') return m.prints_why_sending()
  if (hold) return holdText(hold)
  if (state === 'refused') return refusalText(failure)
  return printer?.state === 'refused' ? refusalText(printer.failure) : m.prints_why_queued()
}

/**
 * Returns a text that names the next step of a job, and says whether the desk or the operator does this step. For a
 * printed copy, the text says why it was printed again.
 */
export function nextText(line: PrintLine, printer: PrinterView | null): string {
  const { state, hold, isReprint, reason } = line
  if (groupOf(line) === 'paper') return isReprint ? copyText(reason) : m.prints_next_scan()
  if (state === 'unknown') return m.prints_next_answer()
  if (state === 'sending') return m.prints_next_nothing()
  if (hold) return m.prints_next_look()
  if (state !== 'refused' && printer?.state !== 'refused') return m.prints_next_turn()
  const why = state === 'refused' ? line.failure : (printer?.failure ?? null)
  return (why && printerCause(why)?.next) ?? m.prints_next_ready()
}

/** Returns how a page of the document is turned on the paper, and which part of the page is printed. */
export function laidText({ turn, part }: PrintLaid): string {
  const turns = {
    0: m.prints_laid_upright,
    90: m.prints_laid_right,
    180: m.prints_laid_down,
    270: m.prints_laid_left,
  }
  const parts = { page: m.prints_laid_page, ink: m.prints_laid_ink, label: m.prints_laid_label }
  return m.prints_laid({ turn: turns[turn](), part: parts[part]() })
}

/** Returns a text which says that a paper is a copy, and why it was printed again. */
export function copyText(reason: PrintLine['reason']): string {
  return reason === null ? m.prints_copy() : m.prints_copy_why({ reason: reprintWords[reason]() })
}

function holdText(hold: PrintHold): string {
  switch (hold.kind) {
    case 'nothing_readable':
      return m.prints_hold_unreadable()
    case 'another_label':
      return m.prints_hold_other({ title: hold.title || hold.code })
    case 'does_not_fit':
      return m.prints_hold_wide()
    case 'refused':
      return m.prints_hold_refused()
    case 'not_drawn':
      return m.prints_hold_undrawn()
  }
}

const stepWords: Record<Exclude<PrintStep, 'choose'>, () => Words> = {
  again: () => ({ title: m.reprint_title(), text: m.reprint_text() }),
  anyway: () => ({ title: m.prints_anyway_title(), text: m.prints_anyway_text() }),
  move: () => ({ title: m.prints_move_title(), text: m.prints_move_text() }),
  give_up: () => ({ title: m.prints_give_up_title(), text: m.prints_give_up_text() }),
}

/** Returns the title and the text about an open job: its state or the question about it. */
export function lineWords(
  line: PrintLine,
  step: PrintStep,
  printers: readonly PrinterView[],
  nowMs: number,
): Words {
  if (step !== 'choose') return stepWords[step]()
  const { state, title, since, hold, failure } = line
  const printer = printers.find(({ name }) => name === line.printer) ?? null
  const name = printerOf(line, printers)
  const time = formatDateTime(since, nowMs)
  if (state === 'unknown') {
    const text = [unknownText(line, name, time), line.scanProves ? m.prints_unknown_scan() : '']
    return { title: m.prints_unknown_title({ title }), text: text.filter(Boolean).join(' ') }
  }
  if (groupOf(line) === 'paper') return paperWords(line, name, time)
  if (hold) return holdWords(hold)
  if (state === 'sending') return { title: m.prints_why_sending(), text: m.prints_sending_text() }
  const why = whyText(line, printer, nowMs)
  if (state === 'refused') return { title: m.prints_refused_title(), text: `${why} ${refusedNext(failure)}` }
  return { title: m.prints_queued_title(), text: `${why} ${nextText(line, printer)}` }
}

/** Returns what the operator can do after a printer refused; a general text if the cause is unknown. */
function refusedNext(failure: Failure | null): string {
  const cause = failure && printerCause(failure)
  return cause ? m.prints_refused_do({ next: cause.next }) : m.prints_refused_text()
}

function unknownText({ failure }: PrintLine, printer: string, time: string): string {
  // the job was marked as unknown when the desk started again, so the time of the mark is not the time of the crash
  if (failure?.params['cause'] === deskStopped) return m.prints_unknown_desk({ printer })
  const cause = failure && causeInTheMiddle(failure)
  const text = m.prints_unknown_text({ printer, time })
  return cause ? `${cause.happened} ${text}` : text
}

function holdWords(hold: PrintHold): Words {
  const title = holdText(hold)
  switch (hold.kind) {
    case 'nothing_readable':
      return { title, text: m.prints_hold_unreadable_text() }
    case 'another_label':
      return { title, text: m.prints_hold_other_text({ code: hold.code }) }
    case 'does_not_fit': {
      const { neededMm, printableMm } = hold
      const rest = m.prints_hold_wide_text()
      if (neededMm === null || printableMm === null) return { title, text: rest }
      const sizes = { needed: formatMm(neededMm), printable: formatMm(printableMm) }
      return { title, text: `${m.prints_hold_wide_mm(sizes)} ${rest}` }
    }
    case 'refused':
      return { title, text: m.prints_hold_refused_text() }
    case 'not_drawn':
      return { title, text: m.prints_hold_undrawn_text() }
  }
}

function formatMm(mm: number): string {
  return formatNumber(Math.round(mm * 10) / 10)
}

function paperWords({ state, choices }: PrintLine, printer: string, time: string): Words {
  const sent =
    state === 'confirmed' ? m.prints_confirmed_text({ printer, time }) : m.prints_sent_text({ printer, time })
  const answer = choices.includes('came_out') ? m.prints_paper_or_say() : ''
  return {
    title: m.prints_paper_title(),
    text: [sent, m.prints_paper_scan(), answer].filter(Boolean).join(' '),
  }
}

export function outcomeOfPrintLine(line: PrintLine): Outcome {
  if (line.state === 'refused' && !line.hold) return 'stop'
  const group = groupOf(line)
  if (group === 'asks') return 'decide'
  return group === 'paper' ? 'look' : 'none'
}

const echoes: Record<PrintDecision['kind'], () => string> = {
  came_out: m.prints_echo_came_out,
  print_again: m.prints_echo_again,
  print_anyway: m.prints_echo_anyway,
  place: m.prints_echo_place,
  move: m.prints_echo_move,
  retry: m.prints_echo_retry,
  give_up: m.prints_echo_give_up,
}

/** Returns a text about the result of the last decision. */
export function echoText(echo: PrintDecision['kind'] | null): string {
  return echo === null ? '' : echoes[echo]()
}
