import { serverLabelIdOf } from '#support/ids.ts'
import { describe, expect, it } from 'vitest'
import type { ApiPort } from '#desk/ports/api.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import { listRecentLabels, type RecentLabels } from '#desk/labels/recent-labels.ts'
import { type ListSource, PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { refused } from '#support/modification-service.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
/** The source of a walk through the list of this service. */
function source(api: ApiPort): ListSource {
  const session: Pick<Session, 'withAccess'> = { withAccess: (call) => call('token') }
  return { api, session, pageLimit: new PageLimit(fakeClock()) }
}

/** Makes a walk go back to the time of the Date header. */
const present = (serviceTime: number): number => serviceTime

/**
 * Walks the list of a service that has this number of recent labels. The service returns at most `pageLength` labels
 * per page, even if a longer page is requested. `lengthOf`: called at each read of a page; the response contains at
 * most this number of the labels of the page.
 */
async function walk(
  labels: number,
  pageLength: number,
  ignoresPage = false,
  lengthOf: (page: number) => number = () => pageLength,
): Promise<{ seen: number; calls: number }> {
  const all = Array.from({ length: labels }, (_, index) => ({
    ...scriptedLabel(index + 1, scriptedShipment(1)).wire,
    created_at: new Date(now - index * 1_000).toISOString(),
  }))
  let calls = 0
  const api: ApiPort = {
    ...unusedApi,
    listReturnLabels: (_, { page, limit }) => {
      calls++
      const length = Math.min(limit, pageLength)
      const from = ignoresPage ? 0 : (page - 1) * length
      const value = { rows: all.slice(from, from + length).slice(0, lengthOf(page)), skipped: [] }
      return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: now })
    },
  }
  const recent = await listRecentLabels(source(api), present, now)
  if (!recent.ok) throw new Error(recent.failure.code)
  return { seen: recent.labels.length, calls }
}

