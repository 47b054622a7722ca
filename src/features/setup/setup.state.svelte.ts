import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ProvisioningView, SetupNotice } from '#shared/bridge/setup-views.ts'
import type { ConnectionTest, StationDraft, StationView } from '#shared/bridge/views.ts'
import type { StationField } from '#shared/domain/station-fields.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { CalibrationState } from './calibration.state.svelte.ts'
import { LeaveQuestion } from './leave-question.svelte.ts'
import { type FieldFault, NewStation } from './new-station.svelte.ts'
import { PrintersState } from './printers.state.svelte.ts'
import { ScannersState } from './scanners.state.svelte.ts'
import { TestPageState } from './test-page.state.svelte.ts'

/** What a test sends in place of a name not thought of yet: main's contract asks for one, and nothing shows it. */
const namelessDraft = '-'

/** What is set up: the server of a station, or the scanners or printers of this computer. */
export type SetupPart = 'server' | 'scanner' | 'printer'

/** The stations of this computer, and the form for a new one. */
export class SetupState {
  readonly #station = new NewStation()
  readonly #leaving = new LeaveQuestion()
  readonly printers: PrintersState
  readonly scanners: ScannersState
  readonly testPage: TestPageState
  readonly calibration: CalibrationState
  readonly #bridge: ScandeskBridge
  readonly #onUsed: (station: StationView) => void
  readonly #beforeLeaving: (go: () => void) => void
  #part = $state<SetupPart>('server')
  #provisioning = $state.raw<ProvisioningView | null>(null)
  #notice = $state.raw<SetupNotice | null>(null)
  #stations = $state.raw<readonly StationView[]>([])
  #currentId = $state<string | null>(null)
  #test = $state.raw<ConnectionTest | null>(null)
  #busy = $state<'test' | 'save' | null>(null)
  #failure = $state.raw<Failure | null>(null)

  /** `beforeLeaving`: asks before the station in use is left, and goes on or not. */
  constructor(
    bridge: ScandeskBridge,
    onUsed: (station: StationView) => void,
    beforeLeaving: (go: () => void) => void = (go) => {
      go()
    },
  ) {
    this.#bridge = bridge
    this.printers = new PrintersState(bridge)
    this.scanners = new ScannersState(bridge)
    this.testPage = new TestPageState(bridge)
    this.calibration = new CalibrationState(bridge)
    this.#onUsed = onUsed
    this.#beforeLeaving = beforeLeaving
  }

