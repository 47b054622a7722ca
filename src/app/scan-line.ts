import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { HeldScan } from '#shared/bridge/scanner-views.ts'
import { parseBadge } from '#shared/domain/badge.ts'
import {
  type Command,
  commandRow,
  type CommandsBeforeLogin,
  type ScreenBeforeStage,
  worksBefore,
  worksIn,
} from '#shared/domain/commands.ts'
import type { HeardScan } from '#shared/domain/scan-burst.ts'
import type { Moment } from '#shared/domain/durations.ts'
import { type LanguageCommand, languageOfCommand } from '#shared/domain/languages.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { commandOf, readScan, type Scan, type ScanReading } from '#place/station-commands.svelte.ts'
import { NamedCommands } from './named-commands.ts'
import type { DeskWindow } from './window.svelte.ts'

/**
 * A scan as the scanner sent it. `scannerId` names the scanner; it is `keyboard` for each scanner that works as a
 * keyboard. `arrived`: the time at which the last key, report or byte of the scan arrived; if this time is null or
 * missing, the duration of the scan is not measured.
 */
export type LineScan = HeardScan & { readonly scannerId: string; readonly arrived?: Moment | null }

/** A scan in the queue. `isRepeated`: whether it is PRIMARY and only repeats the last PRIMARY. */
type WaitingScan = LineScan & { readonly isRepeated: boolean }

/**
 * States of the queue of scans, which determine how a scan is handled. `open`: scans are handled in the order of
 * arrival. `starting`: scans wait until the data of the first screen has been read. `covered`: scans wait until the
 * dialog in front of the window closes. If the dialog asks whether to leave, a scanned command may answer the question.
 * `leaving`: the waiting scans are only written to the journal. `limited`: no operator is logged in, or the set-up is
 * open. Only the commands with `beforeLogin`, barcodes of stations, badges and the test scans of the set-up work.
 */
export type LineState = 'open' | 'starting' | 'covered' | 'leaving' | 'limited'

/**
 * The one queue for the scans of all scanners: keyboard, HID and serial.
 *
 * Each scan is handled once, in the order of arrival, by the place that is then open. After a command, the next scan
 * waits until the command is done. During a booking, each scan waits until the previous scan is done. Without these
 * waits, if two articles and a command are scanned quickly, the command could book before both articles are lines of
 * the booking, or apply to a card that was already replaced. On the stage, the next scan does not wait for a look-up or
 * for a command that keeps the card open (`stays` in commands.ts), because a slow response must not delay the next
 * parcel.
 *
 * Where a scan is stored between the scanner and the journal:
 *
 * - serial: in main, until a window has taken it (kept while main runs: main/scanners.ts)
 * - keyboard, HID: in this queue, until its turn (lost if the window crashes; no sound was played for it)
 * - from its turn on: in the journal of desk.db, before its sound (durable: scan.submit)
 *
 * Two other decisions are not made here: if two look-ups run at the same time, ShownCard decides which of them provides
 * the card. ModificationState decides in which order the acts on a booking, both scanned and clicked, are applied.
 */
export class ScanLine {
  readonly #window: DeskWindow
  readonly #named: NamedCommands
  #waiting: readonly WaitingScan[] = []
  #running = false

  /**
   * The effect of each command that works before a login, except the commands that name a language. The function
   * returns false if the command has no effect now.
   */
  readonly #beforeLogin: Readonly<
    Record<Exclude<CommandsBeforeLogin, LanguageCommand>, (screen: ScreenBeforeStage) => boolean>
  > = {
    PRIMARY: () => {
      void this.#window.login.submit()
      return true
    },
    HOME: (screen) => {
      const { app, play } = this.#window
      if (screen === 'setup') this.#window.leaveSetup()
      else if (app.behind === null) return false
      else {
        play('done')
        this.#window.leaveLogin()
      }
      return true
    },
    LANGUAGE: () => this.#switchLanguage('LANGUAGE'),
  }

