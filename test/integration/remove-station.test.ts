import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeStation, sandboxStation, scopeOf, Stations } from '../../electron/main/stations.ts'
import type { Desk } from '#desk/desk.ts'
import { loginSecret } from '#desk/service/session.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { scopeKey } from '#shared/domain/scope.ts'
import { serverLabelId } from '#shared/domain/ids.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { DeskBench, eventually, logIn, memorySecrets } from '#support/desk-bench.ts'
import { byHand, byShipment } from '#support/label-wishes.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { ScriptedService } from '#support/scripted-service.ts'
import { smallId } from '#support/small-world.ts'

const anyServerId = serverLabelId.parse('label-7')

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

it('the removal of a station also removes its login and its articles, and is refused while its writes wait', async () => {
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
  await logIn(desk)
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
  const kept = Object.values<string>({
    ...cataloguePaths(bench.dataDir, scopeKey(scopeOf(saved.value))).goods,
    ...{ lots: cataloguePaths(bench.dataDir, scopeKey(scopeOf(saved.value))).lots.next },
  })
  const others = cataloguePaths(bench.dataDir, scopeKey(scopeOf(other.value))).goods.next
  await mkdir(dirname(others), { recursive: true })
  for (const file of [...kept, others]) await writeFile(file, 'articles')
  expect(await remove(saved.value.id)).toMatchObject({ ok: true })
  expect([...kept, others].filter((file) => existsSync(file))).toEqual([others])
  expect(stations.list().map(({ id }) => id)).not.toContain(saved.value.id)
  // another person adds the same station again
  expect([...bench.secrets.keys()]).toEqual([])
  const again = await bench.open(() => null, { scope: scopeOf(saved.value) })
  expect(again.session.state()).toMatchObject({ state: 'signed_out', username: null })
})

it('the removal of a station also removes its shipments and the input of its label form from the PC, and nothing of other stations', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  const other = stations.save({ ...draft, customerCode: 'OTHER' })
  if (!saved.ok || !other.ok) throw new Error('not saved')
  const fill = async (station: StationView): Promise<Desk> => {
    const desk = await bench.open(() => null, { scope: scopeOf(station) })
    await logIn(desk)
    await eventually(() => desk.status().index.shipments === service.shipments.length)
    desk.returnLabel.writeDraft({ shippingMethodId: null, externalReference: 'RMA-7', sender: {} })
    return desk
  }
  await bench.close(await fill(saved.value))
  const desk = await fill(other.value)
  const rows = (file: string, table: string): Map<unknown, unknown> => {
    const database = new Database(join(bench.dataDir, file), { readonly: true })
    const all = database.prepare(`SELECT scope, count(*) FROM ${table} GROUP BY scope`).raw().all()
    database.close()
    return new Map(all as [unknown, unknown][])
  }
  const kept = (): unknown[] =>
    [saved.value, other.value].map((station) => {
      const key = scopeKey(scopeOf(station))
      return [
        rows('recent.db', 'shipments').get(key),
        rows('recent.db', 'shipment_codes').has(key),
        rows('desk.db', "settings WHERE key = 'return_label.draft'").get(key),
      ]
    })
  expect(kept()).toEqual([
    [3, true, 1],
    [3, true, 1],
  ])
  const host = { desk: () => Promise.resolve(desk), open: () => Promise.resolve() }
  expect(await removeStation({ stations, host }, saved.value.id)).toMatchObject({ ok: true })
  expect(kept()).toEqual([
    [undefined, false, undefined],
    [3, true, 1],
  ])
})

/** Stores records of each kind of desk.db at a station: a printed label, scans, a draft of a booking and a form. */
async function workAt(station: StationView): Promise<void> {
  const desk = await bench.open(() => null, { scope: scopeOf(station) })
  await logIn(desk)
  // a reference that the service does not have yet
  const mode = byHand(`CLAIM ${randomUUID()}`)
  expect(await desk.returnLabel.make({ mode, request: true, seen: null })).toMatchObject({ ok: true })
  await eventually(() => desk.returnLabel.recent()[0]?.print?.state === 'confirmed')
  await desk.scan.submit({ raw: `LOC ${smallId(401)}`, expect: 'stock' })
  desk.modification.change({ kind: 'note', note: 'customer Kim complained' })
  desk.returnLabel.writeDraft({ shippingMethodId: null, externalReference: 'RMA-7', sender: {} })
  await bench.close(desk)
}

