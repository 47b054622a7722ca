import { parseBadge } from '#shared/domain/badge.ts'
import { type Command, parseCommand } from '#shared/domain/commands.ts'
import type { WindowState } from './window-state.svelte.ts'

/** Commands that mean the card of the stage; in another place there is none. Paper is printed again where it is listed. */
const cardCommands: readonly Command[] = ['REPRINT', 'METHOD', 'ADDRESS', 'CANCEL']

/**
 * Sends each scan to the place that is open when its turn comes. While a modification is put together scans run
 * strictly one after another: the third of three fast ones must not book before the first two are lines. On the
 * stage they run at once: a slow look-up must not hold up the next parcel.
 */
export class ScanRouter {
  readonly #window: WindowState
  #waiting: readonly string[] = []
  #running = false

  constructor(window: WindowState) {
    this.#window = window
    window.leave.replayTo((raw) => {
      this.route(raw)
    })
  }

  route(raw: string): void {
    const { app, leave, place } = this.#window
    if (leave.leaving !== null) leave.hold(raw)
    else if (app.screen !== 'stage') this.#beforeLogin(raw)
    else if (this.#running || place.kind === 'modification' || parseCommand(raw) === 'BOOK') {
      this.#waiting = [...this.#waiting, raw]
      void this.#drain()
    } else void this.#direct(raw)
  }

  async #drain(): Promise<void> {
    if (this.#running) return
    this.#running = true
    for (let raw = this.#next(); raw !== undefined; raw = this.#next()) {
      // nothing that goes wrong with one scan may hold up those behind it
      await this.#inTurn(raw).catch(() => {
        this.#window.play('stop')
      })
    }
    this.#running = false
  }

  #next(): string | undefined {
    const [first, ...rest] = this.#waiting
    this.#waiting = rest
    return first
  }

  async #inTurn(raw: string): Promise<void> {
    const { place, modification, stage } = this.#window
    if (place.kind === 'modification') {
      await modification.scan(raw)
    } else if (parseCommand(raw) === 'BOOK') {
      // the article scanned right before it may still be on its way to the stage
      const [kept] = await Promise.all([this.#keep(raw), stage.settled()])
      if (kept) this.#window.openBooking()
    } else void this.#direct(raw)
  }

  async #direct(raw: string): Promise<void> {
    const { place, queue, stage } = this.#window
    const command = parseCommand(raw)
    if (place.kind === 'queue' && command === null && queue.awaitsScan) await queue.scan(raw)
    else if (place.kind === 'stage' || command === null) {
      this.#window.goBack()
      await stage.submit(raw)
    } else if (await this.#keep(raw)) {
      if (command === 'PRIMARY') this.#window.runPrimary()
      else if (cardCommands.includes(command) && place.kind !== 'prints') this.#window.play('look')
      else this.#window.run(command)
    }
  }

  /** Writes a command down; sounds when it is. */
  async #keep(raw: string): Promise<boolean> {
    const result = await this.#window.bridge.scan.submit({ raw, expect: 'anything' })
    this.#window.play(result.ok ? 'done' : 'stop')
    return result.ok
  }

  /**
   * Before a login only command barcodes, badges and, where a printer is set up, its test page do something: a parcel
   * belongs to a customer, and nobody has said which.
   */
  #beforeLogin(raw: string): void {
    const { app, login, play, setup } = this.#window
    const command = parseCommand(raw)
    const username = app.screen === 'login' ? parseBadge(raw) : null
    if (command === 'LANGUAGE') {
      play('done')
      void app.switchLanguage()
    } else if (command === 'PRIMARY' && app.screen === 'login') void login.submit()
    else if (command === 'HOME' && app.screen === 'setup') this.#window.leaveSetup()
    else if (app.screen === 'setup' && setup.testPage.isListening) play(setup.testPage.take(raw))
    else if (username !== null) {
      login.takeBadge(username)
      play('done')
    } else {
      login.noteScan()
      play('look')
    }
  }
}
