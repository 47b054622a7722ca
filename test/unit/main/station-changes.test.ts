import { beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { fail, ok } from '#shared/errors/result.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { DeskHost } from '../../../electron/main/desk-host.ts'
import { stationHandlers } from '../../../electron/main/ipc/main.ipc.ts'
import { sandboxStation, Stations } from '../../../electron/main/stations.ts'

let stations: Stations
let host: DeskHost
let handlers: ReturnType<typeof stationHandlers>
/** Names of the stations whose desks began to close. */
let closing: string[]
/** The first desk that closes waits for this promise. */
let held: PromiseWithResolvers<undefined>
/** How many writes wait at each station after the first desk has begun to close. */
let late: number

/** A desk with only the members that DeskHost and the removal of a station (stationHandlers) use. */
function fakeDesk({ name }: StationView): Desk {
  const desk: Pick<Desk, 'on' | 'start' | 'close' | 'waitingAt' | 'forgetStation'> & { name: string } = {
    name,
    on: () => () => undefined,
    start: () => Promise.resolve(),
    async close() {
      closing.push(name)
      if (closing.length === 1) await held.promise
    },
    waitingAt: () => (closing.length > 0 ? late : 0),
    forgetStation: () => Promise.resolve(),
  }
  return desk as unknown as Desk
}

function save(name: string): StationView {
  const codes = { wmsCode: 'DEV', customerCode: name.toUpperCase() }
  const saved = stations.save({ name, baseUrl: 'https://wms.example.com', documentHosts: '', ...codes })
  if (!saved.ok) throw new Error(saved.error.code)
  return saved.value
}

beforeEach(() => {
  stations = new Stations(pcSettings())
  closing = []
  held = Promise.withResolvers()
  late = 0
  host = new DeskHost(
    (station) => Promise.resolve(fakeDesk(station)),
    () => undefined,
  )
  handlers = stationHandlers({
    stations,
    host,
    addresses: {
      confirmService: () => Promise.resolve(ok(undefined)),
      forgetUnused: () => undefined,
    },
    testConnection: () => Promise.resolve(fail('network.offline')),
  })
})

/** Opens the desk of the station and begins the removal of the station. Resolves when the desk has begun to close. */
async function beginRemoval(station: StationView): Promise<{ removal: Promise<unknown> }> {
  await handlers.use({ id: station.id })
  const removal = Promise.resolve(handlers.remove({ id: station.id }))
  while (closing.length === 0) await new Promise((resolve) => setImmediate(resolve))
  return { removal }
}

describe('during the removal of the open station', () => {
  it('a call to use this station fails with station.none, and the desk of the sandbox is open after the removal', async () => {
    const dock = save('Dock')
    const { removal } = await beginRemoval(dock)
    const use = handlers.use({ id: dock.id })
    held.resolve(undefined)
    expect(await removal).toEqual({ ok: true, value: [sandboxStation] })
    expect(await use).toEqual(fail('station.none'))
    expect(await host.desk()).toMatchObject({ name: 'Sandbox' })
  })

  it('a call to use another station opens the desk of that station, also if the removal is refused', async () => {
    const [dock, other] = [save('Dock'), save('Other')]
    late = 2
    const { removal } = await beginRemoval(dock)
    const use = handlers.use({ id: other.id })
    held.resolve(undefined)
    expect(await removal).toEqual(fail('station.work_waits', { count: 2 }))
    expect(await use).toMatchObject({ ok: true, value: { name: 'Other' } })
    expect(stations.current().name).toBe('Other')
    expect(await host.desk()).toMatchObject({ name: 'Other' })
  })
})
