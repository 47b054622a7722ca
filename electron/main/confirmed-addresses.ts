import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { PrinterEntry } from '#shared/bridge/printer-views.ts'
import { addressesOf, hostOf, printerAddress, serviceAddress } from './addresses.ts'
import type { SettingsStore } from './settings.ts'

/** A question about one address. `host`: the host and port that the question shows. */
export interface AddressQuestion {
  readonly use: 'service' | 'printer'
  readonly host: string
}

interface ConfirmedAddressesParts {
  readonly settings: SettingsStore
  /** Asks in a dialog that the page can neither draw nor accept; resolves to false if the person cancels. */
  readonly ask: (question: AddressQuestion) => Promise<boolean>
  /** Monotonic milliseconds. */
  readonly ticks?: () => number
}

/**
 * If a person cancels this number of questions within `restMs`, no question is shown for the next `restMs`
 * (milliseconds).
 */
const mostCancelled = 3
const restMs = 60_000

/**
 * The addresses to which main sends data that the page can read: addresses of services and of printers on the network.
 * A compromised page could save a station or a printer of its own, to send out the data that it reads. Therefore a
 * person at this PC confirms each address before the first connection, in a dialog of the system. The list of confirmed
 * addresses is in settings.json, and no call of the bridge writes it. Addresses in an administrator's set-up file need
 * no confirmation (`provisioning.ts`).
 *
 * An address that neither a station nor a printer uses is removed from the list at the next change, so that the list
 * stays short.
 *
 * Errors of the methods that ask: setup.not_confirmed {host}; setup.question_open {host}; setup.too_many_questions
 * {seconds}. In setup.question_open, {host} is the host about which the open question asks.
 */
export class ConfirmedAddresses {
  readonly #settings: SettingsStore
  readonly #ask: ConfirmedAddressesParts['ask']
  readonly #ticks: () => number
  #open: { readonly address: string; readonly isConfirmed: Promise<boolean> } | null = null
  /** The times at which the most recent questions were cancelled, in monotonic milliseconds. */
  #cancelled: number[] = []
  #restsUntil = -Infinity

  constructor({ settings, ask, ticks = () => performance.now() }: ConfirmedAddressesParts) {
    this.#settings = settings
    this.#ask = ask
    this.#ticks = ticks
  }

  /**
   * Asks the person at this PC to confirm the address of the service at this normalised base URL. Does not ask if the
   * address is already confirmed or belongs to the embedded middleware.
   */
  confirmService(baseUrl: string): Promise<Result<undefined>> {
    const address = serviceAddress(baseUrl)
    return this.#confirm('service', address === null ? [] : [address])
  }

  /** Asks about each new address of these printers in turn. Stores all new addresses as confirmed, or none of them. */
  confirmPrinters(printers: readonly Pick<PrinterEntry, 'settings'>[]): Promise<Result<undefined>> {
    const addresses = printers.map(({ settings }) => printerAddress(settings)).filter((one) => one !== null)
    return this.#confirm('printer', addresses)
  }

  /** Removes confirmed addresses that neither a station nor a printer uses. */
  forgetUnused(): void {
    const { confirmedAddresses: before } = this.#settings.read()
    const used = this.#used()
    if (used.length < before.length) this.#settings.update({ confirmedAddresses: used })
  }

  async #confirm(use: AddressQuestion['use'], addresses: readonly string[]): Promise<Result<undefined>> {
    const { confirmedAddresses } = this.#settings.read()
    const asked = [...new Set(addresses)].filter((address) => !confirmedAddresses.includes(address))
    for (const address of asked) {
      const answer = await this.#askOnce(use, address)
      if (!answer.ok) return answer
    }
    if (asked.length > 0)
      this.#settings.update({ confirmedAddresses: [...new Set([...this.#used(), ...asked])] })
    return ok(undefined)
  }

  async #askOnce(use: AddressQuestion['use'], address: string): Promise<Result<undefined>> {
    const host = hostOf(address)
    if (this.#open && this.#open.address !== address)
      return fail('setup.question_open', { host: hostOf(this.#open.address) })
    const restMsLeft = this.#restsUntil - this.#ticks()
    if (restMsLeft > 0) return fail('setup.too_many_questions', { seconds: Math.ceil(restMsLeft / 1000) })
    // calls about the same address share one question and its answer
    this.#open ??= {
      address,
      isConfirmed: this.#asked({ use, host }).finally(() => (this.#open = null)),
    }
    return (await this.#open.isConfirmed) ? ok(undefined) : fail('setup.not_confirmed', { host })
  }

  async #asked(question: AddressQuestion): Promise<boolean> {
    const isConfirmed = await this.#ask(question)
    if (!isConfirmed) this.#noteCancelled()
    return isConfirmed
  }

  #noteCancelled(): void {
    const now = this.#ticks()
    this.#cancelled = [...this.#cancelled.filter((at) => at > now - restMs), now]
    if (this.#cancelled.length < mostCancelled) return
    this.#restsUntil = now + restMs
    this.#cancelled = []
  }

  /** Returns the confirmed addresses of stations and printers that are set up. */
  #used(): string[] {
    const settings = this.#settings.read()
    const current = new Set(addressesOf(settings))
    return settings.confirmedAddresses.filter((address) => current.has(address))
  }
}
