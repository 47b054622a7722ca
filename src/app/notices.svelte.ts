import type { Command, NamedCommand } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { m } from '#messages/messages.js'
import { commandWords, whereCommandWorks } from '#place/command-words.ts'
import { failureText } from '#place/failure-text.ts'
import type { Outcome } from '#ui/outcome.ts'

/** A notice about a scan that had no effect, or whose effect is not visible on the current screen. */
export type Notice =
  /** A command that has no effect in the place where it was scanned. */
  | { readonly kind: 'not_here'; readonly command: Command }
  /** A scanned digit that selects none of the `count` choices which the desk offers. */
  | { readonly kind: 'choices'; readonly count: number }
  /** A command whose button was covered by the enlarged picture of a paper. */
  | { readonly kind: 'picture'; readonly command: Command }
  /** PRIMARY or Enter that only repeats the last one, or that came before the operator can have read the new act. */
  | { readonly kind: 'too_soon' }
  | { readonly kind: 'setup' }
  | { readonly kind: 'unreadable' }
  /** A command that arrived in one burst with another code, so that both may be parts of one barcode. */
  | { readonly kind: 'burst' }
  /** A command barcode without this station's secret. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unknown'; readonly name: NamedCommand }
  | { readonly kind: 'method_where'; readonly method: string }
  | {
      readonly kind: 'printer_where' | 'printer_ask' | 'printer_now' | 'printer_is'
      readonly printer: string
    }
  | { readonly kind: 'station_is'; readonly station: string }
  | { readonly kind: 'failed'; readonly failure: Failure }

/**
 * The notice about the last scan, and the number of scans that wait for the window. The next scan removes a notice. A
 * notice is visible only on the screen on which it appeared, because its text describes what the operator can do on
 * that screen.
 */
export class Notices {
  readonly #screen: () => string
  #said = $state.raw<{ readonly notice: Notice; readonly on: string } | null>(null)
  /** Number of scans that wait in the queue of scans; 0 while the question whether to leave shows this number. */
  held = $state(0)

  /** @param screen - returns a name that only the current screen has. */
  constructor(screen: () => string) {
    this.#screen = screen
  }

  get now(): Notice | null {
    return this.#said?.on === this.#screen() ? this.#said.notice : null
  }

  say(notice: Notice): void {
    this.#said = { notice, on: this.#screen() }
  }

  clear(): void {
    this.#said = null
  }
}

/** Returns the notice as one sentence in the operator's language. */
export function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case 'not_here':
      return m.notice_not_here({
        command: commandWords(notice.command),
        where: whereCommandWorks(notice.command),
      })
    case 'choices':
      return m.notice_choices({ count: notice.count })
    case 'picture':
      return m.notice_picture({ command: commandWords(notice.command) })
    case 'too_soon':
      return m.notice_too_soon({ command: commandWords('PRIMARY') })
    case 'setup':
      return m.notice_setup()
    case 'unreadable':
      return m.notice_unreadable()
    case 'burst':
      return m.notice_burst()
    case 'foreign':
      return m.notice_foreign()
    case 'unknown':
      if (notice.name === 'VIA') return m.notice_method_unknown()
      return notice.name === 'ONTO' ? m.notice_printer_unknown() : m.notice_station_unknown()
    case 'method_where':
      return m.notice_method_where({ method: notice.method })
    case 'printer_where':
      return m.notice_printer_where({ printer: notice.printer })
    case 'printer_ask':
      return m.notice_printer_ask({ printer: notice.printer })
    case 'printer_now':
      return m.notice_printer_now({ printer: notice.printer })
    case 'printer_is':
      return m.notice_printer_is({ printer: notice.printer })
    case 'station_is':
      return m.notice_station_is({ station: notice.station })
    case 'failed': {
      const { happened, next } = failureText(notice.failure)
      return `${happened} ${next}`
    }
  }
}

/** Returns the outcome that determines the colour and the sound of the notice. */
export function noticeOutcome({ kind }: Notice): Exclude<Outcome, 'none'> {
  if (kind === 'printer_ask') return 'decide'
  if (kind === 'printer_now') return 'done'
  return kind === 'failed' ? 'stop' : 'look'
}
