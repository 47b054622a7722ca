import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { MethodList, ShippingMethodView } from '#shared/bridge/stock-views.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** Which of the shipping methods kept here is to be used. */
export class MethodChoice {
  /** Part of a shipper, description or code. */
  filter = $state('')
  readonly #bridge: ScandeskBridge
  #list = $state.raw<MethodList | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #chosenId = $state<string | null>(null)

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** Null until it is read. */
  get list(): MethodList | null {
    return this.#list
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** Null: the service's default for the shipment, or none chosen yet. */
  get chosenId(): string | null {
    return this.#chosenId
  }
  /** Those that hold every word of the filter, by shipper and description. */
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
