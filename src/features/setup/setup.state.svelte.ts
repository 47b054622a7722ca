import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ProvisioningView, SetupNotice } from '#shared/bridge/setup-views.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { CalibrationState } from './calibration.state.svelte.ts'
import type { Pane } from './pane-list.svelte.ts'
import { PrintersState } from './printers.state.svelte.ts'
import { ScannersState } from './scanners.state.svelte.ts'
import { StationsState } from './stations.state.svelte.ts'
import { SupportState } from './support.state.svelte.ts'
import { TestPageState } from './test-page.state.svelte.ts'

/** What is set up: the server of a station, the scanners or printers of this computer, or its settings; and what support asks for. */
export type SetupPart = 'server' | 'scanner' | 'printer' | 'computer' | 'support'
/** Parts where something is typed that may be left unsaved; the settings are kept as they are changed. */
type PanePart = Exclude<SetupPart, 'computer' | 'support'>

/** The set-up of this computer: its pages, and what a set-up file did to it. */
export class SetupState {
  readonly server: StationsState
  readonly printers: PrintersState
  readonly scanners: ScannersState
  readonly testPage: TestPageState
  readonly calibration: CalibrationState
  readonly support: SupportState
  readonly #bridge: ScandeskBridge
  /** What each part asks about before it is left. */
  readonly #panes: Readonly<Record<PanePart, Pane>>
  #part = $state<SetupPart>('server')
  #provisioning = $state.raw<ProvisioningView | null>(null)
  #notice = $state.raw<SetupNotice | null>(null)

  /** `beforeLeaving`: asks before the station in use is left, and goes on or not. */
  constructor(
    bridge: ScandeskBridge,
    onUsed: (station: StationView) => void,
    beforeLeaving: (go: () => void) => void = (go) => {
      go()
    },
  ) {
    this.#bridge = bridge
    this.server = new StationsState({ bridge, onUsed, beforeLeaving })
    this.printers = new PrintersState(bridge)
    this.scanners = new ScannersState(bridge)
    this.testPage = new TestPageState(bridge)
    this.calibration = new CalibrationState(bridge)
    this.support = new SupportState(bridge)
    this.#panes = { server: this.server, scanner: this.scanners, printer: this.printers }
  }

  get part(): SetupPart {
    return this.#part
  }
  get stations(): readonly StationView[] {
    return this.server.list
  }
  /** The file that set this desk up, where there is one. */
  get provisioning(): ProvisioningView | null {
    return this.#provisioning?.state === 'none' ? null : this.#provisioning
  }
  /** Settings that were lost and neither repaired nor acknowledged. */
  get lost(): SetupNotice['lost'] {
    return this.#notice?.lost ?? null
  }
  /** Whether something that was typed would be lost by closing the window. */
  get isChanged(): boolean {
    return Object.values(this.#panes).some(({ isChanged }) => isChanged)
  }

  /** Whether the station is in use because somebody wants it so, and not the sandbox because nothing else is left. */
  isInUse(station: StationView): boolean {
    const isLeft = station.environment === 'sandbox' && (this.lost ?? this.#notice?.refused ?? null) !== null
    return station.id === this.server.currentId && !isLeft
  }

  async load(): Promise<void> {
    const { app } = this.#bridge
    const [file, notice] = await Promise.all([app.provisioning(), app.setupNotice()])
    if (notice.ok) this.#notice = notice.value
    if (file.ok) this.#provisioning = file.value
    // behind the notice, which decides whether the sandbox counts as in use
    await this.server.load()
  }

  async use(stationId: string): Promise<void> {
    await this.server.use(stationId)
  }

  /** Fills in a server named on the command line; null: none is. */
  suggest(baseUrl: string | null): void {
    if (baseUrl !== null) this.server.suggest(baseUrl)
  }

  /** Shows the other part, once nothing unsaved is left behind. */
  openPart(part: SetupPart): void {
    this.leave(() => {
      this.#part = part
    })
  }

  /** Goes elsewhere, after a question where something was not saved that would not be there afterwards. */
  leave(go: () => void): void {
    this.server.stay()
    const pane = this.#pane
    // a new station that was typed is still there afterwards
    if (pane === null || this.#part === 'server') go()
    else pane.leave(go)
  }

  /** Goes for good: of a new station too is asked, where it was typed. */
  close(go: () => void): void {
    this.leave(() => {
      if (this.server.isChanged) this.#part = 'server'
      this.server.leave(go)
    })
  }

  /** One step back: an open question is answered by staying, else all of it is left. */
  back(go: () => void): void {
    const open = this.#pane
    if (open === null || open.question === null) this.leave(go)
    else open.stay()
  }

  get #pane(): Pane | null {
    return this.#part === 'computer' || this.#part === 'support' ? null : this.#panes[this.#part]
  }
}