/** Returns, for each table of desk.db that has rows of the station, the number of these rows. */
function rowsOf(station: StationView): Record<string, unknown> {
  const database = new Database(join(bench.dataDir, 'desk.db'), { readonly: true })
  const key = scopeKey(scopeOf(station))
  const tables = database
    .prepare<[], string>(
      `SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'scope'`,
    )
    .pluck()
    .all()
  const counts = tables.map((table) => {
    const count = database.prepare(`SELECT count(*) FROM ${table} WHERE scope = ?`).pluck().get(key)
    return [table, count] as const
  })
  database.close()
  return Object.fromEntries(counts.filter(([, count]) => count !== 0))
}

/** Expects that a person who adds the station again sees none of its earlier data. */
function expectEmpty(desk: Desk): void {
  expect(desk.session.state()).toMatchObject({ state: 'signed_out', username: null })
  expect([desk.returnLabel.recent(), desk.scan.recent()]).toEqual([[], []])
  expect(desk.modification.draft()).toMatchObject({ location: null, note: '' })
  expect(desk.returnLabel.readDraft()).toBeNull()
}

it('the removal of a station removes its records, and the PDFs that no other station uses', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  const other = stations.save({ ...draft, customerCode: 'OTHER' })
  if (!saved.ok || !other.ok) throw new Error('not saved')
  await workAt(saved.value)
  await workAt(other.value)
  const before = rowsOf(other.value)
  expect(Object.keys(rowsOf(saved.value))).toEqual(Object.keys(before))
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining([
      'commands',
      'modification_draft',
      'print_jobs',
      'return_labels',
      'scans',
      'settings',
    ]),
  )
  const pdfs = (): number => readdirSync(join(bench.dataDir, 'vault')).length
  const printed = readdirSync(bench.printFolder).length

  let desk = await bench.open(() => null, { scope: scopeOf(sandboxStation) })
  const host = { desk: () => Promise.resolve(desk), open: () => Promise.resolve() }
  expect(await removeStation({ stations, host }, saved.value.id)).toMatchObject({ ok: true })
  expect([rowsOf(saved.value), rowsOf(other.value)]).toEqual([{}, before])
  // the service returned the same PDF for both labels
  expect(pdfs()).toBe(1)
  expect(readdirSync(bench.printFolder)).toHaveLength(printed / 2)
  expect(await removeStation({ stations, host }, other.value.id)).toMatchObject({ ok: true })
  expect([rowsOf(other.value), pdfs(), readdirSync(bench.printFolder)]).toEqual([{}, 0, []])
  await bench.close(desk)

  desk = await bench.open(() => null, { scope: scopeOf(saved.value) })
  expectEmpty(desk)
})

it('an interrupted removal of a station continues when any desk starts, even the desk of this station', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  for (const next of ['other', 'same'] as const) {
    const saved = stations.save({ ...draft, customerCode: 'ACME' })
    if (!saved.ok) throw new Error('not saved')
    await workAt(saved.value)
    let desk = await bench.open(() => null, { scope: scopeOf(sandboxStation) })
    const file = new Database(join(bench.dataDir, 'desk.db'))
    file.exec(`CREATE TRIGGER kept BEFORE DELETE ON return_labels BEGIN SELECT raise(ABORT, 'kept'); END`)
    const host = { desk: () => Promise.resolve(desk), open: () => Promise.resolve() }
    expect(await removeStation({ stations, host }, saved.value.id)).toMatchObject({ ok: true })
    await bench.close(desk)
    // the desk of the station does not start while the rows cannot be removed
    const scope = scopeOf(saved.value)
    await expect(bench.open(() => null, { scope })).rejects.toThrow('kept')
    file.exec('DROP TRIGGER kept')
    file.close()
    expect(rowsOf(saved.value)).not.toEqual({})

    desk = await bench.open(() => null, { scope: next === 'same' ? scope : scopeOf(sandboxStation) })
    if (next === 'same') expectEmpty(desk)
    else await eventually(() => Object.keys(rowsOf(saved.value)).length === 0)
    await bench.close(desk)
  }
})

it('a station whose removal cannot begin stays in the list, and its desk opens again', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  if (!saved.ok) throw new Error('not saved')
  stations.use(saved.value.id)
  const opened: string[] = []
  const desk = {
    waitingAt: () => 0,
    forgetStation: () => Promise.reject(new CataloguedError('store.full')),
  }
  const host = {
    desk: () => Promise.resolve(desk),
    open: ({ name }: StationView) => Promise.resolve(void opened.push(name)),
  }
  await expect(removeStation({ stations, host }, saved.value.id)).rejects.toThrow('store.full')
  expect(opened).toEqual([sandboxStation.name, 'Dock 4'])
  expect(stations.current().id).toBe(saved.value.id)
})

