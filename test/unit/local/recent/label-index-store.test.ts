import { join } from 'node:path'
import Database, { type Statement } from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import { toBriefLabel } from '#shared/domain/label-codes.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { smallId } from '#support/small-world.ts'
import { noSender } from '#support/memory-desk/labels.ts'
import { StoreBench } from '#support/store-bench.ts'
import { serverLabelIdOf } from '#support/ids.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

function serviceLabel(number: number, rest: Partial<ReturnLabel> = {}): ReturnLabel {
  return {
    id: serverLabelIdOf(smallId(900 + number)),
    external_reference: `WEB-${number}.R`,
    url: 'https://files.example.org/label.pdf',
    created_at: new Date(number * 1_000).toISOString(),
    tracking_information: [
      { label_code: `L-${number}`, tracking_code: `3S ABC ${number}`, tracking_url: null },
    ],
    sender_address: { ...noSender, addressed_to: `Zoë Müller ${number}` },
    shipment: scriptedShipment(number, number * 1_000),
    ...rest,
  }
}

const always = (): boolean => true

const state = { newest: 2, oldest: 1, complete: true, syncedAt: 3 }

describe('the index of return labels', () => {
  it('finds a label by each code printed on it, but only after the label is requested', async () => {
    const { labelIndex } = await bench.open()
    const open = serviceLabel(2, { url: null, tracking_information: [], external_reference: 'WEB-2' })
    await labelIndex.put([serviceLabel(1), open], 50, () => state)
    for (const code of ['WEB-1.R', '3SABC1', 'L-1'])
      expect(labelIndex.byCode(code)).toEqual({ label: toBriefLabel(serviceLabel(1)), asOf: 50 })
    expect(labelIndex.byCode('WEB-2')).toBeNull()
    expect(labelIndex.get(open.id)?.label).toEqual(toBriefLabel(open))
    await labelIndex.put([serviceLabel(2)], 60, null)
    expect(labelIndex.byCode('WEB-2.R')?.asOf).toBe(60)
    expect(labelIndex.state()).toEqual(state)
    expect(labelIndex.count()).toBe(2)
  })

  it('searches parts of references, codes and names, and ignores case, accents and spaces', async () => {
    const { labelIndex } = await bench.open()
    await labelIndex.put(
      Array.from({ length: 30 }, (_, n) => serviceLabel(n + 1)),
      50,
      () => state,
    )
    const numbers = async (text: string, limit = 50): Promise<number[]> =>
      (await labelIndex.search(text, limit, always)).labels.map(
        ({ createdAt }) => Date.parse(createdAt) / 1_000,
      )
    expect(await numbers('')).toEqual(Array.from({ length: 30 }, (_, n) => 30 - n))
    expect(await numbers('muller 17')).toEqual([17])
    expect(await numbers('ZOE')).toHaveLength(30)
    expect(await numbers('3sabc29')).toEqual([29])
    expect(await numbers('3S ABC 29')).toEqual([29])
    expect(await numbers('web-8.r')).toEqual([8])
    expect(await numbers('SHP00000000023')).toEqual([23])
    expect(await numbers(`%' OR 1=1 --`)).toEqual([])
    expect(await labelIndex.search('zoe', 4, always)).toMatchObject({
      isPartial: true,
      labels: { length: 4 },
    })
    expect(await labelIndex.search('zoe', 30, always)).toMatchObject({
      ...{ isPartial: false, labels: { length: 30 } },
    })
  })

  it('returns the newest label of a shipment that has sixty labels', async () => {
    const { labelIndex } = await bench.open()
    const shipment = scriptedShipment(1)
    const labels = Array.from({ length: 60 }, (_, n) => serviceLabel(n + 1, { shipment }))
    await labelIndex.put(labels, 50, null)
    const newest = labelIndex.newestOf(shipment.id)
    expect(Date.parse(newest?.label.created_at ?? '') / 1_000).toBe(60)
  })

  it('stores at most 200 codes of one label', async () => {
    const { labelIndex } = await bench.open()
    const parcel = (n: number): ReturnLabel['tracking_information'][number] => ({
      ...{ label_code: `L-${n}`, tracking_code: `T-${n}`, tracking_url: null },
    })
    const parcels = Array.from({ length: 5_000 }, (_, n) => parcel(n))
    await labelIndex.put([serviceLabel(1, { tracking_information: parcels })], 50, null)
    expect([labelIndex.byCode('T-99'), labelIndex.byCode('T-4999')]).toMatchObject([{ asOf: 50 }, null])
    expect((await labelIndex.search('T-4999', 5, always)).labels).toEqual([])
  })

  it('stores at most 100 kB of a label that has several megabytes', async () => {
    const { labelIndex } = await bench.open()
    const long = 'x'.repeat(8_000)
    const parcels = Array.from({ length: 600 }, (_, n) => ({
      ...{ label_code: `L-${n}${'0'.repeat(240)}`, tracking_code: `T-${n}`, tracking_url: long },
    }))
    const whole = serviceLabel(1, {
      tracking_information: [{ label_code: long, tracking_code: long, tracking_url: long }, ...parcels],
      shipment: { ...scriptedShipment(1), po_number: long.slice(0, 2_000) },
    })
    await labelIndex.put([whole], 50, null)
    const [listed] = (await labelIndex.search('T-0', 5, always)).labels
    expect(listed?.trackingCode).toBe('T-0')
    expect(JSON.stringify(listed).length).toBeLessThan(2_000)
    const found = labelIndex.get(whole.id)
    expect(JSON.stringify(whole).length).toBeGreaterThan(4_000_000)
    expect(JSON.stringify(found).length).toBeLessThan(100_000)
    expect(found?.label.tracking_information[0]).toEqual({
      label_code: parcels[0]?.label_code,
      tracking_code: 'T-0',
      tracking_url: null,
    })
    expect(found?.label.shipment).toEqual({
      id: scriptedShipment(1).id,
      reference: scriptedShipment(1).reference,
    })
  })

  it('separates the labels of two scopes', async () => {
    const here = await bench.open('here')
    await here.labelIndex.put([serviceLabel(1)], 1, () => state)
    const there = await bench.open('there')
    expect(await there.labelIndex.search('', 5, always)).toEqual({ labels: [], isPartial: false })
    expect(there.labelIndex.byCode('L-1')).toBeNull()
    expect(there.labelIndex.state()).toBeNull()
  })
})