  constructor(window: DeskWindow, nowMs?: () => number) {
    this.#window = window
    this.#named = new NamedCommands(window, nowMs)
    window.whenMoved(() => void this.#go())
    window.leave.holdIn({
      writeDown: () => this.#writeDown(),
      release: () => {
        this.#wait(this.#waiting)
        void this.#go()
      },
    })
  }

  get state(): LineState {
    const { app, isCovered, isReady, leave } = this.#window
    if (leave.isLeaving) return 'leaving'
    if (isCovered) return 'covered'
    if (app.loading || app.screen === 'starting') return 'starting'
    if (app.screen !== 'stage') return 'limited'
    return isReady ? 'open' : 'starting'
  }

  /**
   * Adds a scan to the queue. A command that is scanned while the question whether to leave is open is not added: it
   * answers the question or is refused.
   */
  take(scan: LineScan): void {
    const { leave } = this.#window
    const asks = leave.leaving !== null
    const isRepeated = this.#isRepeated(scan)
    // a command that arrived in one burst with another code does not answer the question whether to leave; it waits in
    // this queue, and when it is handled, a notice says that it was not run
    const command = asks && !scan.inBurst ? commandOf(readScan(scan.raw)) : null
    if (asks) leave.answer(command)
    if (command !== null) return
    this.#wait([...this.#waiting, { ...scan, isRepeated }])
    void this.#go()
  }

  /**
   * Whether the scan is PRIMARY and only repeats the last PRIMARY. Compares the times at which the scans arrived, not
   * the times at which they are handled.
   */
  #isRepeated({ raw, inBurst, arrived }: LineScan): boolean {
    const isPrimary = commandOf(readScan(raw)) === 'PRIMARY'
    // a PRIMARY in a burst is not run, so it neither repeats an earlier PRIMARY nor is repeated by a later one
    if (isPrimary && inBurst) return false
    return this.#window.heard(isPrimary ? 'PRIMARY' : null, arrived?.ticksMs)
  }

