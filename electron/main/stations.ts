import { randomBytes, randomUUID } from 'node:crypto'
import { commandSecretFrom } from '#shared/domain/commands.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { embeddedBaseUrl, environmentOf, type Scope } from '#shared/domain/scope.ts'
import { addressFault, isCode, parseHosts } from '#shared/domain/station-fields.ts'
import type { StationDraft, StationView } from '#shared/bridge/views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { SettingsStore } from './settings.ts'
import { sandboxId, type StoredStation } from './settings-schema.ts'
import { settled } from './setup-notice.ts'
import { trimEndOf } from '#shared/domain/text-forms.ts'
import type { Desk } from '#desk/desk.ts'
import { loginSecret } from '#desk/service/session.ts'
import type { DeskHost } from './desk-host.ts'

/**
 * Maximum number of stations that the set-up page can save, not counting the sandbox. Set-up files that are applied one
 * after the other may add more.
 */
export const mostStations = 64

export const sandboxStation: StationView = {
  id: sandboxId,
  name: 'Sandbox',
  baseUrl: embeddedBaseUrl,
  wmsCode: sandbox.wmsCode,
  customerCode: sandbox.customerCode,
  documentHosts: '',
  environment: 'sandbox',
  commandSecret: null,
  demoLogin: { username: sandbox.username, password: sandbox.password },
}

/** The source of random bytes and the clock; `nowMs` in milliseconds since 1970. */
interface Chance {
  readonly bytes: (count: number) => Uint8Array
  readonly nowMs: () => number
}

const systemChance: Chance = { bytes: randomBytes, nowMs: Date.now }

/** The stations at which this desk may work: the built-in sandbox, and real servers that an operator set up. */
export class Stations {
  readonly #settings: SettingsStore
  readonly #chance: Chance

