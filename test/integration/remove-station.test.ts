import { afterEach, beforeEach, expect, it } from 'vitest'
import { scopeOf, Stations, removeStation } from '../../electron/main/stations.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'
import { byHand } from '#support/label-wishes.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { ScriptedService } from '#support/scripted-service.ts'

let service: ScriptedService
let bench: DeskBench

beforeEach(async () => {
  service = new ScriptedService()
  await service.start()
  bench = await DeskBench.create()
})
afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

it('a desk keeps a removed station until none of its work waits, and then removes its login too', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  const other = stations.save({ ...draft, customerCode: 'OTHER' })
  if (!saved.ok || !other.ok) throw new Error('not saved')
  const remove = (id: string): ReturnType<typeof removeStation> =>
    removeStation(
      { stations, host: { desk: () => Promise.resolve(desk), open: () => Promise.resolve() } },
      id,
    )

  let desk = await bench.open(() => null, { scope: scopeOf(saved.value) })
  await desk.session.login({ username: 'sam', password: 'right' })
  await service.stop()
  expect(await desk.returnLabel.make({ mode: byHand(), request: false, seen: null })).toMatchObject({
    ok: true,
  })
  await bench.close(desk)

  desk = await bench.open(() => null, { scope: scopeOf(other.value) })
  expect(desk.queue.list().lines).toEqual([])
  expect(await remove(saved.value.id)).toMatchObject({
    error: { code: 'station.work_waits', params: { count: 1 } },
  })
  expect(bench.secrets.size).toBe(1)
  expect(stations.list().map(({ id }) => id)).toContain(saved.value.id)
  await bench.close(desk)

  await service.start()
  const back = await bench.open(() => null, { scope: scopeOf(saved.value) })
  await eventually(() => back.status().unsent.waiting === 0)
  await bench.close(back)
  desk = await bench.open(() => null, { scope: scopeOf(other.value) })
  expect(await remove(saved.value.id)).toMatchObject({ ok: true })
  expect(stations.list().map(({ id }) => id)).not.toContain(saved.value.id)
  // another person adds the same station again
  expect([...bench.secrets.keys()]).toEqual([])
  const again = await bench.open(() => null, { scope: scopeOf(saved.value) })
  expect(again.session.state()).toMatchObject({ state: 'signed_out', username: null })
})

it('a desk keeps the login of a removed station that another station shares', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  const alike = stations.save({ ...draft, customerCode: 'acme' })
  if (!saved.ok || !alike.ok) throw new Error('not saved')
  const desk = await bench.open(() => null, { scope: scopeOf(saved.value) })
  await desk.session.login({ username: 'sam', password: 'right' })
  const host = { desk: () => Promise.resolve(desk), open: () => Promise.resolve() }
  for (const [station, logins] of [
    [alike, 1],
    [saved, 0],
  ] as const) {
    expect((await removeStation({ stations, host }, station.value.id)).ok).toBe(true)
    expect(bench.secrets.size).toBe(logins)
  }
})