it('the removal of a station removes its articles and the input of its label form even if its shipments cannot be removed', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  if (!saved.ok) throw new Error('not saved')
  const scope = scopeOf(saved.value)
  const filled = await bench.open(() => null, { scope })
  await logIn(filled)
  await eventually(() => filled.status().index.shipments === service.shipments.length)
  filled.returnLabel.writeDraft({ shippingMethodId: null, externalReference: 'RMA-7', sender: {} })
  await bench.close(filled)
  const articles = cataloguePaths(bench.dataDir, scopeKey(scope)).goods.next
  await mkdir(dirname(articles), { recursive: true })
  await writeFile(articles, 'articles')
  const recent = new Database(join(bench.dataDir, 'recent.db'))
  recent.exec(`CREATE TRIGGER kept BEFORE DELETE ON shipments BEGIN SELECT raise(ABORT, 'kept'); END`)
  const desk = await bench.open(() => null, { scope: scopeOf(sandboxStation) })
  const host = { desk: () => Promise.resolve(desk), open: () => Promise.resolve() }
  expect(await removeStation({ stations, host }, saved.value.id)).toMatchObject({ ok: true })
  expect(recent.prepare('SELECT count(*) FROM shipments').pluck().get()).toBe(service.shipments.length)
  recent.close()
  const desks = new Database(join(bench.dataDir, 'desk.db'), { readonly: true })
  expect(desks.prepare(`SELECT scope FROM settings WHERE key = 'return_label.draft'`).all()).toEqual([])
  desks.close()
  expect(existsSync(articles)).toBe(false)
})

it('if the shipments of a station could not be removed, the next start of any desk removes them, and the desk of the station does not start before that', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  for (const next of ['other', 'same'] as const) {
    const saved = stations.save({ ...draft, customerCode: 'ACME' })
    if (!saved.ok) throw new Error('not saved')
    const scope = scopeOf(saved.value)
    const filled = await bench.open(() => null, { scope })
    await logIn(filled)
    await eventually(() => filled.status().index.shipments === service.shipments.length)
    await bench.close(filled)
    const recent = new Database(join(bench.dataDir, 'recent.db'))
    const rows = recent.prepare('SELECT count(*) FROM shipments WHERE scope = ?').pluck()
    recent.exec(`CREATE TRIGGER kept BEFORE DELETE ON shipments BEGIN SELECT raise(ABORT, 'kept'); END`)
    const desk = await bench.open(() => null, { scope: scopeOf(sandboxStation) })
    const host = { desk: () => Promise.resolve(desk), open: () => Promise.resolve() }
    expect(await removeStation({ stations, host }, saved.value.id)).toMatchObject({ ok: true })
    await bench.close(desk)
    await expect(bench.open(() => null, { scope })).rejects.toThrow('kept')
    expect(rows.get(scopeKey(scope))).toBe(service.shipments.length)
    recent.exec('DROP TRIGGER kept')
    const started = await bench.open(() => null, { scope: next === 'same' ? scope : scopeOf(sandboxStation) })
    await eventually(() => rows.get(scopeKey(scope)) === 0)
    recent.close()
    await bench.close(started)
    // the removal has ended, so the desk of the station has nothing to remove
    const again = await bench.open(() => null, { scope })
    expect(rowsOf(saved.value)).toEqual({})
    await bench.close(again)
  }
})

it('the removal of a station is refused, and its desk opens again, if the desk stores a write just before it closes', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  if (!saved.ok) throw new Error('not saved')
  stations.use(saved.value.id)
  let desk = await bench.open(() => null, { scope: scopeOf(saved.value) })
  await logIn(desk)
  await service.stop()
  const opened: string[] = []
  const host = {
    desk: () => Promise.resolve(desk),
    async open(station: StationView) {
      // Simulates a call of the window that waits for the service, and that stores its write just before the desk
      // closes.
      if (opened.length === 0) await desk.returnLabel.make({ mode: byHand(), request: false, seen: null })
      opened.push(station.name)
      await bench.close(desk)
      desk = await bench.open(() => null, { scope: scopeOf(station) })
    },
  }
  expect(await removeStation({ stations, host }, saved.value.id)).toMatchObject({
    error: { code: 'station.work_waits', params: { count: 1 } },
  })
  expect(opened).toEqual([sandboxStation.name, 'Dock 4'])
  expect(stations.current().id).toBe(saved.value.id)
  expect(desk.status().unsent.waiting).toBe(1)
})

