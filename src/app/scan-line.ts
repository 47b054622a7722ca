import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { HeldScan } from '#shared/bridge/scanner-views.ts'
import { parseBadge } from '#shared/domain/badge.ts'
import { type Command, commandRow, worksIn } from '#shared/domain/commands.ts'
import type { HeardScan } from '#shared/domain/scan-burst.ts'
import { languageOfCommand } from '#shared/domain/languages.ts'
import { commandOf, readScan, type Scan, type ScanReading } from '#place/station-commands.svelte.ts'
import { NamedCommands } from './named-commands.ts'
import type { DeskWindow } from './window.svelte.ts'

/** A scan as a scanner gave it. `scannerId`: the scanner; `keyboard` for any that types. */
export type LineScan = HeardScan & { readonly scannerId: string }

/**
 * What becomes of a scan now.
 * `open`: each has its turn, in the order in which they came.
 * `starting`: they wait until what an operator sees first has been read.
 * `covered`: something stands in front of the window; scans wait until it is gone. Where it asks whether to leave, a
 * command may be the answer.
 * `leaving`: those that wait are written down, and nothing else is done with them.
 * `limited`: nobody is logged in, or the set-up is open: only commands, badges and the tests of the set-up.
 */
export type LineState = 'open' | 'starting' | 'covered' | 'leaving' | 'limited'

/**
 * The one line of scans of the window, whichever scanner they come from: keyboard, HID or serial.
 *
 * Each has its turn once, in the order in which they came, at the place that is open then. A command, and every scan while
 * a modification is put together, is done before the next one is looked at: the third of three fast ones must not book
 * before the first two are lines, nor act on a card that the second one left. What is looked up on the stage runs on while
 * the next scan has its turn: a slow answer must not hold up the next parcel.
 *
 * Where a scan is kept, from the scanner to the journal:
 *
 *     serial: main, until a window took it (durable while main runs: main/held-scans)
 *     keyboard, HID: here, until its turn (lost with the window, before any sound)
 *     from its turn on: the journal of desk.db, before its sound (durable: scan.submit)
 *
 * Beside the line only two orders are left: which card of two look-ups stands (ShownCard, by turn), and the acts on a
 * booking, of hand and scan (ModificationState).
 */
export class ScanLine {
  readonly #window: DeskWindow
  readonly #named: NamedCommands
  #waiting: readonly LineScan[] = []
  #running = false

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

  /** Takes a scan into the line. */
  take(scan: LineScan): void {
    const { leave } = this.#window
    const asks = leave.leaving !== null
    // a command in one burst with another code is no answer; its turn comes later, and says so
    const command = asks && !scan.inBurst ? commandOf(readScan(scan.raw)) : null
    if (asks) leave.answer(command)
    if (command !== null) return
    this.#wait([...this.#waiting, scan])
    void this.#go()
  }

  async #go(): Promise<void> {
    if (this.#running) return
    this.#running = true
    while (this.state === 'open' || this.state === 'limited') {
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

  #wait(scans: readonly LineScan[]): void {
    const { leave, notices } = this.#window
    this.#waiting = scans
    // said once: by the question that they wait for, else by the window
    const isAsked = leave.leaving !== null
    leave.heldScans = isAsked ? scans.length : 0
    notices.held = isAsked ? 0 : scans.length
  }

  /** Writes down all that waits, and what comes meanwhile: somebody leaves. */
  async #writeDown(): Promise<void> {
    for (let scan = this.#waiting[0]; scan !== undefined; scan = this.#waiting[0]) {
      await this.#window.bridge.scan.submit({ raw: scan.raw, expect: 'anything' })
      this.#wait(this.#waiting.slice(1))
    }
  }

