import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { MethodList, ShippingMethodView } from '#shared/bridge/stock-views.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** The choice of one of the stored shipping methods. */
export class MethodChoice {
  /** Text to find in the shipper, the description or the code of a method. */
  filter = $state('')
  readonly #bridge: ScandeskBridge
  #list = $state.raw<MethodList | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #chosenId = $state<string | null>(null)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** The methods; null until they are read. */
  get list(): MethodList | null {
    return this.#list
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /**
   * Id of the chosen method. If it is null, no method is chosen: for the label of a shipment the service then uses its
   * default method, and any other label cannot be made.
   */
  get chosenId(): string | null {
    return this.#chosenId
  }
  /** Methods that contain every word of the filter, sorted by shipper and description. */
  get found(): readonly ShippingMethodView[] {
    const words = foldText(this.filter)
      .split(/\s+/)
      .filter((word) => word !== '')
    return (this.#list?.methods ?? [])
      .filter((method) => {
        const text = foldText(`${method.shipper} ${method.description} ${method.code}`)
        return words.every((word) => text.includes(word))
      })
      .toSorted((a, b) => a.shipper.localeCompare(b.shipper) || a.description.localeCompare(b.description))
  }

  async load(): Promise<void> {
    const result = await this.#bridge.catalogue.methods()
    if (result.ok) this.#list = result.value
    this.#failure = result.ok ? null : result.error
  }

  choose(id: string | null): void {
    this.#chosenId = id
  }
}
