import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ProvisioningView, SetupNotice } from '#shared/bridge/setup-views.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { CalibrationState } from './calibration.state.svelte.ts'
import type { Pane } from './pane-list.svelte.ts'
import { PrintersState } from './printers.state.svelte.ts'
import { ScannersState } from './scanners.state.svelte.ts'
import { SpeedState } from './speed.state.svelte.ts'
import { StationsState } from './stations.state.svelte.ts'
import { SupportState } from './support.state.svelte.ts'
import { TestPageState } from './test-page.state.svelte.ts'

/**
 * The parts of the set-up: the server of a station, the scanners or printers of this computer, its settings, its speed
 * today, and the support.
 */
export type SetupPart = PanePart | 'computer' | 'speed' | 'support'
/** Parts with input that may be unsaved; a change of the settings is saved at once. */
type PanePart = 'server' | 'scanner' | 'printer'

/** The set-up of this computer: its pages, and the effects of a set-up file. */
export class SetupState {
  readonly server: StationsState
  readonly printers: PrintersState
  readonly scanners: ScannersState
  readonly testPage: TestPageState
  readonly calibration: CalibrationState
  readonly speed: SpeedState
  readonly support: SupportState
  readonly #bridge: ScandeskBridge
  /** The pane of each part, which asks before the part is left. */
  readonly #panes: Readonly<Record<PanePart, Pane>>
  #part = $state<SetupPart>('server')
  #provisioning = $state.raw<ProvisioningView | null>(null)
  #notice = $state.raw<SetupNotice | null>(null)

  /** `beforeLeaving`: asks before the station in use is left, and then continues or not. */
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
    this.speed = new SpeedState(bridge)
    this.support = new SupportState(bridge)
    this.#panes = { server: this.server, scanner: this.scanners, printer: this.printers }
  }

  get part(): SetupPart {
    return this.#part
  }
  get stations(): readonly StationView[] {
    return this.server.list
  }
  /** The file that set up this desk, if there is one. */
  get provisioning(): ProvisioningView | null {
    return this.#provisioning?.state === 'none' ? null : this.#provisioning
  }
  /** Settings that were lost and neither repaired nor acknowledged. */
  get lost(): SetupNotice['lost'] {
    return this.#notice?.lost ?? null
  }
  /** Whether closing the window would lose input. */
  get isChanged(): boolean {
    return Object.values(this.#panes).some(({ isChanged }) => isChanged)
  }

  /**
   * Whether an operator chose the station in use. False for the sandbox if it is only used because no other station is
   * left.
   */
  isInUse(station: StationView): boolean {
    const isLeft = station.environment === 'sandbox' && (this.lost ?? this.#notice?.refused ?? null) !== null
    return station.id === this.server.currentId && !isLeft
  }

  async load(): Promise<void> {
    const { app } = this.#bridge
    const [file, notice] = await Promise.all([app.provisioning(), app.setupNotice()])
    if (notice.ok) this.#notice = notice.value
    if (file.ok) this.#provisioning = file.value
    // after the notice, which decides whether the sandbox counts as in use
    await this.server.load()
  }

  async use(stationId: string): Promise<void> {
    await this.server.use(stationId)
  }

  /** Fills in the server from the command line; null: none was given. */
  suggest(baseUrl: string | null): void {
    if (baseUrl !== null) this.server.suggest(baseUrl)
  }

  /** Shows the other part after the operator has settled unsaved input. */
  openPart(part: SetupPart): void {
    this.leave(() => {
      this.#part = part
    })
  }

  /** Calls `go`, after a question if unsaved input would be lost. */
  leave(go: () => void): void {
    this.server.stay()
    const pane = this.#pane
    // the input for a new station is still there afterwards
    if (pane === null || this.#part === 'server') go()
    else pane.leave(go)
  }

  /** Leaves the set-up: asks also about a new station that was typed. */
  close(go: () => void): void {
    this.leave(() => {
      if (this.server.isChanged) this.#part = 'server'
      this.server.leave(go)
    })
  }

  /** Goes one step back: it closes an open question without leaving, otherwise it leaves the set-up. */
  back(go: () => void): void {
    const open = this.#pane
    if (open === null || open.question === null) this.leave(go)
    else open.stay()
  }

  get #pane(): Pane | null {
    const part = this.#part
    return part === 'server' || part === 'scanner' || part === 'printer' ? this.#panes[part] : null
  }
}