  async #go(): Promise<void> {
    if (this.#running) return
    this.#running = true
    while (this.state === 'open' || this.state === 'limited') {
      const [first, ...rest] = this.#waiting
      if (first === undefined) break
      this.#wait(rest)
      // an error in one scan must not stop the scans after it
      await this.#inTurn(first).catch(() => {
        this.#window.play('stop')
      })
    }
    this.#running = false
    // the remaining scans wait for a dialog, a login or the first screen; their duration is not measured, because the
    // desk does not cause that wait
    this.#waiting = this.#waiting.map((scan) => ({ ...scan, arrived: null }))
  }

  #wait(scans: readonly WaitingScan[]): void {
    const { leave, notices } = this.#window
    this.#waiting = scans
    // the question whether to leave shows the number of waiting scans; if that question is not open, the notice shows
    // the number
    const isAsked = leave.leaving !== null
    leave.heldScans = isAsked ? scans.length : 0
    notices.held = isAsked ? 0 : scans.length
  }

  /**
   * Called when the operator has confirmed to log out, to use another station or to close the window. Writes all
   * waiting scans to the journal, including those that arrive during the writing. Returns the reason if a scan cannot
   * be saved; that scan and all later ones keep waiting.
   */
  async #writeDown(): Promise<Failure | null> {
    for (let scan = this.#waiting[0]; scan !== undefined; scan = this.#waiting[0]) {
      const saved = await this.#window.bridge.scan.submit({ raw: scan.raw, expect: 'anything' })
      if (!saved.ok) return saved.error
      this.#wait(this.#waiting.slice(1))
    }
    return null
  }

  async #inTurn(heard: WaitingScan): Promise<void> {
    const { here, notices } = this.#window
    const isIgnored = heard.isRepeated && this.state !== 'limited'
    if (!isIgnored) notices.clear()
    const scan = readScan(heard.raw, heard.inBurst)
    const command = commandOf(scan)
    if (scan.reading.kind !== 'named') this.#named.forget()
    const front = this.state === 'limited' ? null : (here.closeFront?.(command) ?? null)
    if (this.state === 'limited') await this.#limited(heard, scan)
    else if (isIgnored) {
      if (await this.#keep(scan.raw, null)) this.#window.refuseTooSoon()
    } else if (front !== null) await this.#closed(scan.raw, command, front)
    else if (scan.reading.kind === 'named') {
      if (await this.#keep(scan.raw, null)) await this.#named.run(scan.reading.named)
    } else if (isRefused(scan.reading)) {
      if (await this.#keep(scan.raw, null)) this.#window.say({ kind: scan.reading.kind })
    } else await this.#work(scan, command, heard.arrived ?? null)
    await this.#window.arrived()
  }

  /** Handles a scan in the open place. `times` measures how long this takes from the arrival of the scan. */
  async #work(scan: Scan, command: Command | null, arrived: Moment | null): Promise<void> {
    const { here, place, times } = this.#window
    const waits = command === null ? 'no' : commandRow(command).waits
    const taken = here.scan?.(scan)
    if (taken) await taken
    else if (command === null) {
      this.#window.goBack()
      this.#lookUp(scan, arrived)
      return
    } else if (place === 'stage' && waits === 'stays') this.#lookUp(scan, null)
    else await this.#command(scan, command)
    // a command on the stage is not measured if it waits for the look-ups of earlier scans
    if (arrived !== null && (taken || place !== 'stage' || waits === 'no'))
      times.handled(arrived, command === null)
  }

  async #closed(raw: string, command: Command | null, how: 'hidden' | 'done'): Promise<void> {
    if (how === 'done') this.#window.play('done')
    else if (command !== null) this.#window.say({ kind: 'picture', command })
    await this.#keep(raw, null)
  }

  /** Handles a command that the open place does not handle itself, with the command's general meaning. */
  async #command(scan: Scan, command: Command): Promise<void> {
    const { place, places } = this.#window
    if (command === 'BOOK') {
      // the article of the previous scan may not be on the stage yet, so the command waits for the look-up of that scan
      const [kept] = await Promise.all([this.#keep(scan.raw), places.stage.settled()])
      if (kept) this.#window.openBooking()
    } else if (place === 'stage') await places.stage.take(scan)
    else if (worksIn(command, 'card', 'label') && place !== 'prints') {
      if (await this.#keep(scan.raw, null)) this.#window.refuse(command)
    } else if (await this.#keep(scan.raw)) this.#window.run(command)
  }

  /** Looks up a scan. The next scan does not wait for the result. */
  #lookUp(scan: Scan, arrived: Moment | null): void {
    const { places, play, times } = this.#window
    void places.stage.take(scan).then(
      () => {
        if (arrived !== null) times.handled(arrived, true)
      },
      () => {
        play('stop')
      },
    )
  }

  /**
   * Writes a scan to the journal and then plays `sound`; null for a scan whose sound is played elsewhere. If the
   * journal refuses the scan, plays `stop` and returns false.
   */
  async #keep(raw: string, sound: 'done' | null = 'done'): Promise<boolean> {
    const result = await this.#window.bridge.scan.submit({ raw, expect: 'anything' })
    if (!result.ok) this.#window.play('stop')
    else if (sound !== null) this.#window.play(sound)
    return result.ok
  }

  /**
   * Handles a scan before a login or in the set-up. Only these work: commands with `beforeLogin`; on the login screen,
   * barcodes of stations and badges; in the set-up, scans for its tests. A parcel is not looked up, because its
   * customer is unknown before a login.
   */
  async #limited(heard: LineScan, { raw, reading }: Scan): Promise<void> {
    const { app, login, play, setup } = this.#window
    const screen = app.screen === 'login' ? 'login' : 'setup'
    const command = reading.kind === 'command' ? reading.command : null
    const named = reading.kind === 'named' ? reading.named : null
    const username = screen === 'login' ? parseBadge(raw) : null
    if (command === null && reading.kind !== 'burst' && setup.scanners.test.take(heard)) play('done')
    else if (reading.kind === 'burst' || reading.kind === 'foreign') this.#window.say({ kind: reading.kind })
    else if (command !== null && worksBefore(command, screen) && this.#runBeforeLogin(command, screen)) return
    else if (named?.name === 'DESK' && screen === 'login') await this.#named.station(named.key)
    else if (screen === 'setup' && setup.testPage.isListening) play(setup.testPage.take(raw))
    else if (username !== null) {
      login.takeBadge(username)
      play('done')
    } else this.#refuseLimited(command)
  }

  /** Runs a command before a login or in the set-up. Returns false if the command has no effect there now. */
  #runBeforeLogin(command: CommandsBeforeLogin, screen: ScreenBeforeStage): boolean {
    return languageOfCommand(command) === null
      ? this.#beforeLogin[command as Exclude<CommandsBeforeLogin, LanguageCommand>](screen)
      : this.#switchLanguage(command)
  }

  #switchLanguage(command: Command): true {
    this.#window.play('done')
    this.#window.run(command)
    return true
  }

  #refuseLimited(command: Command | null): void {
    const { app, login } = this.#window
    login.noteScan()
    // on the login screen, a scan that is not a command gets no notice, because the screen already says that the login
    // comes first
    if (command !== null) this.#window.refuse(command)
    else if (app.screen === 'setup') this.#window.say({ kind: 'setup' })
    else this.#window.play('look')
  }
}

