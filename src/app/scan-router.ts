import { readStationCommand } from '#bridge/station-commands.svelte.ts'
import { parseBadge } from '#shared/domain/badge.ts'
import { type Command, commandRow, worksIn } from '#shared/domain/commands.ts'
import type { CommandReading } from '#shared/domain/named-commands.ts'
import type { HeardScan } from '#shared/domain/scan-burst.ts'
import { closesPicture } from './run-command.ts'
import { NamedRunner } from './run-named.ts'
import type { WindowState } from './window-state.svelte.ts'

/** `burst`: a command of whatever station, in one burst with another code. */
type Reading = CommandReading | { readonly kind: 'burst' }

/** What a scan is as a command, as far as it is obeyed. The burst counts first: it says nothing about the secret. */
function obeyed(reading: CommandReading, inBurst: boolean): Reading {
  return inBurst && reading.kind !== 'none' ? { kind: 'burst' } : reading
}

/** Whether it is a command barcode that the desk does not obey. */
function isRefused<R extends Reading>(reading: R): reading is Extract<R, Refused> {
  return reading.kind === 'burst' || reading.kind === 'foreign' || reading.kind === 'unreadable'
}
interface Refused {
  readonly kind: 'burst' | 'foreign' | 'unreadable'
}

/**
 * Takes each scan once, in the order in which they came, to the place that is open when its turn comes. A command, and
 * whatever is scanned while a modification is put together, is done before the next one is looked at: the third of three
 * fast ones must not book before the first two are lines, nor act on a card that the second one left. What is looked up on
 * the stage runs at once: a slow answer must not hold up the next parcel. While the window starts, reads in what an
 * operator sees, or asks whether somebody means to leave, scans wait.
 */
export class ScanRouter {
  readonly #window: WindowState
  readonly #named: NamedRunner
  #waiting: readonly HeardScan[] = []
  #running = false

  constructor(window: WindowState, nowMs?: () => number) {
    this.#window = window
    this.#named = new NamedRunner(window, nowMs)
    window.whenMoved(() => void this.#drain())
    window.leave.replayTo({
      route: ({ raw, inBurst }) => {
        this.route(raw, inBurst)
      },
      take: () => this.#takeAll(),
      release: () => void this.#drain(),
    })
  }

  /** `inBurst`: it came in one burst with another code of the same scanner, so that no command in it is obeyed. */
  route(raw: string, inBurst = false): void {
    const { leave } = this.#window
    const scan = { raw, inBurst }
    if (leave.leaving !== null) leave.hold(scan)
    else {
      this.#wait([...this.#waiting, scan])
      void this.#drain()
    }
  }

  /** Whether a scan would meet a window that is not there yet, or a question that stands before everything. */
  get #isHeld(): boolean {
    const { app, isReady, leave } = this.#window
    if (leave.leaving !== null || app.loading || app.screen === 'starting') return true
    return app.screen === 'stage' && !isReady
  }

  async #drain(): Promise<void> {
    if (this.#running) return
    this.#running = true
    while (!this.#isHeld) {
      const [first, ...rest] = this.#waiting
      if (first === undefined) break
      this.#wait(rest)
      // nothing that goes wrong with one scan may hold up those behind it
      await this.#inTurn(first).catch(() => {
        this.#window.play('stop')
      })
    }
    this.#running = false
  }

  #wait(scans: readonly HeardScan[]): void {
    this.#waiting = scans
    this.#window.notices.held = scans.length
  }

  #takeAll(): readonly HeardScan[] {
    const all = this.#waiting
    this.#wait([])
    return all
  }

  async #inTurn({ raw, inBurst }: HeardScan): Promise<void> {
    const { app, notices, place } = this.#window
    notices.clear()
    const reading = obeyed(readStationCommand(raw), inBurst)
    if (reading.kind !== 'named') this.#named.forget()
    const command = reading.kind === 'command' ? reading.command : null
    if (app.screen !== 'stage') await this.#outside(raw, reading)
    else if (closesPicture(this.#window, command)) await this.#keep(raw, null)
    else if (reading.kind === 'named') {
      if (await this.#keep(raw, null)) await this.#named.run(reading.named)
    } else if (isRefused(reading)) {
      if (await this.#keep(raw, null)) this.#window.say({ kind: reading.kind })
    } else if (place.kind === 'modification') await this.#window.modification.scan(raw)
    else if (command === null) await this.#text(raw)
    else await this.#command(raw, command)
    await this.#window.arrived()
  }

  /** What is no command belongs on the stage, unless the open entry of the queue waits for just that. */
  async #text(raw: string): Promise<void> {
    const { place, queue, stage } = this.#window
    if (place.kind === 'queue' && queue.awaitsScan) await queue.scan(raw)
    else {
      this.#window.goBack()
      void stage.submit(raw).catch(() => {
        this.#window.play('stop')
      })
    }
  }

  async #command(raw: string, command: Command): Promise<void> {
    const { place, stage } = this.#window
    if (command === 'BOOK') {
      // the article scanned right before it may still be on its way to the stage
      const [kept] = await Promise.all([this.#keep(raw), stage.settled()])
      if (kept) this.#window.openBooking()
    } else if (place.kind === 'stage') {
      const done = stage.submit(raw)
      if (commandRow(command).waits !== 'stays') await done
      else
        void done.catch(() => {
          this.#window.play('stop')
        })
    } else if (worksIn(command, 'card', 'label') && place.kind !== 'prints') {
      if (await this.#keep(raw, null)) this.#window.refuse(command)
    } else if (await this.#keep(raw)) this.#window.run(command)
  }

  /** Writes a command down; sounds when it is. `sound` null: what it comes to sounds by itself. */
  async #keep(raw: string, sound: 'done' | null = 'done'): Promise<boolean> {
    const result = await this.#window.bridge.scan.submit({ raw, expect: 'anything' })
    if (!result.ok) this.#window.play('stop')
    else if (sound !== null) this.#window.play(sound)
    return result.ok
  }

  /**
   * Before a login only command barcodes, badges and, where a printer is set up, its test page do something: a parcel
   * belongs to a customer, and nobody has said which.
   */
  async #outside(raw: string, reading: Reading): Promise<void> {
    const { app, login, play, setup } = this.#window
    const command = reading.kind === 'command' ? reading.command : null
    const named = reading.kind === 'named' ? reading.named : null
    const username = app.screen === 'login' ? parseBadge(raw) : null
    if (reading.kind === 'burst' || reading.kind === 'foreign') this.#window.say({ kind: reading.kind })
    else if (command === 'LANGUAGE' || command === 'ENGLISH' || command === 'DUTCH') {
      play('done')
      this.#window.run(command)
    } else if (command === 'PRIMARY' && app.screen === 'login') void login.submit()
    else if (command === 'HOME' && app.screen === 'setup') this.#window.leaveSetup()
    else if (command === 'HOME' && app.behind !== null) {
      play('done')
      this.#window.leaveLogin()
    } else if (named?.name === 'DESK' && app.screen === 'login') await this.#named.station(named.key)
    else if (app.screen === 'setup' && setup.testPage.isListening) play(setup.testPage.take(raw))
    else if (username !== null) {
      login.takeBadge(username)
      play('done')
    } else this.#refuseOutside(command)
  }

  #refuseOutside(command: Command | null): void {
    const { app, login } = this.#window
    login.noteScan()
    // of what is no command the login says by itself that it comes first
    if (command !== null) this.#window.refuse(command)
    else if (app.screen === 'setup') this.#window.say({ kind: 'setup' })
    else this.#window.play('look')
  }
}
