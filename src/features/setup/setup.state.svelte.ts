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
 * The pages of the set-up: the server of a station, the scanners and the printers of this computer, its settings, the
 * speed measured today, and the support.
 */
export type SetupPart = PanePart | 'computer' | 'speed' | 'support'
/** The pages that may have unsaved input. The page of the settings saves each change at once. */
type PanePart = 'server' | 'scanner' | 'printer'

/** The state of the set-up of this computer: its pages, and the result of the set-up file. */
export class SetupState {
  readonly server: StationsState
  readonly printers: PrintersState
  readonly scanners: ScannersState
  readonly testPage: TestPageState
  readonly calibration: CalibrationState
  readonly speed: SpeedState
  readonly support: SupportState
  readonly #bridge: ScandeskBridge
  /**
   * For each page of the set-up that may have unsaved input, its form. The form asks the operator before this input
   * would be lost.
   */
  readonly #panes: Readonly<Record<PanePart, Pane>>
  #part = $state<SetupPart>('server')
  #provisioning = $state.raw<ProvisioningView | null>(null)
  #notice = $state.raw<SetupNotice | null>(null)

  /**
   * @param beforeLeaving - asks the operator before another station is used, and calls `go` if the operator agrees.
   * @param saveInput - saves the unsaved input of all places before another station is used.
   */
  constructor(
    bridge: ScandeskBridge,
    onUsed: (station: StationView) => void,
    beforeLeaving: (go: () => void) => void = (go) => {
      go()
    },
    saveInput: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#bridge = bridge
    this.server = new StationsState({ bridge, onUsed, beforeLeaving, saveInput })
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
  /** The result of the set-up file; null if this computer has no set-up file. */
  get provisioning(): ProvisioningView | null {
    return this.#provisioning?.state === 'none' ? null : this.#provisioning
  }
  /** Settings that were lost and are neither repaired nor acknowledged. */
  get lost(): SetupNotice['lost'] {
    return this.#notice?.lost ?? null
  }
  /** Whether closing the window would lose unsaved input. */
  get isChanged(): boolean {
    return Object.values(this.#panes).some(({ isChanged }) => isChanged)
  }

  /**
   * Whether this station is in use. Returns false for the sandbox while there is a notice about refused or lost
   * settings, because then the sandbox may only be in use in place of a refused or lost station.
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
    // the stations are read after the notice about refused or lost settings, because `isInUse` returns false for the
    // sandbox while there is such a notice
    await this.server.load()
  }

  async use(stationId: string): Promise<void> {
    await this.server.use(stationId)
  }

  /** Fills in the server address from the command line. `baseUrl` null: the command line has none. */
  suggest(baseUrl: string | null): void {
    if (baseUrl !== null) this.server.suggest(baseUrl)
  }

  /** Opens another page. If unsaved input would be lost, asks the operator first. */
  openPart(part: SetupPart): void {
    this.leave(() => {
      this.#part = part
    })
  }

  /** Calls `go`. If unsaved input would be lost, asks the operator first. */
  leave(go: () => void): void {
    this.server.stay()
    const pane = this.#pane
    // leaving the page of the server loses no input, because the typed station stays there
    if (pane === null || this.#part === 'server') go()
    else pane.leave(go)
  }

  /**
   * Called before the window closes. Asks the operator about all unsaved input of the set-up first, including a typed
   * station, and then calls `go`.
   */
  close(go: () => void): void {
    this.leave(() => {
      if (this.server.isChanged) this.#part = 'server'
      this.server.leave(go)
    })
  }

  /** Goes one step back: closes an open question, or leaves the page if there is no question. */
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
