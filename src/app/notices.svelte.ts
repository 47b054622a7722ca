import type { Command, NamedCommand } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** What the window says of a scan that did nothing, or whose effect is not to be seen where the operator is. */
export type Notice =
  /** A command that means nothing where it was scanned. */
  | { readonly kind: 'not_here'; readonly command: Command }
  /** A digit beside which nothing stands, while a scan asks which of so many things it is. */
  | { readonly kind: 'choices'; readonly count: number }
  /** The picture of a paper stood before what the command is for. */
  | { readonly kind: 'picture'; readonly command: Command }
  | { readonly kind: 'setup' }
  | { readonly kind: 'unreadable' }
  /** A command that came in one burst with another code: one barcode may have held both. */
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
 * One sentence about the last scan, until the next one or until another screen is shown: it says what can be done on the
 * one it was said on. And how many scans wait for the window.
 */
export class Notices {
  readonly #screen: () => string
  #said = $state.raw<{ readonly notice: Notice; readonly on: string } | null>(null)
  #held = $state(0)

  /** `screen`: names what the operator looks at, another name for each screen. */
  constructor(screen: () => string) {
    this.#screen = screen
  }

  get now(): Notice | null {
    return this.#said?.on === this.#screen() ? this.#said.notice : null
  }
  /** Scans that wait for what is being read, in the order in which they came. */
  get held(): number {
    return this.#held
  }
  set held(count: number) {
    this.#held = count
  }

  say(notice: Notice): void {
    this.#said = { notice, on: this.#screen() }
  }

  clear(): void {
    this.#said = null
  }
}
