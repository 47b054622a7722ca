import { createHash } from 'node:crypto'
import { someSettings } from '#shared/bridge/pc-settings.ts'
import type { PrinterEntry } from '#shared/bridge/printer-views.ts'
import type { ProvisioningFault, ProvisioningProblem, ProvisioningView } from '#shared/bridge/setup-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { addressesOf } from './addresses.ts'
import { checkPrinters } from './printer-entry.ts'
import {
  findJsonFault,
  problemAt,
  problemsOf,
  provisioningFile,
  type ProvisioningFileContent,
} from './provisioning-content.ts'
import type { findProvisioning } from './provisioning-file.ts'
import { checkScanners } from './scanners.ts'
import type { Settings, StoredStation } from './settings-schema.ts'
import type { SettingsStore } from './settings.ts'
import { refusedAs, restoredBy } from './setup-notice.ts'
import { sandboxStation, toStored, withStation } from './stations.ts'

/**
 * Applies a provisioning file completely or not at all. Ignores the file that was applied last, so that later changes
 * on this PC stay. If the file is refused, the settings contain the refusal until a repair or a confirmation settles it
 * (see `setup-notice.ts`), even if the file is removed. `now` in milliseconds since 1970. Never throws.
 */
export function provision(
  settings: SettingsStore,
  found: ReturnType<typeof findProvisioning>,
  now: () => number = Date.now,
): ProvisioningView {
  const before = settings.read()
  const { provisioned: last, refused } = before
  const at = last?.at ?? null
  if (!found && (!refused || refused.isAcknowledged)) return { file: null, state: 'none', problems: [], at }
  if (!found) return { file: refused?.file ?? null, state: 'wrong', problems: [wholeFile('gone')], at }
  const file = found.path
  const hash = 'cause' in found ? found.cause : createHash('sha256').update(found.bytes).digest('hex')
  const applied = { file, state: 'applied' as const, problems: [] }
  if (last?.hash === hash) {
    if (refused) settings.update({ refused: null })
    return { ...applied, at }
  }
  const plan = 'cause' in found ? { problems: [unreadable(found)] } : planOf(found.bytes, settings, now())
  if ('problems' in plan) {
    settings.update({ refused: refusedAs(refused, file, hash) })
    return { file, state: 'wrong', problems: [...plan.problems], at }
  }
  const provisioned = { hash, at: new Date(now()).toISOString() }
  const lost = restoredBy(before.lost, file, plan.content)
  settings.update({ ...plan.change, provisioned, refused: null, lost })
  return { ...applied, at: provisioned.at }
}

interface Wrong {
  readonly problems: readonly ProvisioningProblem[]
}

interface Plan {
  readonly change: Partial<Settings>
}

function planOf(
  bytes: Uint8Array,
  settings: SettingsStore,
  nowMs: number,
): Wrong | (Plan & { readonly content: ProvisioningFileContent }) {
  const raw = parse(bytes)
  if ('problem' in raw) return { problems: [raw.problem] }
  const problems = problemsOf(raw.value)
  if (problems.length > 0) return { problems }
  const content = provisioningFile.parse(raw.value)
  const plan = planProvisioning(content, settings.read(), nowMs)
  return 'problems' in plan ? plan : { ...plan, content }
}

function parse(bytes: Uint8Array): { readonly value: unknown } | { readonly problem: ProvisioningProblem } {
  let text: string
  try {
    // TextDecoder removes a byte order mark, which JSON does not allow
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { problem: wholeFile('not_text') }
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: wholeFile('not_json', { ...(findJsonFault(text) ?? { line: 1, column: 1 }) }) }
  }
}

const causes: Partial<Record<string, ProvisioningFault>> = {
  ENOENT: 'not_there',
  ENOTDIR: 'not_there',
  EACCES: 'not_allowed',
  EPERM: 'not_allowed',
  no_file: 'not_a_file',
  too_large: 'too_large',
  not_protected: 'not_protected',
  not_own: 'not_own',
  rights_unknown: 'rights_unknown',
}

function unreadable({ cause, place }: { cause: string; place?: string }): ProvisioningProblem {
  return wholeFile(causes[cause] ?? 'unreadable', { cause, ...(place === undefined ? {} : { place }) })
}

function wholeFile(code: ProvisioningFault, params: ProvisioningProblem['params'] = {}): ProvisioningProblem {
  return problemAt(null, [], code, params)
}

type Named = Pick<StoredStation, 'id' | 'name'>
type Report = (
  path: readonly (string | number)[],
  code: ProvisioningFault,
  params?: ProvisioningProblem['params'],
) => void

/**
 * Returns the changes of the settings that a provisioning file causes, or all problems of the file. `nowMs`:
 * milliseconds since 1970.
 */
