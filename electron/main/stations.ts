import { randomUUID } from 'node:crypto'
import { sandbox } from '#shared/domain/sandbox.ts'
import { embeddedBaseUrl, environmentOf, isCode, type Scope } from '#shared/domain/scope.ts'
import type { StationDraft, StationView } from '#shared/bridge/views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { SettingsStore } from './settings.ts'
import type { StoredStation } from './settings-schema.ts'

export const sandboxStation: StationView = {
  id: 'sandbox',
  name: 'Sandbox',
  baseUrl: embeddedBaseUrl,
  wmsCode: sandbox.wmsCode,
  customerCode: sandbox.customerCode,
  documentHosts: '',
  environment: 'sandbox',
  demoLogin: { username: sandbox.username, password: sandbox.password },
}

/** The stations this desk may work at: the built-in sandbox, and real servers that somebody set up. */
export class Stations {
  readonly #settings: SettingsStore

  constructor(settings: SettingsStore) {
    this.#settings = settings
  }

  list(): StationView[] {
    return [sandboxStation, ...this.#settings.read().stations.map(view)]
  }

  /** The station used last; the sandbox at the first start. */
  current(): StationView {
    const { currentStationId } = this.#settings.read()
    return this.list().find((station) => station.id === currentStationId) ?? sandboxStation
  }

  use(id: string): Result<StationView> {
    const station = this.list().find((candidate) => candidate.id === id)
    if (!station) return fail('station.none')
    this.#settings.update({ currentStationId: id })
    return ok(station)
  }

  /** Keeps a station. The same base address, WMS and customer again changes its name and document hosts. */
  save(draft: StationDraft): Result<StationView> {
    const { stations } = this.#settings.read()
    const station = toStored(draft, stations)
    if (!station.ok) return station
    this.#settings.update({ stations: withStation(stations, station.value) })
    return ok(view(station.value))
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

/** The draft under the id that this base address, WMS and customer have, or a new one. Errors: as `save`. */
export function toStored(draft: StationDraft, stations: readonly StoredStation[]): Result<StoredStation> {
  const baseUrl = checkAddress(draft)
  if (!baseUrl.ok) return baseUrl
  const hosts = parseHosts(draft.documentHosts)
  if (!hosts.ok) return hosts
  const same = stations.find(
    (s) =>
      s.baseUrl === baseUrl.value && s.wmsCode === draft.wmsCode && s.customerCode === draft.customerCode,
  )
  return ok({ ...draft, baseUrl: baseUrl.value, id: same?.id ?? randomUUID() })
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
 * Where a draft leads, and whether its codes can be sent at all: before anything is sent with them. Errors:
 * station.invalid_url, station.insecure_url, station.invalid_code.
 */
export function checkAddress(draft: StationDraft): Result<string> {
  const wrong = [draft.wmsCode, draft.customerCode].find((code) => !isCode(code))
  return wrong === undefined ? normaliseBaseUrl(draft.baseUrl) : fail('station.invalid_code', { code: wrong })
}

/**
 * One spelling for each server: https (http only on this machine), no query, fragment or trailing slash. Errors:
 * station.invalid_url, station.insecure_url.
 */
export function normaliseBaseUrl(text: string): Result<string> {
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:/i.test(text.trim()) ? text.trim() : `https://${text.trim()}`)
  } catch {
    return fail('station.invalid_url')
  }
  if (url.username || url.password || !url.hostname) return fail('station.invalid_url')
  if (url.protocol === 'http:' && !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)) {
    return fail('station.insecure_url')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return fail('station.invalid_url')
  return ok(`${url.origin}${url.pathname.replace(/\/+$/, '')}`)
}

/**
 * Host names from a list separated by commas or spaces: the service may sign its label PDFs at a storage of its own.
 * Error: station.invalid_host, with the part that is no host name.
 */
export function parseHosts(text: string): Result<string[]> {
  const hosts = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((host) => host !== '')
  const wrong = hosts.find(
    (host) => !/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) || /^[\d.]+$/.test(host),
  )
  return wrong === undefined ? ok(hosts) : fail('station.invalid_host', { host: wrong })
}
