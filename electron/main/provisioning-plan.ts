import { namedIn } from '#shared/bridge/pc-settings.ts'
import type { PrinterEntry } from '#shared/bridge/printer-views.ts'
import type { ProvisioningFault, ProvisioningProblem } from '#shared/bridge/setup-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { checkPrinters } from './printer-entry.ts'
import { problemAt } from './provisioning-problems.ts'
import type { ProvisioningFileContent } from './provisioning-schema.ts'
import { checkScanners } from './scanners.ts'
import type { Settings, StoredStation } from './settings-schema.ts'
import { sandboxStation, toStored, withStation } from './stations.ts'

type Plan = { readonly change: Partial<Settings> } | { readonly problems: readonly ProvisioningProblem[] }
type Named = Pick<StoredStation, 'id' | 'name'>
type Report = (
  path: readonly (string | number)[],
  code: ProvisioningFault,
  params?: ProvisioningProblem['params'],
) => void

/** What a provisioning file changes of the settings at `nowMs` (since 1970), or everything that is wrong with it. */
export function planProvisioning(file: ProvisioningFileContent, now: Settings, nowMs: number): Plan {
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
  // A PC where nobody chose a station yet opens at the first of the file. So does one in the sandbox: whoever writes
  // stations into a set-up file means the PC for work.
  const isElsewhere = now.currentStationId !== null && now.currentStationId !== sandboxStation.id
  return {
    change: {
      ...namedIn(file),
      printers: [...printers],
      scanners: [...scanners],
      stations,
      routes,
      currentStationId: isElsewhere ? now.currentStationId : (own[0]?.id ?? now.currentStationId),
    },
  }
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
  /** Where each of them stands in the file, counted from 1. */
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

/** A secret that stays the same keeps the time at which it was made. */
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
    // a station of the file that is wrong itself has been reported as that
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