function planProvisioning(file: ProvisioningFileContent, now: Settings, nowMs: number): Plan | Wrong {
  const { printers = now.printers, scanners = now.scanners } = file
  const problems: ProvisioningProblem[] = []
  const report: Report = (path, code, params) => void problems.push(problemAt(file, path, code, params))
  const own = readStations(file, now, report, nowMs)
  const stations = own.reduce(withStation, now.stations)
  const checked = checkPrinters({ printers: [...printers], routes: [] })
  if (!checked.ok) report(['printers'], 'same_printer', checked.error.params)
  const heard = checkScanners({ scanners: [...scanners] })
  if (!heard.ok) report(['scanners'], 'same_scanner', heard.error.params)
  const routes = {
    ...now.routes,
    ...readRoutes(file, [...own, ...others(stations, own)], printers, report),
  }
  if (problems.length > 0) return { problems }
  // If this PC has no station, the first station of the file becomes the current one. A PC in the sandbox changes to it
  // too, because stations in a set-up file mean that the PC is for real work.
  const isElsewhere = now.currentStationId !== null && now.currentStationId !== sandboxStation.id
  return {
    change: {
      ...someSettings.parse(file),
      printers: [...printers],
      scanners: [...scanners],
      stations,
      routes,
      confirmedAddresses: confirmedBy(file, own, { ...now, stations, printers }),
      currentStationId: isElsewhere ? now.currentStationId : (own[0]?.id ?? now.currentStationId),
    },
  }
}

/**
 * Returns the addresses that are confirmed after the file is applied. The addresses in the file count as confirmed,
 * because an administrator wrote the file.
 */
function confirmedBy(
  { printers = [] }: ProvisioningFileContent,
  stations: readonly StoredStation[],
  next: Pick<Settings, 'stations' | 'printers' | 'confirmedAddresses'>,
): string[] {
  const confirmed = new Set([...next.confirmedAddresses, ...addressesOf({ stations, printers })])
  return addressesOf(next).filter((address) => confirmed.has(address))
}

const stationFaults: Partial<Record<Failure['code'], readonly [ProvisioningFault, string]>> = {
  'station.insecure_url': ['insecure_url', 'baseUrl'],
  'station.invalid_url': ['invalid_url', 'baseUrl'],
  'station.invalid_host': ['invalid_host', 'documentHosts'],
}

function readStations(
  { stations = [] }: ProvisioningFileContent,
  now: Settings,
  report: Report,
  nowMs: number,
): StoredStation[] {
  const read: StoredStation[] = []
  /** For each station in `read`, its position in the file, counted from 1. */
  const numbers: number[] = []
  const numberOf = (isIt: (one: StoredStation) => boolean): number | undefined =>
    numbers[read.findIndex(isIt)]
  for (const [at, draft] of stations.entries()) {
    const { commandSecret, ...fields } = draft
    const stored = toStored(fields, [...now.stations, ...read])
    if (!stored.ok) {
      const { code, params } = stored.error
      const wrongCode = params['code'] === draft.wmsCode ? 'wmsCode' : 'customerCode'
      const [fault, field] = stationFaults[code] ?? ['invalid_code', wrongCode]
      report(['stations', at, field], fault, params)
      continue
    }
    const same = numberOf(({ id }) => id === stored.value.id)
    const twin = numberOf(({ name }) => name === draft.name)
    if (same !== undefined) report(['stations', at], 'same_station', { other: same })
    else if (twin !== undefined) report(['stations', at, 'name'], 'same_name', { other: twin })
    else {
      read.push(withSecretOfFile(stored.value, commandSecret, nowMs))
      numbers.push(at + 1)
    }
  }
  return read
}

/**
 * Sets the command secret of the station to the secret in the file. If the secret is unchanged, its creation time is
 * kept. If the file contains no secret, the station keeps its secret, which then no longer counts as one from a set-up
 * file.
 */
function withSecretOfFile(
  { commandSecret: before, ...station }: StoredStation,
  text: string | undefined,
  nowMs: number,
): StoredStation {
  if (text === undefined) return { ...station, commandSecret: before && { ...before, isProvisioned: false } }
  const madeAt = before?.text === text ? before.madeAt : new Date(nowMs).toISOString()
  return { ...station, commandSecret: { text, madeAt, isProvisioned: true } }
}

function others(stations: readonly StoredStation[], own: readonly StoredStation[]): Named[] {
  const known = [sandboxStation, ...stations]
  return known.filter(({ id, name }) => !own.some((one) => one.id === id || one.name === name))
}

function readRoutes(
  { routes = {}, stations: drafts = [] }: ProvisioningFileContent,
  stations: readonly Named[],
  printers: readonly PrinterEntry[],
  report: Report,
): Settings['routes'] {
  const read: Settings['routes'] = {}
  for (const [name, list] of Object.entries(routes)) {
    const [station, twin] = stations.filter((one) => one.name === name)
    if (station && twin) report(['routes', name], 'two_stations')
    else if (station) read[station.id] = list
    // if the file contains a station with this name, that station has problems, which are already reported
    else if (!drafts.some((draft) => draft.name === name)) report(['routes', name], 'no_station')
    for (const [at, route] of list.entries()) {
      const isTwice = list
        .slice(0, at)
        .some(({ paper, size }) => paper === route.paper && size === route.size)
      if (isTwice) report(['routes', name, at], 'route_twice')
      else if (!printers.some(({ id }) => id === route.printerId))
        report(['routes', name, at, 'printerId'], 'no_printer', { printerId: route.printerId })
    }
  }
  return read
}