it('if the desk closes while a call that makes a label waits for the service, the call fails and the label is not stored', async () => {
  const scope = { baseUrl: service.url, wmsCode: 'DEV', customerCode: 'ACME' }
  const desk = await bench.open(() => null, { scope, timeouts: { headersMs: 60_000 }, closeMs: 50 })
  await logIn(desk)
  await eventually(() => desk.status().index.shipments === service.shipments.length)
  // the copy of the list lacks this shipment, so the desk asks the service for it
  const shipment = scriptedShipment(9)
  service.shipments.push(shipment)
  const held = Promise.withResolvers<undefined>()
  service.hold = ({ path }) => (path.includes(shipment.id) ? held.promise : null)
  const made = desk.returnLabel.make({ mode: byShipment(shipment.id), request: true, seen: null })
  // When the desk closes, the session and the call end in any order. The first of the two to end determines the error.
  const end = made.then(
    (result) => (result.ok ? null : result.error.code),
    (error: unknown) => (error instanceof CataloguedError ? error.failure.code : error),
  )
  await eventually(() => service.count('GET', new RegExp(shipment.id)) > 0)
  await bench.close(desk)
  held.resolve(undefined)
  expect(['session.signed_out', 'network.interrupted']).toContain(await end)
  const again = await bench.open(() => null, { scope })
  expect(again.status().unsent.waiting).toBe(0)
})

it('no login of a removed station is stored when the response to its token refresh arrives after the removal', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  if (!saved.ok) throw new Error('not saved')
  stations.use(saved.value.id)
  const scope = scopeOf(saved.value)
  let desk = await bench.open(() => null, { scope, timeouts: { headersMs: 60_000 }, closeMs: 50 })
  await logIn(desk)
  await eventually(() => service.count('GET', /customers/) > 0)

  // the service refuses every access token, and responds to the refresh only after the removal
  const held = Promise.withResolvers<undefined>()
  service.script = ({ method }) => (method === 'GET' ? 'unauthorised' : null)
  service.hold = ({ path }) => (path.includes('refresh') ? held.promise : null)
  const opening = desk.returnLabel.open({ serverId: anyServerId })
  const settled = Promise.allSettled([opening])
  await eventually(() => service.count('POST', /refresh/) > 0)
  const host = {
    desk: () => Promise.resolve(desk),
    async open() {
      await bench.close(desk)
      desk = await bench.open(() => null)
    },
  }
  expect((await removeStation({ stations, host }, saved.value.id)).ok).toBe(true)
  held.resolve(undefined)
  await settled
  expect([...bench.secrets.keys()]).toEqual([])
})

it('a desk at which no user is signed in does not use a stored token, and removes it', async () => {
  const scope = { baseUrl: service.url, wmsCode: 'DEV', customerCode: 'ACME' }
  bench.secrets.set(loginSecret(scope), 'of an earlier user')
  const desk = await bench.open(() => null, { scope })
  expect(desk.session.state()).toMatchObject({ state: 'signed_out' })
  expect(await desk.returnLabel.open({ serverId: anyServerId })).toMatchObject({
    error: { code: 'session.signed_out' },
  })
  expect(service.count('POST', /refresh/)).toBe(0)
  expect([...bench.secrets.keys()]).toEqual([])
})

it('a desk forgets the user of a station after a set-up file has removed this station', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  const other = stations.save({ ...draft, customerCode: 'OTHER' })
  if (!saved.ok || !other.ok) throw new Error('not saved')
  const openAt = (station: typeof saved.value): Promise<Desk> =>
    bench.open(() => null, {
      scope: scopeOf(station),
      secrets: memorySecrets(new Map(), false),
      stations: () => stations.list().map(scopeOf),
    })
  for (const { value } of [saved, other]) {
    const desk = await openAt(value)
    await logIn(desk)
    await bench.close(desk)
  }
  // the station is removed without `removeStation`, as a set-up file does when it is applied at the start
  stations.remove(saved.value.id)
  const next = await openAt(other.value)
  expect(next.session.state()).toMatchObject({ state: 'expired', username: 'sam' })
  await bench.close(next)
  const again = stations.save({ ...draft, customerCode: 'acme' })
  if (!again.ok) throw new Error('not saved')
  const desk = await openAt(again.value)
  expect(desk.session.state()).toMatchObject({ state: 'signed_out', username: null, roles: [] })
})

it('the removal of a station keeps its login while another station uses the same login', async () => {
  const stations = new Stations(pcSettings())
  const draft = { name: 'Dock 4', baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const saved = stations.save({ ...draft, customerCode: 'ACME' })
  const alike = stations.save({ ...draft, customerCode: 'acme' })
  if (!saved.ok || !alike.ok) throw new Error('not saved')
  const desk = await bench.open(() => null, { scope: scopeOf(saved.value) })
  await logIn(desk)
  const host = { desk: () => Promise.resolve(desk), open: () => Promise.resolve() }
  for (const [station, logins] of [
    [alike, 1],
    [saved, 0],
  ] as const) {
    expect((await removeStation({ stations, host }, station.value.id)).ok).toBe(true)
    expect(bench.secrets.size).toBe(logins)
  }
})
