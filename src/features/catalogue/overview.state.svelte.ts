import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LocationTypeList, MethodList } from '#shared/bridge/stock-views.ts'
import type { CatalogueOverview } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

/** How often all lots may be read, in hours. */
const lotHours = [1, 3, 6, 12, 24]
/** How far back shipments may be kept, in months. */
const shipmentMonths = [1, 3, 6, 12, 24]

/** One that was set elsewhere is among the usual ones. */
function withSet(usual: readonly number[], set: number): readonly number[] {
  return usual.includes(set) ? usual : [...usual, set].toSorted((a, b) => a - b)
}

/** How all that is kept of the service is doing. */
export class OverviewState implements Place {
  readonly #bridge: ScandeskBridge
  #overview = $state.raw<CatalogueOverview | null>(null)
  #methods = $state.raw<MethodList | null>(null)
  #types = $state.raw<LocationTypeList | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #syncing = $state(false)
  #saving = $state(false)
  #isOpen = false
  #reading = false
  /** Something changed while it was read. */
  #again = false
  /** Another operator or station: answers to what this one asked are not the next one's. */
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
  /** Why the last thing that was asked here failed. */
  get failure(): Failure | null {
    return this.#failure
  }
  /** Whether what was asked with `sync` is on its way. */
  get syncing(): boolean {
    return this.#syncing
  }
  get saving(): boolean {
    return this.#saving
  }
  /** The periods to choose from; one that was set elsewhere is among them. */
  get lotHours(): readonly number[] {
    return withSet(lotHours, this.#overview?.lots.everyHours ?? 1)
  }
  get shipmentMonths(): readonly number[] {
    return withSet(shipmentMonths, this.#overview?.shipments.months ?? 1)
  }

  /** Reads, and keeps up with what changes, until the returned function is called. */
  open(): () => void {
    this.#isOpen = true
    void this.load()
    return () => {
      this.#isOpen = false
    }
  }

  /** Something of the desk moved on: progress among it. */
  onStatus(): void {
    if (this.#isOpen) void this.load()
  }

  /** One read at a time; what changes meanwhile is read once after it. */
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
    if (overview.ok) this.#overview = overview.value
    else this.#failure = overview.error
    if (methods.ok) this.#methods = methods.value
    if (types.ok) this.#types = types.value
  }
}
