import type { LabelFormSubject } from '#features/labels/form-subject.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { QueueEdit } from '#shared/bridge/queue-views.ts'
import type { ScanEntry } from '#shared/bridge/scan-views.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import type { Closing, DeskStatus } from '#shared/bridge/views.ts'
import { type Command, digitOf } from '#shared/domain/commands.ts'
import type { Sound } from '#scanner/sound.ts'
import { choicesAskedHere, labelHere, subjectHere } from './asked-here.ts'
import { noticeOutcome } from './notice-text.ts'
import type { Notice } from './notices.svelte.ts'
import { type Readiness, readinessOf } from './readiness.ts'
import { runCommand, runPrimary } from './run-command.ts'
import { WindowParts } from './window-parts.ts'

/** Everything this window knows, and the ways between its places. Drawn by App.svelte; tested without a browser. */
export class WindowState extends WindowParts {
  readonly #readiness: Readiness
  #moved: () => void = () => undefined
  /** What the place that was opened last still reads. */
  #arriving: Promise<unknown> = Promise.resolve()

  constructor(bridge: ScandeskBridge, play: (sound: Sound) => void) {
    super(bridge, play)
    this.#readiness = readinessOf(this, () => {
      this.#moved()
    })
  }

  /** Follows the events of main until the returned function is called. */
  start(): () => void {
    const { bridge, stage, modification, setup } = this
    void setup.calibration.load()
    const stops = [
      this.app.start(),
      this.setup.scanners.list.start(),
      bridge.on('returnLabel', (label) => {
        stage.onLabel(label)
      }),
      bridge.on('modification', (booking) => {
        modification.booked.onModification(booking)
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
    this.stage.onStatus(status)
    this.modification.booked.onStatus(status)
    this.overview.onStatus()
    if (this.place.kind === 'queue') void this.queue.load()
    if (this.place.kind === 'prints') void this.prints.load()
    if (this.app.screen === 'setup') void this.setup.printers.list.follow()
  }

  protected onMoved(): void {
    this.#readiness.follow()
    this.#moved()
  }

  /** Whether closing the window would lose what was typed about a station, a printer or a scanner. */
  get holdsUnsaved(): boolean {
    return this.app.screen === 'setup' && this.setup.isChanged
  }

  /** What was typed is asked about first: while somebody looks at it. */
  #close(unsent: Closing): void {
    const ask = (left: Closing): void => {
      this.leave.ask('close', left, () => void this.bridge.app.close())
    }
    if (!this.holdsUnsaved) ask(unsent)
    else
      this.setup.close(() => {
        const { waiting, asking } = this.unsent
        // more may wait by the time that is answered
        ask({ waiting: Math.max(waiting, unsent.waiting), asking: Math.max(asking, unsent.asking) })
      })
  }

  /** Calls back whenever scans that wait may have their turn. */
  whenMoved(moved: () => void): void {
    this.#moved = moved
  }

  /** Whether all that the operator sees first has been read. */
  get isReady(): boolean {
    return this.#readiness.isReady
  }

  /** When the place that was opened last has what it needs to understand a command. */
  async arrived(): Promise<void> {
    await this.#arriving
  }

  /** One sentence about the last scan, and its sound. */
  say(notice: Notice): void {
    this.notices.say(notice)
    this.play(noticeOutcome(notice))
  }

  /** A command means nothing where the operator is. */
  refuse(command: Command): void {
    const count = digitOf(command) === null ? 0 : choicesAskedHere(this)
    this.say(count > 0 ? { kind: 'choices', count } : { kind: 'not_here', command })
  }

  /** What one operator or station saw is not the next one's. */
  async beginAnew(): Promise<void> {
    await this.#readiness.begin()
  }

  goHome(): void {
    this.places.go({ kind: 'stage' })
    this.stage.home()
  }

  /** Back to the card that stood on the stage before the place was opened. */
  goBack(): void {
    this.places.go({ kind: 'stage' })
  }

  /** Opens the modification, with what stands on the stage put in. */
  openBooking(): void {
    const { card } = this.stage
    const fromStage = this.place.kind === 'stage'
    if (this.place.kind !== 'modification') {
      this.places.go({ kind: 'modification' })
      this.#arriving = this.modification.opened()
    }
    if (fromStage && (card.kind === 'article' || card.kind === 'location')) {
      void this.modification.begin(card.outcome)
    }
  }

  openLocations(): void {
    this.places.go({ kind: 'locations' })
    void this.locations.load()
  }

  /** `text`: what was typed elsewhere to look for; null keeps what was looked for last. */
  openSearch(text: string | null): void {
    this.places.go({ kind: 'search' })
    void this.search.load(text)
  }

  openCatalogue(): void {
    this.places.go({ kind: 'catalogue' })
  }

  openStorage(): void {
    this.places.go({ kind: 'storage' })
  }

  /** An article that was chosen from a list: its card, as a scan of it would show it. */
  showArticle(variant: VariantView): void {
    this.places.go({ kind: 'stage' })
    this.stage.showArticle(variant)
  }

  /** A text that was typed in place of a scan. */
  lookUp(code: string): void {
    this.places.go({ kind: 'stage' })
    void this.stage.submit(code)
  }

  /** Opens the queue: the list of it, or the write whose facts are to be compared. */
  openQueue(commandId?: string): void {
    this.#openList('queue', () => {
      if (commandId !== undefined) this.queue.open(commandId)
    })
  }

  /** Opens the paper: the list of it, or the job that is asked about. */
  openPrints(jobId?: string): void {
    this.#openList('prints', () => {
      if (jobId !== undefined) this.prints.open(jobId)
    })
  }

  /** Opens the queue at what the card in front of the operator asks about; where it asks nothing, the list. */
  openQueueAsked(): void {
    const subject = subjectHere(this)
    this.#openList('queue', () => {
      if (subject !== undefined) this.queue.openAsked(subject)
    })
  }

  /** Opens the paper at what the label in front of the operator asks about; where it asks nothing, the list. */
  openPrintsAsked(): void {
    const labelId = labelHere(this)
    this.#openList('prints', () => {
      if (labelId !== undefined) this.prints.openAsked(labelId)
    })
  }

  #openList(kind: 'queue' | 'prints', show: () => void): void {
    const list = this[kind]
    if (this.place.kind === kind) list.close()
    this.places.go({ kind })
    this.#arriving = list.load().then(show)
  }

  /** Back from the set-up to what was open before. */
  leaveSetup(): void {
    this.setup.back(() => {
      this.app.back()
    })
  }

  /** Back from the login to the desk, which works on without one. */
  leaveLogin(): void {
    this.login.leave()
    this.app.back()
  }

  /** One step back inside the place that is open; answers whether there was one. */
  stepBack(): boolean {
    if (this.place.kind === 'queue') return this.queue.back()
    return this.place.kind === 'prints' && this.prints.back()
  }

  /** A write came out of the queue to be changed: shows it where that is done. */
  openEdit(edit: QueueEdit): void {
    if (edit.place === 'label') this.showLabel(edit.labelId)
    else if (edit.place === 'modification') {
      this.places.go({ kind: 'modification' })
      void this.modification.load()
    } else
      void this.labelForm.reset().then(() => {
        this.openForm({ kind: 'hand' })
      })
  }

  /** Ends the session, after a question where something is unsent. */
  logout(): void {
    this.leave.ask('logout', this.unsent, () => void this.app.logout())
  }

  bringBack(entry: ScanEntry): void {
    this.places.go({ kind: 'stage' })
    void this.stage.bringBack(entry)
  }

  showLabel(labelId: string): void {
    this.places.go({ kind: 'stage' })
    void this.stage.showLabel(labelId)
  }

  /** A label was made or changed in its form: on the card it was opened from, if that still stands. */
  showMade(label: ReturnLabelView): void {
    // before the stage is seen again: the card that stood there, printed perhaps, is of another label
    this.stage.onLabel(label)
    if (this.stage.label?.id !== label.id) this.stage.showMade(label)
    this.goBack()
  }

  openForm(subject: LabelFormSubject): void {
    this.places.go({ kind: 'label_form' })
    this.#arriving = this.labelForm.open(subject)
  }

  showModification(id: string): void {
    this.places.go({ kind: 'stage' })
    this.stage.showModification(id)
  }

  /** The large button of a booking's card: what was refused or disapproved becomes the draft again, where it can be corrected. */
  takeBack(id: string): void {
    if (!this.modification.isRefused(id)) this.play('look')
    else this.correct(id)
  }

  /** A booking that was refused or disapproved: its facts become the draft, where they can be corrected. */
  correct(id: string): void {
    void this.modification.takeBack(id).then((taken) => {
      if (taken) this.openBooking()
    })
  }

  /** The large button, Enter and PRIMARY, wherever the operator is. */
  runPrimary(): void {
    runPrimary(this)
  }

  /** A command that is about no card, wherever the operator is. */
  run(command: Command): void {
    runCommand(this, command)
  }
}
