import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LocationTypeList, MethodList } from '#shared/bridge/stock-views.ts'
import type { CatalogueOverview } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

/** The choices for the interval at which all lots are read, in hours. */
const lotHours = [1, 3, 6, 12, 24]
/** The choices for how far back shipments are kept, in months. */
const shipmentMonths = [1, 3, 6, 12, 24]

/** Adds the stored value to the usual choices, because the bridge also accepts other values. */
function withSet(usual: readonly number[], set: number): readonly number[] {
  return usual.includes(set) ? usual : [...usual, set].toSorted((a, b) => a - b)
}

/** The state of all data of the service that this desk keeps. */
export class OverviewState implements Place {
  readonly #bridge: ScandeskBridge
  #overview = $state.raw<CatalogueOverview | null>(null)
  #methods = $state.raw<MethodList | null>(null)
  #types = $state.raw<LocationTypeList | null>(null)
  /** The failure of the last change or sync. */
  #failure = $state.raw<Failure | null>(null)
  /** The failure of the last read of the overview. */
  #unread = $state.raw<Failure | null>(null)
  #syncing = $state(false)
  #saving = $state(false)
  #isOpen = false
  #reading = false
  /** Whether a change was reported during the current read of the overview. */
  #again = false
  /**
   * Changes whenever the operator or the station changes, so that a response for the previous operator or station is
   * dropped.
   */
  #visit = 0

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  get overview(): CatalogueOverview | null {
    return this.#overview
  }
  get methods(): MethodList | null {
    return this.#methods
  }
  get types(): LocationTypeList | null {
    return this.#types
  }
  /**
   * The failure of the last change or sync, otherwise the failure of the last read of the overview; null if there is
   * none.
   */
  get failure(): Failure | null {
    return this.#failure ?? this.#unread
  }
  /** Whether the call `sync` is under way. */
  get syncing(): boolean {
    return this.#syncing
  }
  get saving(): boolean {
    return this.#saving
  }
  /** The intervals to choose from, in hours, including the stored value. */
  get lotHours(): readonly number[] {
    return withSet(lotHours, this.#overview?.lots.everyHours ?? 1)
  }
  get shipmentMonths(): readonly number[] {
    return withSet(shipmentMonths, this.#overview?.shipments.months ?? 1)
  }

  /** Reads the overview and follows its changes, until the returned function is called. */
  open(): () => void {
    this.#isOpen = true
    void this.load()
    return () => {
      this.#isOpen = false
    }
  }

  /**
   * Handles a new status of the desk. If the overview is open, reads it again, because a status is also sent when a
   * read makes progress.
   */
  onStatus(): void {
    if (this.#isOpen) void this.load()
  }

  /**
   * Reads the overview; at most one read runs at a time. However many calls arrive during a read, one more read
   * follows.
   */
  async load(): Promise<void> {
    this.#again = true
    if (this.#reading) return
    this.#reading = true
    while (this.#again) {
      this.#again = false
      await this.#read()
    }
    this.#reading = false
  }

  async sync(): Promise<void> {
    if (this.#syncing) return
    this.#syncing = true
    const result = await this.#bridge.catalogue.sync()
    this.#syncing = false
    this.#failure = result.ok ? null : result.error
    await this.load()
  }

  keepLots(everyHours: number): Promise<void> {
    return this.#keep(() => this.#bridge.catalogue.keepLots({ everyHours }))
  }

  keepShipments(months: number): Promise<void> {
    return this.#keep(() => this.#bridge.catalogue.keepShipments({ months }))
  }

  async #keep(call: () => Promise<Result<CatalogueOverview>>): Promise<void> {
    if (this.#saving) return
    this.#saving = true
    const result = await call()
    this.#saving = false
    this.#failure = result.ok ? null : result.error
    if (result.ok) this.#overview = result.value
  }

  reset(): void {
    this.#visit += 1
    this.#overview = null
    this.#methods = null
    this.#types = null
    this.#failure = null
    this.#unread = null
  }

  async #read(): Promise<void> {
    const { catalogue, location } = this.#bridge
    const visit = this.#visit
    const [overview, methods, types] = await Promise.all([
      catalogue.overview(),
      catalogue.methods(),
      location.types(),
    ])
    if (visit !== this.#visit) return
    this.#unread = overview.ok ? null : overview.error
    if (overview.ok) this.#overview = overview.value
    if (methods.ok) this.#methods = methods.value
    if (types.ok) this.#types = types.value
  }
}
