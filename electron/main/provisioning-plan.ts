import type { PrinterEntry, PrintRoute } from '#shared/bridge/printer-views.ts'
import type { ProvisioningView } from '#shared/bridge/views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { checkPrinters } from './check-printers.ts'
import { checkScanners } from './check-scanners.ts'
import type { ProvisioningFileContent } from './provisioning-schema.ts'
import type { Settings, StoredStation } from './settings-schema.ts'
import { sandboxStation, toStored, withStation } from './stations.ts'

type Problem = ProvisioningView['problems'][number]
type Plan = { readonly change: Partial<Settings> } | { readonly problems: readonly Problem[] }
type Named = Pick<StoredStation, 'id' | 'name'>

/** What a provisioning file changes of the settings, or everything that is wrong with it. */
export function planProvisioning(file: ProvisioningFileContent, now: Settings): Plan {
  const { language, keepDays, printers = now.printers, scanners = now.scanners } = file
  const problems: Problem[] = []
  const own = readStations(file, now, problems)
  const stations = own.reduce(withStation, now.stations)
  checkList(printers, problems)
  const checked = checkScanners({ scanners: [...scanners] })
  if (!checked.ok) problems.push({ path: 'scanners', message: wordsOf(checked.error) })
  const routes = {
    ...now.routes,
    ...readRoutes(file, [...own, ...others(stations, own)], printers, problems),
  }
  if (problems.length > 0) return { problems }
  return {
    change: {
      ...(language === undefined ? {} : { language }),
      ...(keepDays === undefined ? {} : { keepDays }),
      printers: [...printers],
      scanners: [...scanners],
      stations,
      routes,
      // a PC where nobody chose a station yet opens at the first of the file
      currentStationId: now.currentStationId ?? own[0]?.id ?? null,
    },
  }
}

function readStations(
  { stations = [] }: ProvisioningFileContent,
  now: Settings,
  problems: Problem[],
): StoredStation[] {
  const read: StoredStation[] = []
  for (const [at, draft] of stations.entries()) {
    const stored = toStored(draft, [...now.stations, ...read])
    const path = `stations.${String(at)}`
    if (!stored.ok) problems.push({ path, message: wordsOf(stored.error) })
    else if (read.some(({ id }) => id === stored.value.id))
      problems.push({ path, message: 'has the address, WMS and customer of another station of the file' })
    else if (read.some(({ name }) => name === draft.name))
      problems.push({ path: `${path}.name`, message: 'is the name of another station of the file' })
    else read.push(stored.value)
  }
  return read
}

function others(stations: readonly StoredStation[], own: readonly StoredStation[]): Named[] {
  const known = [sandboxStation, ...stations]
  return known.filter(({ id, name }) => !own.some((one) => one.id === id || one.name === name))
}

function checkList(printers: readonly PrinterEntry[], problems: Problem[]): void {
  const checked = checkPrinters({ printers: [...printers], routes: [] })
  if (!checked.ok) problems.push({ path: 'printers', message: wordsOf(checked.error) })
}

function readRoutes(
  { routes = {} }: ProvisioningFileContent,
  stations: readonly Named[],
  printers: readonly PrinterEntry[],
  problems: Problem[],
): Settings['routes'] {
  const read: Settings['routes'] = {}
  for (const [name, list] of Object.entries(routes)) {
    const [station, twin] = stations.filter((one) => one.name === name)
    if (!station || twin)
      problems.push({
        path: `routes.${name}`,
        message: station ? 'is the name of two stations' : 'is no station',
      })
    else read[station.id] = list
    for (const [at, route] of list.entries()) {
      const message = whatIsWrong(route, list.slice(0, at), printers)
      if (message !== null) problems.push({ path: `routes.${name}.${String(at)}`, message })
    }
  }
  return read
}

function whatIsWrong(
  { paper, size, printerId }: PrintRoute,
  before: readonly PrintRoute[],
  printers: readonly PrinterEntry[],
): string | null {
  if (before.some((one) => one.paper === paper && one.size === size)) return 'is there twice'
  return printers.some(({ id }) => id === printerId) ? null : `leads to no printer: ${printerId}`
}

/** For whoever wrote the file, who reads codes and values. */
function wordsOf({ code, params }: Failure): string {
  return [code, ...Object.values(params).map(String)].join(' ')
}
