import type { ConnectionTest, StationDraft } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { OutwardLimit } from '../setup-tests.ts'
import { removeStation, type Stations } from '../stations.ts'
import type { Handlers } from './bind.ts'

interface StationParts {
  readonly stations: Stations
  readonly host: DeskHost
  readonly testConnection: (draft: StationDraft) => Promise<Result<ConnectionTest>>
}

export function stationHandlers({ stations, host, testConnection }: StationParts): Handlers<'station'> {
  const added = new OutwardLimit((seconds) => failure('station.too_many_new', { seconds }))
  return {
    list: () => ok(stations.list()),
    current: () => ok(stations.current()),
    test: testConnection,
    save: (draft) => (stations.adds(draft) ? added.run(() => stations.save(draft)) : stations.save(draft)),
    use: async ({ id }) => {
      const station = stations.use(id)
      if (station.ok) await host.open(station.value)
      return station
    },
    renewSecret: ({ id }) => stations.renewSecret(id),
    remove: ({ id }) => removeStation({ stations, host }, id),
  }
}