describe('listRecentLabels()', () => {
  it('reads a whole list in pages of fifty rows if the service refuses longer ones', async () => {
    const clock = fakeClock()
    const all = Array.from({ length: 130 }, (_, index) => ({
      ...scriptedLabel(index + 1, scriptedShipment(1)).wire,
      created_at: new Date(now - index * 1_000).toISOString(),
    }))
    const limits: number[] = []
    const api: ApiPort = {
      ...unusedApi,
      listReturnLabels: (_, { page, limit }) => {
        limits.push(limit)
        if (limit > 50) return Promise.resolve(refused(422))
        const value = { rows: all.slice((page - 1) * limit, page * limit), skipped: [] }
        return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: now })
      },
    }
    const walked = { ...source(api), pageLimit: new PageLimit(clock) }
    const recent = await listRecentLabels(walked, present, now)
    expect(recent).toMatchObject({ ok: true })
    expect(recent.ok && recent.labels.length).toBe(130)
    expect(limits).toEqual([100, 50, 50, 50, 50])
    limits.length = 0
    await listRecentLabels(walked, present, now)
    expect(limits).toEqual([50, 50, 50, 50])
  })

  it.each([
    [0, 100],
    [1, 100],
    [120, 50],
    [120, 7],
    [300, 100],
    [100, 100],
  ])(
    'reads all %i labels of a service that returns at most %i labels in a page',
    async (labels, pageLength) => {
      expect((await walk(labels, pageLength)).seen).toBe(labels)
    },
  )

  it('returns hashes of the ids of all rows of the read pages, also of old, unwanted and unreadable rows', async () => {
    const { wire } = scriptedLabel(1, scriptedShipment(1))
    const old = {
      ...wire,
      id: serverLabelIdOf('old'),
      created_at: new Date(now - 2 * 86_400_000).toISOString(),
    }
    const unwanted = { ...wire, created_at: new Date(now).toISOString() }
    const value = { rows: [unwanted, old], skipped: [{ id: 'unreadable', problem: 'url: ?' }] }
    const api: ApiPort = {
      ...unusedApi,
      listReturnLabels: () => Promise.resolve({ kind: 'answer', status: 200, value, serverDate: now }),
    }
    const recent = await listRecentLabels(source(api), present, now, () => false)
    expect(recent).toMatchObject({ ok: true, labels: [], older: [] })
    expect(recent.ok && [...recent.listed]).toEqual([wire.id, 'old', 'unreadable'].map(idHash))
  })

  it('stops after the page with the first label that is too old, or when the service repeats a page', async () => {
    expect(await walk(2_000, 100)).toEqual({ seen: 601, calls: 7 })
    // four pages repeat the first one, and the last call reads the last of them a second time
    expect(await walk(120, 50, true)).toEqual({ seen: 50, calls: 6 })
  })

  it.each([1, 2, 3])(
    'reads all labels although other clients create a page of labels before page 2, for %i pages in a row',
    async (pages) => {
      const label = (nth: number) => ({
        ...scriptedLabel(1_000 + nth, scriptedShipment(1)).wire,
        created_at: new Date(now - nth * 1_000).toISOString(),
      })
      const old = Array.from({ length: 30 }, (_, nth) => label(nth))
      const all = [...old]
      const api: ApiPort = {
        ...unusedApi,
        listReturnLabels: (_, { page }) => {
          if (page > 1 && page <= 1 + pages)
            all.unshift(...Array.from({ length: 10 }, (_, nth) => label(-10 * page - nth)))
          const value = { rows: all.slice((page - 1) * 10, page * 10), skipped: [] }
          return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: now })
        },
      }
      const recent = await listRecentLabels(source(api), present, now)
      expect(recent.ok && recent.labels.filter(({ id }) => old.some((one) => one.id === id))).toHaveLength(30)
    },
  )

  it.each([
    { page: 1, rows: 0 },
    { page: 2, rows: 0 },
    { page: 2, rows: 99 },
  ])(
    'reads all labels if the service once returns only $rows labels of page $page, because it reads a page that looks like the last one a second time',
    async ({ page, rows }) => {
      let reads = 0
      const all = await walk(250, 100, false, (read) => (read === page && reads++ === 0 ? rows : 100))
      // the third page has fewer labels, so it is read twice; these two reads are the last ones
      expect(all).toEqual({ seen: 250, calls: 5 })
    },
  )

  it('reads further back if the PC clock is behind the Date header: by the difference of the two clocks, but by at most one day', async () => {
    const hourMs = 60 * 60_000
    const rows = [0, 1, 20, 30].map((hours) => ({
      ...scriptedLabel(hours, scriptedShipment(1)).wire,
      id: serverLabelIdOf(`${hours} h`),
      created_at: new Date(now - hours * hourMs).toISOString(),
    }))
    const api: ApiPort = {
      ...unusedApi,
      listReturnLabels: (_, { page }) => {
        const value = { rows: page === 1 ? rows : [], skipped: [] }
        return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: now })
      },
    }
    const older = async (localTime: number): Promise<readonly string[]> => {
      const recent = await listRecentLabels(source(api), present, localTime)
      expect(recent).toMatchObject({ ok: true, labels: [{ id: '0 h' }] })
      return recent.ok ? recent.older.map(({ id }) => id) : []
    }
    expect(await older(now)).toEqual([])
    expect(await older(now + hourMs)).toEqual([])
    expect(await older(now - hourMs)).toEqual(['1 h'])
    expect(await older(0)).toEqual(['1 h', '20 h'])
  })

  it('counts the age of the wanted labels back from the newest label if the Date header, or also the clock of the PC, is ahead of the labels; ignores a label that is newer than both clocks', async () => {
    const [minuteMs, dayMs] = [60_000, 24 * 60 * 60_000]
    const walkAt = async (
      minutes: readonly number[],
      serverDate: number,
      since: number,
      localTime: number,
    ) => {
      const rows = minutes.map((ago) => ({
        ...scriptedLabel(1, scriptedShipment(1)).wire,
        id: serverLabelIdOf(`${ago} min`),
        created_at: new Date(now - ago * minuteMs).toISOString(),
      }))
      const api: ApiPort = {
        ...unusedApi,
        listReturnLabels: (_, { page }) => {
          const value = { rows: page === 1 ? rows : [], skipped: [] }
          return Promise.resolve({ kind: 'answer', status: 200, value, serverDate })
        },
      }
      const recent = await listRecentLabels(source(api), since, localTime)
      return recent.ok ? recent.older.map(({ id }) => id) : []
    }
    const list = [-300 * 24 * 60, 1, 30, 45]
    const sentAt = now - 30 * minuteMs
    expect(await walkAt(list, now, sentAt, now)).toEqual([])
    for (const aheadMs of [2 * dayMs, 200 * dayMs])
      for (const localTime of [now, now + aheadMs])
        expect(await walkAt(list, now + aheadMs, sentAt + aheadMs, localTime)).toEqual(['1 min', '30 min'])
  })

  it('fails at a page that comes from a cache, because such a page does not show the newest labels', async () => {
    const api: ApiPort = {
      ...unusedApi,
      listReturnLabels: () =>
        Promise.resolve({
          kind: 'answer',
          status: 200,
          value: { rows: [scriptedLabel(1, scriptedShipment(1)).wire], skipped: [] },
          serverDate: now,
          isStored: true,
        }),
    }
    expect(await listRecentLabels(source(api), present, now)).toMatchObject({
      ok: false,
      isRefused: false,
      failure: { code: 'api.malformed_answer' },
    })
  })

  it('reports unreadable rows, and continues after a page with unreadable rows', async () => {
    const row = scriptedLabel(1, scriptedShipment(1)).wire
    const bad = { id: 'bad', problem: 'url: invalid_type' }
    const pages = [
      { rows: [{ ...row, id: serverLabelIdOf('a') }], skipped: [bad] },
      {
        rows: [
          { ...row, id: serverLabelIdOf('b') },
          { ...row, id: serverLabelIdOf('c') },
        ],
        skipped: [],
      },
      { rows: [], skipped: [] },
    ]
    const api: ApiPort = {
      ...unusedApi,
      listReturnLabels: (_, { page }) =>
        Promise.resolve({
          kind: 'answer',
          status: 200,
          value: pages[page - 1] ?? { rows: [], skipped: [] },
          serverDate: Date.parse(row.created_at),
        }),
    }
    const recent = await listRecentLabels(source(api), present, now)
    expect(recent).toMatchObject({ ok: true, skipped: [bad] })
    expect(recent.ok && recent.labels.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  it('fails after fewer than 30,000 labels when the pages of the service never end', async () => {
    let made = 0
    const row = scriptedLabel(1, scriptedShipment(1)).wire
    const api: ApiPort = {
      ...unusedApi,
      listReturnLabels: () => {
        const rows = Array.from({ length: 1_000 }, () => ({ ...row, id: serverLabelIdOf(String(made++)) }))
        return Promise.resolve({
          kind: 'answer',
          status: 200,
          value: { rows, skipped: [] },
          serverDate: Date.parse(row.created_at),
        })
      },
    }
    expect(await listRecentLabels(source(api), present, now)).toMatchObject({ ok: false, isRefused: false })
    expect(made).toBeLessThan(30_000)
  })

  /**
   * Walks a list of labels. The service returns one label per page. Each label contains `parcel` `parcels` times.
   * `pages`: the number of pages; without it the list is endless.
   */
  async function walkHeavy(
    parcels: number,
    parcel: ReturnLabel['tracking_information'][number],
    isWanted?: (label: BriefLabel) => boolean,
    pages = Infinity,
  ): Promise<{ recent: RecentLabels; calls: number }> {
    const row = scriptedLabel(1, scriptedShipment(1)).wire
    let calls = 0
    const api: ApiPort = {
      ...unusedApi,
      listReturnLabels: (_, { page }) => {
        calls++
        const one = {
          ...row,
          id: serverLabelIdOf(String(page)),
          tracking_information: Array(parcels).fill(parcel),
        }
        const value = { rows: page > pages ? [] : [one], skipped: [] }
        return Promise.resolve({
          kind: 'answer',
          status: 200,
          value,
          serverDate: Date.parse(row.created_at),
        })
      },
    }
    return { recent: await listRecentLabels(source(api), present, now, isWanted), calls }
  }

  const address = 'https://carrier.example/'.padEnd(8_000, 'x')

  it('fails before it has read 80 MiB of an endless list of large labels', async () => {
    const parcel = { label_code: null, tracking_code: null, tracking_url: address }
    const { recent, calls } = await walkHeavy(425, parcel)
    expect(recent).toMatchObject({ ok: false, failure: { code: 'api.malformed_answer' } })
    expect(calls * 425 * address.length).toBeLessThan(80 * 1024 * 1024)
  })

  it('fails before it keeps 20 MiB of wanted labels with many codes, and does not keep unwanted labels', async () => {
    const parcel = { label_code: 'c'.repeat(255), tracking_code: 't'.repeat(255), tracking_url: null }
    const { recent, calls } = await walkHeavy(100, parcel)
    expect(recent.ok).toBe(false)
    expect(calls * 100 * 510).toBeLessThan(20 * 1024 * 1024)
    const unwanted = await walkHeavy(100, parcel, ({ id }) => id === '7', 300)
    expect(unwanted.recent).toMatchObject({ ok: true, labels: [{ id: '7' }] })
  })

  it('keeps only the fields that distinguish labels, for example codes but no tracking URLs', async () => {
    const parcel = { label_code: 'RT1', tracking_code: '3S1', tracking_url: address }
    const { recent } = await walkHeavy(400, parcel, undefined, 1)
    if (!recent.ok) throw new Error(recent.failure.code)
    expect(JSON.stringify(recent.labels).length).toBeLessThan(10_000)
    expect(recent.labels[0]).toMatchObject({
      id: '1',
      shipment: { id: scriptedShipment(1).id, reference: scriptedShipment(1).reference },
      tracking_information: Array(100).fill({ ...parcel, tracking_url: null }),
    })
  })
})