  /** Creates a command secret for each station without one; a station from a provisioning file may have none. */
  constructor(settings: SettingsStore, chance: Chance = systemChance) {
    this.#settings = settings
    this.#chance = chance
    const { stations } = settings.read()
    if (stations.some(({ commandSecret }) => commandSecret === null))
      settings.update({ stations: stations.map((station) => this.#withSecret(station)) })
  }

  list(): StationView[] {
    return [sandboxStation, ...this.#settings.read().stations.map(view)]
  }

  /** Returns the station used last; at the first start, the sandbox. */
  current(): StationView {
    const { currentStationId } = this.#settings.read()
    return this.list().find((station) => station.id === currentStationId) ?? sandboxStation
  }

  /**
   * Makes this station the current one. A change from or to the sandbox also ends the notice about a lost or refused
   * set-up: a change to a real station repairs the set-up, and a change to the sandbox is the operator's choice.
   */
  use(id: string): Result<StationView> {
    const station = this.list().find((candidate) => candidate.id === id)
    if (!station) return fail('station.none')
    const settings = this.#settings.read()
    const settles = id === sandboxId || this.current().id === sandboxId
    this.#settings.update({ currentStationId: id, ...(settles ? settled(settings) : {}) })
    return ok(station)
  }

  /**
   * Saves a station. If a station with the same base address, WMS and customer exists, only its name and document hosts
   * change. Errors: station.too_many {most}, only for a new station; those of `toStored`.
   */
  save(draft: StationDraft): Result<StationView> {
    const { stations } = this.#settings.read()
    const station = toStored(draft, stations)
    if (!station.ok) return station
    if (!stations.some(({ id }) => id === station.value.id) && stations.length >= mostStations)
      return fail('station.too_many', { most: mostStations })
    const whole = this.#withSecret(station.value)
    this.#settings.update({ stations: withStation(stations, whole) })
    return ok(view(whole))
  }

  /** Whether `save` would add a new station for this draft. */
  adds(draft: StationDraft): boolean {
    const { stations } = this.#settings.read()
    const station = toStored(draft, stations)
    return station.ok && !stations.some(({ id }) => id === station.value.id)
  }

  /**
   * Creates a new command secret for a station: barcodes that were printed with the old secret no longer have an
   * effect. Error: station.none, also for the sandbox, which has no secret.
   */
  renewSecret(id: string): Result<StationView> {
    const { stations } = this.#settings.read()
    const station = stations.find((one) => one.id === id)
    if (!station) return fail('station.none')
    const renewed = this.#withSecret({ ...station, commandSecret: null })
    this.#settings.update({ stations: stations.map((one) => (one.id === id ? renewed : one)) })
    return ok(view(renewed))
  }

  #withSecret(station: StoredStation): StoredStation {
    if (station.commandSecret !== null) return station
    const text = commandSecretFrom(this.#chance.bytes(5))
    const madeAt = new Date(this.#chance.nowMs()).toISOString()
    return { ...station, commandSecret: { text, madeAt, isProvisioned: false } }
  }

  remove(id: string): StationView[] {
    const { stations, currentStationId, routes } = this.#settings.read()
    this.#settings.update({
      routes: Object.fromEntries(Object.entries(routes).filter(([stationId]) => stationId !== id)),
      stations: stations.filter((station) => station.id !== id),
      currentStationId: currentStationId === id ? null : currentStationId,
    })
    return this.list()
  }
}

/**
 * Returns the draft as a stored station. If a station with the same base address, WMS and customer exists, the result
 * has the id and command secret of that station; otherwise it has a new id and no secret. Errors: those of
 * `checkAddress` and of `parseHosts`.
 */
export function toStored(draft: StationDraft, stations: readonly StoredStation[]): Result<StoredStation> {
  const baseUrl = checkAddress(draft)
  if (!baseUrl.ok) return baseUrl
  const hosts = parseHosts(draft.documentHosts)
  if (!hosts.ok) return hosts
  const same = stations.find(
    (s) =>
      s.baseUrl === baseUrl.value && s.wmsCode === draft.wmsCode && s.customerCode === draft.customerCode,
  )
  const id = same?.id ?? randomUUID()
  return ok({ ...draft, baseUrl: baseUrl.value, id, commandSecret: same?.commandSecret ?? null })
}

export function withStation(stations: readonly StoredStation[], station: StoredStation): StoredStation[] {
  return [...stations.filter(({ id }) => id !== station.id), station]
}

function view(station: StoredStation): StationView {
  return { ...station, environment: environmentOf(station), demoLogin: null }
}

export function scopeOf(station: StationView): Scope {
  return { baseUrl: station.baseUrl, wmsCode: station.wmsCode, customerCode: station.customerCode }
}

/**
 * Checks the address and the codes of a draft before anything is sent with them. Returns the normalised address
 * (`normaliseBaseUrl`). Errors: station.invalid_url, station.insecure_url, station.invalid_code.
 */
export function checkAddress(draft: StationDraft): Result<string> {
  const wrong = [draft.wmsCode, draft.customerCode].find((code) => !isCode(code))
  return wrong === undefined ? normaliseBaseUrl(draft.baseUrl) : fail('station.invalid_code', { code: wrong })
}

/**
 * Returns the only allowed spelling of a server's address: https (http only for this machine), the host in lower case,
 * the path unchanged, no slash at the end. Errors: station.insecure_url; station.invalid_url {fault}, where the fault
 * is one of `addressFaults`.
 */
export function normaliseBaseUrl(text: string): Result<string> {
  const typed = text.trim()
  const fault = addressFault(typed)
  if (fault === 'insecure') return fail('station.insecure_url')
  const address = typed.includes('://') ? typed : `https://${typed}`
  if (fault !== null || !URL.canParse(address))
    return fail('station.invalid_url', { fault: fault ?? 'no_address' })
  const url = new URL(address)
  return ok(`${url.origin}${trimEndOf(url.pathname, '/')}`)
}

/**
 * Removes the stored tokens of scopes without a station: a provisioning file may have replaced their stations. Call
 * this each time before a desk opens: a desk that starts removes the stored last session of each of these scopes, but
 * leaves the token of the scope.
 */
export function dropUnusedLogins(settings: SettingsStore, stations: readonly StationView[]): void {
  const used = new Set(stations.map((station) => loginSecret(scopeOf(station))))
  const secrets = Object.entries(settings.read().secrets)
  const kept = secrets.filter(([key]) => used.has(key))
  if (kept.length < secrets.length) settings.update({ secrets: Object.fromEntries(kept) })
}

interface RemoveStationParts {
  readonly stations: Stations
  readonly host: Pick<DeskHost, 'open'> & { desk(): Promise<Pick<Desk, 'waitingAt' | 'forgetStation'>> }
}

/**
 * Removes a station, with its stored login and everything that this PC keeps for it, also its labels and bookings. If
 * the station has waiting work, it stays, and the call fails with `station.work_waits`: after the removal no screen
 * would show that work, and it would never be sent. Throws if the removal cannot begin, for example because the disk is
 * full; the station then stays. The data is removed before the station: if the program ends in between, the station
 * stays in the list, and the next desk that starts removes the rest of its data.
 */
export async function removeStation(
  { stations, host }: RemoveStationParts,
  id: string,
): Promise<Result<StationView[]>> {
  const station = stations.list().find((one) => one.id === id)
  if (!station || id === sandboxId) return ok(stations.list())
  const waiting = async (): Promise<number> => (await host.desk()).waitingAt(scopeOf(station))
  const refused = (count: number): Result<never> => fail('station.work_waits', { count })
  const count = await waiting()
  if (count > 0) return refused(count)
  const isCurrent = stations.current().id === id
  if (isCurrent) {
    // First closes the station's desk: an open desk may store further work, and its session would store the login
    // again. Opens the desk of the sandbox instead, because the sandbox is the current station after the removal.
    await host.open(sandboxStation)
    const late = await waiting()
    if (late > 0) {
      await host.open(station)
      return refused(late)
    }
  }
  // two stations share one stored login and all data if their WMS codes and customer codes differ only in upper and
  // lower case. If there is such another station, the login and the data of this station stay
  const isShared = stations
    .list()
    .some((one) => one.id !== id && loginSecret(scopeOf(one)) === loginSecret(scopeOf(station)))
  try {
    if (!isShared) await (await host.desk()).forgetStation(scopeOf(station))
  } catch (error) {
    if (isCurrent) await host.open(station)
    throw error
  }
  return ok(stations.remove(id))
}