interface Step {
  rows: number
  characters: number
  sql: Set<string>
}

type Read<Result> = (this: Statement, ...args: unknown[]) => Result
interface Reads {
  readonly iterate: Read<Iterable<unknown>>
  readonly all: Read<unknown[]>
  readonly get: Read<unknown>
}

/**
 * Calls `action`. Returns one entry for each turn of the event loop: the number and length of the rows that SQLite
 * returned in this turn, and the statements that read them.
 */
async function stepsOf(action: () => Promise<unknown>): Promise<Step[]> {
  const database = new Database(':memory:')
  const statements = Object.getPrototypeOf(database.prepare('SELECT 1')) as Reads
  database.close()
  const steps: Step[] = [{ rows: 0, characters: 0, sql: new Set() }]
  const taken = (statement: Statement, record: unknown): void => {
    const step = steps.at(-1)
    if (!step || record === undefined) return
    step.rows++
    step.characters += JSON.stringify(record).length
    step.sql.add(statement.source)
  }
  const { iterate, all, get } = statements
  const spies = [
    vi.spyOn(statements, 'iterate').mockImplementation(function* (this: Statement, ...args: unknown[]) {
      for (const record of iterate.apply(this, args)) {
        taken(this, record)
        yield record
      }
    }),
    vi.spyOn(statements, 'all').mockImplementation(function (this: Statement, ...args: unknown[]) {
      const records = all.apply(this, args)
      for (const record of records) taken(this, record)
      return records
    }),
    vi.spyOn(statements, 'get').mockImplementation(function (this: Statement, ...args: unknown[]) {
      const record = get.apply(this, args)
      taken(this, record)
      return record
    }),
  ]
  let beat = setImmediate(function next() {
    steps.push({ rows: 0, characters: 0, sql: new Set() })
    beat = setImmediate(next)
  })
  try {
    await action()
  } finally {
    clearImmediate(beat)
    for (const spy of spies) spy.mockRestore()
  }
  return steps
}

