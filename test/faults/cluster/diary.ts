/**
 * The writes that the processes acknowledged to the clients of a run, or that the clients found at the service after a
 * call without a response. The database must contain all of them.
 */
export class Diary {
  /** Ids and references of the created orders, in the order of their acknowledgements. */
  readonly orders: { readonly id: string; readonly reference: string }[] = []
  /** Notes of orders. A note is a number, and each later note of an order is a higher number. */
  readonly notes: { readonly order: string; readonly note: number }[] = []
  readonly cancelledOrders = new Set<string>()
  readonly labels = new Set<string>()
  readonly requestedLabels = new Set<string>()
  readonly cancelledLabels = new Set<string>()
  /** Ids of shipments for which a return label was acknowledged. */
  readonly labelledShipments = new Set<string>()
  readonly inbounds = new Set<string>()
  readonly modifications = new Set<string>()
  /** Exports by their id, with the number of orders that were acknowledged before the export was requested. */
  readonly exports = new Map<string, number>()
  readonly webhooks = new Set<string>()
  /** Number of refresh tokens for which two calls got new tokens. This is not allowed. */
  refreshedTwice = 0
  /** Descriptions of calls that were refused although their token was valid. */
  readonly refusedTokens: string[] = []
  /**
   * Number of calls with an unknown outcome: no response, or a response that says that the database cannot be reached.
   */
  ambiguous = 0
  /**
   * Number of calls that a process refused for an allowed reason, such as the change of an order that the warehouse has
   * started to work on.
   */
  refused = 0
  /** Descriptions of responses that cannot be explained by a fault. */
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

  /**
   * Resolves when this number of further writes was acknowledged. Resolves in the same turn of the event loop as the
   * last of these acknowledgements.
   */
  acknowledgedFromNow(writes: number): Promise<void> {
    const wanted = this.#acknowledged + writes
    return new Promise((resolve) => (this.#watch = { wanted, resolve }))
  }
}
