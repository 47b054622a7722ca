import type { ConnectionTest, StationDraft } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { ConfirmedAddresses } from '../confirmed-addresses.ts'
import type { DeskHost } from '../desk-host.ts'
import { OutwardLimit } from '../setup-tests.ts'
import { removeStation, type Stations } from '../stations.ts'
import type { Handlers } from './bind.ts'

interface StationParts {
  readonly stations: Stations
  readonly host: DeskHost
  readonly addresses: Pick<ConfirmedAddresses, 'confirmService' | 'forgetUnused'>
  readonly testConnection: (draft: StationDraft) => Promise<Result<ConnectionTest>>
}

/** Creates the handlers. A station is used only after the address of its server was confirmed. */
export function stationHandlers({
  stations,
  host,
  addresses,
  testConnection,
}: StationParts): Handlers<'station'> {
  const added = new OutwardLimit((seconds) => failure('station.too_many_new', { seconds }))
  return {
    list: () => ok(stations.list()),
    current: () => ok(stations.current()),
    test: testConnection,
    save: (draft) => (stations.adds(draft) ? added.run(() => stations.save(draft)) : stations.save(draft)),
    use: async ({ id }) => {
      const wanted = stations.list().find((station) => station.id === id)
      if (!wanted) return fail('station.none')
      const confirmed = await addresses.confirmService(wanted.baseUrl)
      if (!confirmed.ok) return confirmed
      const station = stations.use(id)
      if (station.ok) await host.open(station.value)
      return station
    },
    renewSecret: ({ id }) => stations.renewSecret(id),
    remove: async ({ id }) => {
      const rest = await removeStation({ stations, host }, id)
      if (rest.ok) addresses.forgetUnused()
      return rest
    },
  }
}