/**
 * Whether the scan looks like a command barcode but must not be run: it arrived in a burst, lacks the station's secret,
 * or is unreadable.
 */
function isRefused<R extends ScanReading>(reading: R): reading is Extract<R, RefusedReading> {
  return reading.kind === 'burst' || reading.kind === 'foreign' || reading.kind === 'unreadable'
}
interface RefusedReading {
  readonly kind: 'burst' | 'foreign' | 'unreadable'
}

/**
 * Takes the scans that main keeps for this window, each once and in their order. A scan is acknowledged when it is in
 * the queue of scans. If the window crashes before the acknowledgement, main sends the scan again.
 */
export class HeldScanTaker {
  readonly #bridge: ScandeskBridge
  readonly #takeOne: (scan: HeldScan, hasWaited: boolean) => void
  /**
   * The `number` of the last scan that this window has taken from main. An event may list this scan again while the
   * acknowledgement of the scan is under way.
   */
  #last = 0

  /** @param take - `hasWaited` is true for a scan that main received before this window took scans. */
  constructor(bridge: ScandeskBridge, take: (scan: HeldScan, hasWaited: boolean) => void) {
    this.#bridge = bridge
    this.#takeOne = take
  }

  /** Takes the scans that main already has and all later scans, until the returned function is called. */
  start(): () => void {
    let isOver = false
    let waited = Number.POSITIVE_INFINITY
    const take = (scans: readonly HeldScan[]): void => {
      for (const scan of scans)
        if (!isOver && scan.number > this.#last) this.#take(scan, scan.number <= waited)
    }
    const stop = this.#bridge.on('heldScans', take)
    void this.#bridge.scanner.held().then((held) => {
      if (!held.ok) return
      take(held.value)
      waited = this.#last
    })
    return () => {
      isOver = true
      stop()
    }
  }

  #take(scan: HeldScan, hasWaited: boolean): void {
    this.#last = scan.number
    this.#takeOne(scan, hasWaited)
    // This call tells main that the window has taken the scan. If the call is lost, main still has the scan in its
    // list. If no other scan waits and the queue is `open`, the scan is written to the journal first: the call for that
    // was sent before this call.
    void this.#bridge.scanner.taken({ number: scan.number })
  }
}