  get part(): SetupPart {
    return this.#part
  }
  /** What is typed about a new station; it stays while the set-up is closed and opened. */
  get draft(): StationDraft {
    return this.#station.fields
  }
  /** Whether it is asked what becomes of a new station that was typed. */
  get asksAboutStation(): boolean {
    return this.#leaving.isOpen
  }
  /** The station in use; null until it is read. */
  get current(): StationView | null {
    return this.#stations.find(({ id }) => id === this.#currentId) ?? null
  }
  /** The file that set this desk up, where there is one. */
  get provisioning(): ProvisioningView | null {
    return this.#provisioning?.state === 'none' ? null : this.#provisioning
  }
  /** Settings that were lost and neither repaired nor acknowledged. */
  get lost(): SetupNotice['lost'] {
    return this.#notice?.lost ?? null
  }
  /** Whether the station is in use because somebody wants it so, and not the sandbox because nothing else is left. */
  isInUse(station: StationView): boolean {
    const isLeft = station.environment === 'sandbox' && (this.lost ?? this.#notice?.refused ?? null) !== null
    return station.id === this.#currentId && !isLeft
  }
  get stations(): readonly StationView[] {
    return this.#stations
  }
  get currentId(): string | null {
    return this.#currentId
  }
  /** Result of the last test; null before one, and after the draft changed. */
  get test(): ConnectionTest | null {
    return this.#test
  }
  get busy(): 'test' | 'save' | null {
    return this.#busy
  }
  get failure(): Failure | null {
    return this.#failure
  }

  /** What is wrong with a field for the action last tried. */
  faultOf(field: StationField): FieldFault | null {
    return this.#station.faultOf(field)
  }

  async load(): Promise<void> {
    const { app, station } = this.#bridge
    const [list, current, file, notice] = await Promise.all([
      station.list(),
      station.current(),
      app.provisioning(),
      app.setupNotice(),
    ])
    if (notice.ok) this.#notice = notice.value
    if (file.ok) this.#provisioning = file.value
    if (list.ok) this.#stations = list.value
    if (current.ok) this.#currentId = current.value.id
    this.#failure = list.ok ? null : list.error
  }

  /** Whether something that was typed would be lost by closing the window. */
  get isChanged(): boolean {
    return this.#open.isChanged || this.#station.isTyped
  }

  /** Shows the other part, once nothing unsaved is left behind. */
  openPart(part: SetupPart): void {
    this.leave(() => {
      this.#part = part
    })
  }

  /** Goes elsewhere, after a question where something was not saved that would not be there afterwards. */
  leave(go: () => void): void {
    this.stay()
    this.#open.leave(go)
  }

  /** Goes for good: of a new station too is asked, where it was typed. */
  close(go: () => void): void {
    this.leave(() => {
      if (!this.#station.isTyped) go()
      else {
        this.#part = 'server'
        this.#leaving.ask(go)
      }
    })
  }

  /** One step back: an open question is answered by staying, else all of it is left. */
  back(go: () => void): void {
    if (this.asksAboutStation) this.stay()
    else if (this.#open.question === null) this.leave(go)
    else this.#open.stay()
  }

  /** Goes on typing the new station. */
  stay(): void {
    this.#leaving.close()
  }

  /** Forgets the new station, and goes where somebody wanted to go. */
  discard(): void {
    const go = this.#leaving.close()
    this.#station.clear()
    go()
  }

  /** Keeps the new station beside the one in use, and goes where somebody wanted to go. */
  async saveAndGo(): Promise<void> {
    const go = this.#leaving.close()
    await this.#withDraft('save', async (draft) => {
      if (await this.#save(draft)) go()
    })
  }

  /** Fills in a server named on the command line, unless somebody already typed one. */
  suggest(baseUrl: string | null): void {
    if (baseUrl !== null) this.#station.suggest(baseUrl)
  }

  /** A result belongs to what was tested, a question to what was typed. */
  draftChanged(): void {
    this.#test = null
    this.#failure = null
    this.stay()
  }

  async runTest(): Promise<void> {
    await this.#withDraft('test', async (draft) => {
      const result = await this.#bridge.station.test({ ...draft, name: draft.name || namelessDraft })
      if (result.ok) this.#test = result.value
      else this.#failure = result.error
    })
  }

  async saveAndUse(): Promise<void> {
    await this.#withDraft('save', async (draft) => {
      const kept = await this.#save(draft)
      if (kept) await this.use(kept.id)
    })
  }

  /** Resolves when the station is in use, or when it is asked whether the one before may be left. */
  async use(id: string): Promise<void> {
    let used = Promise.resolve()
    const go = (): void => {
      used = this.#use(id)
    }
    if (id === this.#currentId) go()
    else this.#beforeLeaving(go)
    await used
  }

  async #use(id: string): Promise<void> {
    const result = await this.#bridge.station.use({ id })
    if (result.ok) this.#onUsed(result.value)
    else this.#failure = result.error
  }

  async remove(id: string): Promise<void> {
    const result = await this.#bridge.station.remove({ id })
    if (result.ok) this.#stations = result.value
    this.#failure = result.ok ? null : result.error
  }

  /** The list of the part that is open; the server has nothing that is asked about. */
  get #open(): PrintersState | ScannersState {
    return this.#part === 'scanner' ? this.scanners : this.printers
  }

  /** Answers with what was kept; null: nothing was. */
  async #save(draft: StationDraft): Promise<StationView | null> {
    const saved = await this.#bridge.station.save(draft)
    if (saved.ok) this.#station.clear()
    else this.#failure = saved.error
    return saved.ok ? saved.value : null
  }

  async #withDraft(busy: 'test' | 'save', run: (draft: StationDraft) => Promise<void>): Promise<void> {
    if (this.#busy !== null || !this.#station.isReadyTo(busy)) return
    this.#busy = busy
    this.#test = null
    this.#failure = null
    await run(this.#station.trimmed)
    this.#busy = null
  }
}
