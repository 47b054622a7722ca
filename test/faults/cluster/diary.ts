/** What the processes acknowledged to the clients of a run: the promises that the database has to keep. */
export class Diary {
  /** In the order of their acknowledgements. */
  readonly orders: { readonly id: string; readonly reference: string }[] = []
  /** Notes of orders: a later note of an order is a higher number. */
  readonly notes: { readonly order: string; readonly note: number }[] = []
  readonly cancelledOrders = new Set<string>()
  readonly labels = new Set<string>()
  readonly requestedLabels = new Set<string>()
  readonly cancelledLabels = new Set<string>()
  /** Shipments that have a label of the shipment. */
  readonly labelledShipments = new Set<string>()
  readonly inbounds = new Set<string>()
  readonly modifications = new Set<string>()
  /** With the number of orders that were acknowledged before the export was asked for. */
  readonly exports = new Map<string, number>()
  readonly webhooks = new Set<string>()
  /** Refresh tokens that two calls exchanged. */
  refreshedTwice = 0
  /** Valid tokens that were refused. */
  readonly refusedTokens: string[] = []
  /** Calls without a response, or with one that the database was lost. */
  ambiguous = 0
  /** Further calls that the service refused, as it may. */
  refused = 0
  /** Responses that no fault explains. */
  readonly problems: string[] = []
  #acknowledged = 0
  #watch: { readonly wanted: number; readonly resolve: () => void } | null = null

  get acknowledged(): number {
    return this.#acknowledged
  }

  /** Called for each acknowledged write. */
  acknowledge(): void {
    this.#acknowledged += 1
    if (this.#watch !== null && this.#acknowledged >= this.#watch.wanted) this.#watch.resolve()
  }

  /** Resolves when this number of further writes is acknowledged, in the same turn as the last of them. */
  acknowledgedFromNow(writes: number): Promise<void> {
    const wanted = this.#acknowledged + writes
    return new Promise((resolve) => (this.#watch = { wanted, resolve }))
  }
}
