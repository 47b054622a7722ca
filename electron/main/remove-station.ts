import type { Desk } from '#desk/desk.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { DeskHost } from './desk-host.ts'
import { scopeOf, type Stations } from './stations.ts'

export interface RemoveStationParts {
  readonly stations: Stations
  readonly host: Pick<DeskHost, 'open'> & { desk(): Promise<Pick<Desk, 'waitingAt'>> }
}

/**
 * Takes a station off the list. What waits there would be sent by nobody and shown nowhere any more: then it stays
 * (`station.work_waits`).
 */
export async function removeStation(
  { stations, host }: RemoveStationParts,
  id: string,
): Promise<Result<StationView[]>> {
  const station = stations.list().find((one) => one.id === id)
  const waiting = station ? (await host.desk()).waitingAt(scopeOf(station)) : 0
  if (waiting > 0) return fail('station.work_waits', { count: waiting })
  const wasCurrent = stations.current().id === id
  const rest = stations.remove(id)
  if (wasCurrent) await host.open(stations.current())
  return ok(rest)
}
