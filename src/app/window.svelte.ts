import type { LabelId } from '#shared/domain/ids.ts'
import { ArticleState } from '#features/article/article.state.svelte.ts'
import { LoginState } from '#features/login/login.state.svelte.ts'
import { SetupState } from '#features/setup/setup.state.svelte.ts'
import type { LabelFormSubject, Place, PlaceWindow } from '#place/place.ts'
import { LastAct, type PrimaryInput } from '#place/repeated-reads.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { SetupSettings } from '#shared/bridge/pc-settings.ts'
import type { QueueEdit } from '#shared/bridge/queue-views.ts'
import type { ScanEntry, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import type { Closing, DeskStatus, SessionView, StationView } from '#shared/bridge/views.ts'
import { type Command, type CommandsOf, digitOf, worksIn } from '#shared/domain/commands.ts'
import { type LanguageCommand, languageOfCommand } from '#shared/domain/languages.ts'
import { HidScanners } from '#scanner/hid-scanners.svelte.ts'
import type { Sound } from '#scanner/sound.ts'
import { AppState } from './app-state.svelte.ts'
import { LeaveState } from './leave.state.svelte.ts'
import { noticeOutcome, type Notice, Notices } from './notices.svelte.ts'
import { ScanTimes } from './scan-times.ts'
import {
  definitionOf,
  makePlaces,
  type PlaceCommand,
  type PlaceKind,
  placeKinds,
  placeOf,
  type Places,
} from './places.ts'

const noSession: SessionView = {
  state: 'signed_out',
  username: null,
  roles: [],
  customer: null,
  keepsLogin: true,
}

/**
 * Commands that work everywhere, except those that only open a place (`PlaceCommand`) and those that name a language.
 */
type WindowCommand = Exclude<CommandsOf<'anywhere'>, PlaceCommand | LanguageCommand>

/**
 * The state of this window, and the navigation between its places. App.svelte draws it. Tests use it without a browser.
 */
export class DeskWindow implements PlaceWindow {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  readonly nowMs: () => number
  readonly notices = new Notices(() => this.#screenName())
  readonly hid = new HidScanners()
  readonly times: ScanTimes
  readonly app: AppState
  readonly login: LoginState
  readonly leave: LeaveState
  readonly setup: SetupState
  /** The lots and the stock figures of the article whose card is on the stage. */
  readonly article: ArticleState
  /** The state of every place. */
  readonly places: Places
  /** The last command PRIMARY or the last key Enter in any place, with the time at which it arrived. */
  readonly #lastInput = new LastAct<PrimaryInput>()
  #place = $state<PlaceKind>('stage')
  /** Resolves when the place that was opened last has read its data. */
  #arriving: Promise<unknown> = Promise.resolve()
  #moved: () => void = () => undefined
  /** Key of the station and operator for whom the places last read their data; null before that. */
  #readFor: string | null = null
  #readings = 0

  /** The effect of each `WindowCommand`. */
  readonly #anywhere: Readonly<Record<WindowCommand, () => void>> = {
    HOME: () => {
      this.goHome()
    },
    HELP: () => {
      this.#place = 'stage'
      this.places.stage.help()
    },
    LANGUAGE: () => void this.app.switchLanguage(),
    LOGOUT: () => {
      this.logout()
    },
    BOOK: () => {
      this.openBooking()
    },
    HAND: () => {
      this.openForm({ kind: 'hand' })
    },
    QUEUE: () => {
      this.#openQueueAsked()
    },
    PRINTS: () => {
      this.#openPrintsAsked()
    },
  }

  /** @param nowMs - returns the milliseconds of a monotonic clock. */
  constructor(
    bridge: ScandeskBridge,
    play: (sound: Sound) => void,
    nowMs: () => number = () => performance.now(),
  ) {
    this.nowMs = nowMs
    this.app = new AppState(bridge, () => {
      this.#onMoved()
    })
    this.bridge = this.app.bridge
    this.times = new ScanTimes(this.bridge)
    this.play = (sound) => {
      play(sound)
      this.times.sounded()
    }
    this.login = new LoginState(this.bridge, (signedIn) => {
      this.app.signedIn(signedIn)
    })
    this.leave = new LeaveState({
      bridge: this.bridge,
      play: this.play,
      isOffline: () => this.app.status?.line.state === 'offline',
    })
    this.setup = new SetupState(
      this.bridge,
      () => void this.app.stationUsed(),
      (go) => {
        this.leave.ask('station', this.unsent, go)
      },
      () => this.#saveInput(),
    )
    this.article = new ArticleState({ bridge: this.bridge, session: this.session })
    this.places = makePlaces(this)
  }

  readonly session = (): SessionView => this.app.session ?? noSession
  readonly station = (): StationView | null => this.app.station
  readonly stationId = (): string | undefined => this.app.stationId()
  readonly status = (): DeskStatus | null => this.app.status
  readonly settings = (): SetupSettings | null => this.app.info?.settings ?? null
  readonly isStageShown = (): boolean => this.#place === 'stage'

  /** The open place. Leaving a place keeps unfinished work in it. */
  get place(): PlaceKind {
    return this.#place
  }
  get here(): Place {
    return this.places[this.#place]
  }
  /**
   * Numbers of writes that would stay unsent if the operator left now: those that wait, and those that need a decision.
   */
  get unsent(): Closing {
    const { waiting = 0, asking = 0 } = this.app.status?.unsent ?? {}
    return { waiting, asking }
  }
  /** Whether closing the window would lose unsaved input about a station, a printer or a scanner. */
  get holdsUnsaved(): boolean {
    return this.app.screen === 'setup' && this.setup.isChanged
  }
  /**
   * Whether a dialog covers the whole window. While a dialog covers it, the keys of `startKeys` do nothing, and scans
   * wait.
   */
  get isCovered(): boolean {
    return this.leave.leaving !== null
  }
  /**
   * Whether every place has read its data for the current station and operator. False on the login screen and in the
   * set-up.
   */
  get isReady(): boolean {
    return this.#whoWorks !== null && this.#whoWorks === this.#readFor && this.#readings === 0
  }
  /** Key of the station and operator whose work the places show; null on the login screen and in the set-up. */
  get #whoWorks(): string | null {
    const { screen, station, session } = this.app
    return screen === 'stage' ? `${station?.id ?? ''}/${session?.username ?? ''}` : null
  }

  /** Follows the events of main until the returned function is called. */
  start(): () => void {
    const { bridge, places, setup } = this
    void setup.calibration.load()
    const stops = [
      this.app.start(),
      setup.scanners.list.start(),
      bridge.on('returnLabel', (label) => {
        places.stage.onLabel(label)
      }),
      bridge.on('modification', (booking) => {
        places.modification.booked.onModification(booking)
      }),
      bridge.on('closing', (unsent) => {
        this.#close(unsent)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  onStatus(status: DeskStatus): void {
    for (const kind of placeKinds) {
      const place: Place = this.places[kind]
      place.onStatus?.(status, kind === this.#place)
    }
    if (this.app.screen === 'setup') void this.setup.printers.list.follow()
  }

  /** Registers a function that is called after each change that possibly allows waiting scans to be handled. */
  whenMoved(moved: () => void): void {
    this.#moved = moved
  }

  /** Resolves when the place that was opened last has read the data that its commands need. */
  async arrived(): Promise<void> {
    await this.#arriving
  }

  /**
   * Shows the stage and resets all places (`Place.reset`), because the next operator or station must not see earlier
   * data.
   */
  async beginAnew(): Promise<void> {
    this.#readFor = this.#whoWorks
    this.#readings++
    this.goHome()
    await Promise.allSettled(placeKinds.map((kind) => this.#reset(this.places[kind])))
    this.#readings--
    this.#moved()
  }

  async #reset(place: Place): Promise<void> {
    await place.reset?.()
  }

  async #saveInput(): Promise<void> {
    await Promise.allSettled(
      placeKinds.map(async (kind) => {
        const place: Place = this.places[kind]
        await place.saveInput?.()
      }),
    )
  }

  /** Resets the places if the operator or the station changed. After an expired login the places stay unchanged. */
  #onMoved(): void {
    // After a logout the key of the last operator is deleted, so that the places are reset even if the same operator
    // logs in next.
    if (this.app.session?.state === 'signed_out') this.#readFor = null
    const who = this.#whoWorks
    if (who !== null && who !== this.#readFor) void this.beginAnew()
    this.#moved()
  }

  /** Shows a notice about the last scan, and plays the sound of its outcome. */
  say(notice: Notice): void {
    this.notices.say(notice)
    this.play(noticeOutcome(notice))
  }

  refuse(command: Command): void {
    const count = digitOf(command) === null ? 0 : (this.here.choicesAsked ?? 0)
    this.say(count > 0 ? { kind: 'choices', count } : { kind: 'not_here', command })
  }

  refuseTooSoon(): void {
    // A notice that is shown stays, because a notice about the first reading of a barcode says more than a notice about
    // the second reading.
    if (this.notices.now === null) this.say({ kind: 'too_soon' })
    else this.play('look')
  }

  /**
   * Runs a command with its meaning in the open place, or else with its general meaning. Refuses a command without any
   * meaning here.
   */
  run(command: Command): void {
    if (this.here.run?.(command) === true) return
    if (worksIn(command, 'anywhere')) this.#runAnywhere(command)
    else if (command === 'PRIMARY' && this.here.primary) this.here.primary()
    else this.refuse(command)
  }

  #runAnywhere(command: CommandsOf<'anywhere'>): void {
    const language = languageOfCommand(command)
    const opens = placeOf(command)
    if (language !== null) void this.app.speak(language)
    else if (opens !== null) this.open(opens)
    else this.#anywhere[command as WindowCommand]()
  }

  /**
   * Records an input. Returns whether it only repeats the last PRIMARY or the last Enter. `input` is null for a scan
   * other than PRIMARY. `atMs`: when the input arrived.
   */
  heard(input: PrimaryInput | null, atMs = this.nowMs()): boolean {
    if (input !== null && this.#lastInput.isRepeated(input, atMs)) return true
    if (input === null) this.#lastInput.end()
    else this.#lastInput.acted(input, atMs)
    return false
  }

  /**
   * Does the primary action of the open place when Enter is pressed. Does nothing but show a notice if the press only
   * repeats an earlier press.
   */
  runPrimary(): void {
    const { here } = this
    if (this.heard('ENTER')) this.refuseTooSoon()
    else if (here.primary) here.primary()
    else if (here.run?.('PRIMARY') !== true) this.refuse('PRIMARY')
  }

  /**
   * Called when a key is pressed whose act follows a moment later. Returns a function that checks, before the act,
   * whether the screen still shows the same place, and on the stage the same card. If not, the function returns false
   * and shows the notice that the key was ignored. `LastAct` cannot find this case, because a scan of another barcode
   * replaces the card, and there was no act before the key.
   */
  watchCard(): () => boolean {
    const shown = (): string =>
      this.#place === 'stage' ? `stage ${String(this.places.stage.turn)}` : this.#place
    const before = shown()
    return () => {
      const isSame = shown() === before
      if (!isSame) this.refuseTooSoon()
      return isSame
    }
  }

  /** Handles Escape. Goes one step back inside the place. If the place has no step back, shows the stage. */
  escape(): void {
    if (this.here.back?.() === true) return
    if (definitionOf(this.#place).escape === 'card') this.goBack()
    else this.goHome()
  }

  open(kind: PlaceKind): void {
    this.#place = kind
    const place: Place = this.places[kind]
    this.#arriving = Promise.resolve(place.visit?.())
  }

  goHome(): void {
    this.#place = 'stage'
    this.places.stage.home()
  }

  goBack(): void {
    this.#place = 'stage'
  }

  openCatalogue(): void {
    this.open('catalogue')
  }

  openStorage(): void {
    this.open('storage')
  }

  openLocations(): void {
    this.open('locations')
  }

  openSearch(text: string | null): void {
    this.#place = 'search'
    void this.places.search.load(text)
  }

  openForm(subject: LabelFormSubject): void {
    this.#place = 'label_form'
    this.#arriving = this.places.label_form.open(subject)
  }

  /**
   * Opens the booking. If the stage is the open place, the article or location of its card becomes part of the booking.
   */
  openBooking(): void {
    const { card } = this.places.stage
    const fromStage = this.#place === 'stage'
    if (this.#place !== 'modification') this.open('modification')
    if (fromStage && (card.kind === 'article' || card.kind === 'location'))
      void this.places.modification.begin(card.outcome)
  }

  /** Opens the queue: its list, or the entry with this key. */
  openQueue(key?: string): void {
    this.#openList('queue', () => {
      if (key !== undefined) this.places.queue.open(key)
    })
  }

  /** Opens the print jobs: their list, or the job with this id. */
  openPrints(jobId?: string): void {
    this.#openList('prints', () => {
      if (jobId !== undefined) this.places.prints.open(jobId)
    })
  }

  /** Opens the queue at the question about the shown card's subject; without such a question, at the list. */
  #openQueueAsked(): void {
    const { subjectId } = this.here
    this.#openList('queue', () => {
      if (subjectId !== undefined) this.places.queue.openQuestionOf(subjectId)
    })
  }

  /** Opens the print jobs at the question about the shown label; without such a question, at the list. */
  #openPrintsAsked(): void {
    const { labelId } = this.here
    this.#openList('prints', () => {
      if (labelId !== undefined) this.places.prints.openQuestionOf(labelId)
    })
  }

  #openList(kind: 'queue' | 'prints', show: () => void): void {
    const list = this.places[kind]
    if (this.#place === kind) list.close()
    this.#place = kind
    this.#arriving = list.load().then(show)
  }

  openEdit(edit: QueueEdit): void {
    if (edit.place === 'label') this.showLabel(edit.labelId)
    else if (edit.place === 'modification') {
      this.#place = 'modification'
      void this.places.modification.load()
    } else
      void this.places.label_form.reset().then(() => {
        this.openForm({ kind: 'hand' })
      })
  }

  showArticle(variant: VariantView): void {
    this.#place = 'stage'
    this.places.stage.showArticle(variant)
  }

  showLabel(labelId: LabelId): void {
    this.#place = 'stage'
    void this.places.stage.showLabel(labelId)
  }

  showModification(id: string): void {
    this.#place = 'stage'
    this.places.stage.showModification(id)
  }

  showOutcome(outcome: ScanOutcome): void {
    this.#place = 'stage'
    this.places.stage.showOutcome(outcome)
  }

  /** Shows the stage with the card of a label that was just made or changed. */
  showMade(label: ReturnLabelView): void {
    const { stage } = this.places
    // the stage is updated before it is visible, because its card may still show another label, such as the replaced
    // one
    stage.onLabel(label)
    if (stage.label?.id !== label.id) stage.showMade(label)
    // After a change of a label, the large button of the form means to save, and that of the card means to request the
    // label. The act of the card therefore counts as new, so that a second press does not request the label.
    if (this.places.label_form.isChange) stage.labels.offerAnew()
    this.goBack()
  }

  lookUp(text: string): void {
    this.#place = 'stage'
    void this.places.stage.submitTyped(text)
  }

  bringBack(entry: ScanEntry): void {
    this.#place = 'stage'
    void this.places.stage.bringBack(entry)
  }

  note(outcome: ScanOutcome): void {
    this.places.stage.note(outcome)
  }

  takeBack(id: string): void {
    if (!this.places.modification.isRefused(id)) this.play('look')
    else this.correct(id)
  }

  correct(id: string): void {
    void this.places.modification.takeBack(id).then((taken) => {
      if (taken) this.openBooking()
    })
  }

  stationChanged(station: StationView): void {
    this.app.stationChanged(station)
  }

  /** Ends the session. If writes are unsent or the desk is offline, asks first. */
  logout(): void {
    this.leave.ask('logout', this.unsent, () => void this.app.logout())
  }

  /**
   * Goes one step back in the set-up. Closes an open question, or else shows the screen from which the set-up was
   * opened; if unsaved input would be lost, asks first.
   */
  leaveSetup(): void {
    this.setup.back(() => {
      this.app.back()
    })
  }

  /** Closes the login and shows the stage, where scans work without a login. */
  leaveLogin(): void {
    this.login.leave()
    this.app.back()
  }

  /**
   * Handles an attempt to close the window. Asks about unsaved input of the set-up first, while the operator still sees
   * it, and then about unsent writes.
   */
  #close(unsent: Closing): void {
    const ask = (left: Closing): void => {
      this.leave.ask('close', left, () => void this.bridge.app.close())
    }
    if (!this.holdsUnsaved) ask(unsent)
    else
      this.setup.close(() => {
        const { waiting, asking } = this.unsent
        // while the operator answered the question, further unsent writes may have been added, so their number is read
        // again
        ask({ waiting: Math.max(waiting, unsent.waiting), asking: Math.max(asking, unsent.asking) })
      })
  }

  /** Returns a name that is different for each screen and for each entry of a list. */
  #screenName(): string {
    return [this.app.screen, this.#place, this.here.entryKey ?? ''].join(' ')
  }
}