  async #inTurn(heard: LineScan): Promise<void> {
    const { here, notices } = this.#window
    notices.clear()
    const scan = readScan(heard.raw, heard.inBurst)
    const command = commandOf(scan)
    if (scan.reading.kind !== 'named') this.#named.forget()
    const front = this.state === 'limited' ? null : (here.closeFront?.(command) ?? null)
    if (this.state === 'limited') await this.#limited(heard, scan)
    else if (front !== null) await this.#closed(scan.raw, command, front)
    else if (scan.reading.kind === 'named') {
      if (await this.#keep(scan.raw, null)) await this.#named.run(scan.reading.named)
    } else if (isRefused(scan.reading)) {
      if (await this.#keep(scan.raw, null)) this.#window.say({ kind: scan.reading.kind })
    } else await (here.scan?.(scan) ?? this.#elsewhere(scan, command))
    await this.#window.arrived()
  }

  async #closed(raw: string, command: Command | null, how: 'hidden' | 'done'): Promise<void> {
    if (how === 'done') this.#window.play('done')
    else if (command !== null) this.#window.say({ kind: 'picture', command })
    await this.#keep(raw, null)
  }

  /** What the place that is open leaves: text belongs on the stage, a command means what it means anywhere. */
  async #elsewhere(scan: Scan, command: Command | null): Promise<void> {
    const { place, places } = this.#window
    if (command === null) {
      this.#window.goBack()
      this.#lookUp(scan)
    } else if (command === 'BOOK') {
      // the article scanned right before it may still be on its way to the stage
      const [kept] = await Promise.all([this.#keep(scan.raw), places.stage.settled()])
      if (kept) this.#window.openBooking()
    } else if (place === 'stage') {
      if (commandRow(command).waits === 'stays') this.#lookUp(scan)
      else await places.stage.take(scan)
    } else if (worksIn(command, 'card', 'label') && place !== 'prints') {
      if (await this.#keep(scan.raw, null)) this.#window.refuse(command)
    } else if (await this.#keep(scan.raw)) this.#window.run(command)
  }

  /** The next scan need not wait for it. */
  #lookUp(scan: Scan): void {
    void this.#window.places.stage.take(scan).catch(() => {
      this.#window.play('stop')
    })
  }

  /** Writes a command down; sounds when it is. `sound` null: what it comes to sounds by itself. */
  async #keep(raw: string, sound: 'done' | null = 'done'): Promise<boolean> {
    const result = await this.#window.bridge.scan.submit({ raw, expect: 'anything' })
    if (!result.ok) this.#window.play('stop')
    else if (sound !== null) this.#window.play(sound)
    return result.ok
  }

  /**
   * Before a login only command barcodes, badges and, where a scanner or a printer is set up, its test do something: a
   * parcel belongs to a customer, and nobody has said which.
   */
  async #limited(heard: LineScan, { raw, reading }: Scan): Promise<void> {
    const { app, login, play, setup } = this.#window
    const command = reading.kind === 'command' ? reading.command : null
    const named = reading.kind === 'named' ? reading.named : null
    const username = app.screen === 'login' ? parseBadge(raw) : null
    if (command === null && reading.kind !== 'burst' && setup.scanners.test.take(heard)) play('done')
    else if (reading.kind === 'burst' || reading.kind === 'foreign') this.#window.say({ kind: reading.kind })
    else if (command !== null && (command === 'LANGUAGE' || languageOfCommand(command) !== null)) {
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
    } else this.#refuseLimited(command)
  }

  #refuseLimited(command: Command | null): void {
    const { app, login } = this.#window
    login.noteScan()
    // of what is no command the login says by itself that it comes first
    if (command !== null) this.#window.refuse(command)
    else if (app.screen === 'setup') this.#window.say({ kind: 'setup' })
    else this.#window.play('look')
  }
}

/** Whether it is a command barcode that the desk does not obey. */
function isRefused<R extends ScanReading>(reading: R): reading is Extract<R, RefusedReading> {
  return reading.kind === 'burst' || reading.kind === 'foreign' || reading.kind === 'unreadable'
}
interface RefusedReading {
  readonly kind: 'burst' | 'foreign' | 'unreadable'
}

/**
 * Takes the scans that main keeps for this window, each once and in their order. A scan is acknowledged once it is in the line:
 * a window that breaks down before gets it again, as one that was never heard of.
 */
export class HeldScanTaker {
  readonly #bridge: ScandeskBridge
  readonly #takeOne: (scan: HeldScan) => void
  /** An event may overtake an acknowledgement: what was taken is known here, too. */
  #last = 0

  constructor(bridge: ScandeskBridge, take: (scan: HeldScan) => void) {
    this.#bridge = bridge
    this.#takeOne = take
  }

  /** From now on, and what came before, until the returned function is called. */
  start(): () => void {
    let isOver = false
    const take = (scans: readonly HeldScan[]): void => {
      for (const scan of scans) if (!isOver && scan.number > this.#last) this.#take(scan)
    }
    const stop = this.#bridge.on('heldScans', take)
    void this.#bridge.scanner.held().then((held) => {
      if (held.ok) take(held.value)
    })
    return () => {
      isOver = true
      stop()
    }
  }

  #take(scan: HeldScan): void {
    this.#last = scan.number
    this.#takeOne(scan)
    // sent behind what the scan has sent; where it gets lost, main's own list still says what is to come
    void this.#bridge.scanner.taken({ number: scan.number })
  }
}