/** Adds copies of the only label in the index, all with the same time. */
function copyLabel(dataDir: string, copies: number): void {
  const database = new Database(join(dataDir, 'recent.db'))
  const columns = (database.pragma('table_info(labels)') as { name: string }[]).map(({ name }) => name)
  const id = `printf('%08x-1111-4111-8111-111111111111', n.i)`
  const changed: Record<string, string> = { id, listed: `replace(listed, id, ${id})` }
  const copied = columns.map((name) => changed[name] ?? name)
  database.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${copies})
     INSERT INTO labels (${columns.join()}) SELECT ${copied.join()} FROM n CROSS JOIN (SELECT * FROM labels LIMIT 1)`,
  )
  database.close()
}

describe('an index of 20,000 labels, each with 10 kB of codes,', () => {
  let large: StoreBench
  let labelIndex: StorePort['labelIndex']
  beforeAll(async () => {
    large = await StoreBench.create()
    labelIndex = (await large.open()).labelIndex
    const parcels = Array.from({ length: 50 }, (_, n) => ({
      ...{ label_code: null, tracking_code: `T-${n}-`.padEnd(200, 'ab'), tracking_url: null },
    }))
    await labelIndex.put([serviceLabel(1, { tracking_information: parcels })], 50, null)
    copyLabel(large.dataDir, 19_999)
  })
  afterAll(() => large.dispose())

  it('is searched in steps of at most 1,000 rows and 1.5 million characters, without reading whole labels', async () => {
    const steps = await stepsOf(async () => {
      expect(await labelIndex.search('nothing', 1_000, always)).toEqual({ labels: [], isPartial: false })
    })
    for (const sql of steps.flatMap((step) => [...step.sql])) expect(sql).not.toMatch(/body|\*/)
    expect(steps.reduce((sum, { rows }) => sum + rows, 0)).toBe(20_000)
    expect(Math.max(...steps.map(({ rows }) => rows))).toBeLessThanOrEqual(1_000)
    expect(Math.max(...steps.map(({ characters }) => characters))).toBeLessThan(1_500_000)
  })

  it('lists its newest labels without reading older ones or whole labels', async () => {
    const steps = await stepsOf(() => labelIndex.search('', 1_000, always))
    expect(steps.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(1_001)
    for (const sql of steps.flatMap((step) => [...step.sql])) expect(sql).not.toMatch(/body|\*/)
  })

  it('is searched through a database index that orders the labels by time and id', async () => {
    const steps = await stepsOf(() => labelIndex.search('nothing', 1_000, always))
    const database = new Database(join(large.dataDir, 'recent.db'))
    const sought = [...new Set(steps.flatMap(({ sql }) => [...sql]))].map((sql) => {
      const place = { scope: '', createdAt: 0, id: '' }
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(place) as { detail: string }[]
      return plan.map(({ detail }) => detail)
    })
    database.close()
    expect(sought).toEqual([['SEARCH labels USING INDEX labels_by_age (scope=? AND (created_at,id)<(?,?))']])
  })

  it('is not searched to its end if a newer search replaces the search', async () => {
    let asked = 0
    const steps = await stepsOf(async () => {
      const found = await labelIndex.search('nothing', 1_000, () => ++asked <= 3)
      expect(found).toEqual({ labels: [], isPartial: true })
    })
    expect(steps.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(3_000)
  })

  it('is searched for many words in at most 500 steps of fewer than 100 rows', async () => {
    const words = Array.from({ length: 32 }, (_, n) => 'ab'.repeat(10).slice(n % 2, 2 + Math.floor(n / 2)))
    let found: unknown
    const steps = await stepsOf(async () => {
      found = await labelIndex.search([...words, 'zz'].join(' '), 1_000, always)
    })
    expect(found).toEqual({ labels: [], isPartial: true })
    expect(Math.max(...steps.map(({ rows }) => rows))).toBeLessThan(100)
    expect(steps.length).toBeLessThan(510)
  })

  it('returns the number of its labels without counting them again after a change', async () => {
    const steps = await stepsOf(async () => {
      expect(labelIndex.count()).toBe(20_000)
      await labelIndex.put([serviceLabel(2)], 60, null)
      await labelIndex.put([serviceLabel(2)], 70, null)
      expect(labelIndex.count()).toBe(20_001)
      expect(labelIndex.trim(1_500, 65, 100)).toBe(100)
      expect(labelIndex.count()).toBe(19_901)
    })
    for (const sql of steps.flatMap((step) => [...step.sql])) expect(sql).not.toContain('count(')
  })
})
