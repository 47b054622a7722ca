import { describe, expect, it } from 'vitest'
import { listRecentModifications } from '#desk/modifications/recent-modifications.ts'
import type { ApiPort } from '#desk/ports/api.ts'
import { PageLimit } from '#desk/service/page-limit.ts'
import type { Session } from '#desk/service/session.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { ModificationService } from '#support/modification-service.ts'
import { smallId } from '#support/small-world.ts'
import { serverIdOf } from '#support/ids.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const line = { variant: { id: smallId(21) }, location: { id: smallId(41) }, quantity: 1 }

/** Calls listRecentModifications() for an endless list. Each page has one modification, with this number of lines. */
async function walkHeavy(lines: number, madeAt: number) {
  let calls = 0
  const api: ApiPort = {
    ...unusedApi,
    listModifications: (_, { page }) => {
      calls++
      const at = new Date(madeAt).toISOString()
      const one: Modification = {
        id: serverIdOf(String(page)),
        reference: 'MOD1',
        reason: 'CORRECTION',
        status: 'created',
        note: 'n'.repeat(20_000),
        created_at: at,
        modified_at: at,
        modification_lines: Array(lines).fill(line),
      }
      const value = { rows: [one], skipped: [] }
      return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: now })
    },
  }
  const session: Pick<Session, 'withAccess'> = { withAccess: (call) => call('token') }
  const source = { api, session, pageLimit: new PageLimit(fakeClock()) }
  return { recent: await listRecentModifications(source, null, now), calls: () => calls }
}

describe('listRecentModifications()', () => {
  it('stops reading an endless list of large bookings before it keeps 32 MiB', async () => {
    const { recent, calls } = await walkHeavy(5_000, now)
    expect(recent).toMatchObject({ trouble: { failure: { code: 'api.malformed_answer' } } })
    expect(recent.brokeOffAt).toBe(calls())
    expect(calls()).toBeLessThan(100)
    expect(JSON.stringify(recent.rows).length).toBeLessThan(32 * 1024 * 1024)
  })
  it('reads a whole list in shorter pages if the service refuses longer ones', async () => {
    const clock = fakeClock()
    const service = new ModificationService(clock)
    service.longestPage = 30
    for (let i = 0; i < 60; i++) service.add('x', clock.now())
    const source = { api: service.api, session: await service.session(), pageLimit: new PageLimit(clock) }
    const recent = await listRecentModifications(source, null, clock.now())
    expect(recent).toMatchObject({ brokeOffAt: null, trouble: null })
    expect(recent.rows).toHaveLength(60)
  })

  it('fails at the second page if the service ignores the page number', async () => {
    const clock = fakeClock()
    const service = new ModificationService(clock)
    service.ignoresPage = true
    for (let i = 0; i < 100; i++) service.add('x', clock.now())
    const session = await service.session()
    const recent = await listRecentModifications(
      { api: service.api, session, pageLimit: new PageLimit(clock) },
      null,
      clock.now(),
    )
    expect(recent).toMatchObject({ brokeOffAt: 2, trouble: { failure: { code: 'api.malformed_answer' } } })
    expect(recent.rows).toHaveLength(100)
    expect(service.calls).toEqual(['list 1', 'list 2'])
  })

  it.each([
    { page: 1, rows: 0 },
    { page: 2, rows: 0 },
    { page: 2, rows: 99 },
  ])(
    'reads each booking once, even if the service once returns only $rows bookings of page $page, because a page that looks like the last one is read a second time',
    async ({ page, rows }) => {
      const clock = fakeClock()
      const service = new ModificationService(clock)
      for (let i = 0; i < 250; i++) service.add('x', clock.now() - i * 1_000)
      const session = await service.session()
      let reads = 0
      const api: ApiPort = {
        ...service.api,
        async listModifications(access, query) {
          const outcome = await service.api.listModifications(access, query)
          if (outcome.kind !== 'answer' || query.page !== page || reads++ > 0) return outcome
          return { ...outcome, value: { rows: outcome.value.rows.slice(0, rows), skipped: [] } }
        },
      }
      const recent = await listRecentModifications(
        { api, session, pageLimit: new PageLimit(clock) },
        null,
        clock.now(),
      )
      expect(recent).toMatchObject({ brokeOffAt: null, trouble: null })
      expect(recent.rows.map(({ id }) => id).toSorted()).toEqual(service.rows.map(({ id }) => id).toSorted())
      // the third page has fewer bookings, so it is read twice; these two reads are the last ones
      expect(service.calls).toHaveLength(5)
    },
  )

  it('ends at the last page if a cache returns its second read, because a cache may return the first response again', async () => {
    const clock = fakeClock()
    const service = new ModificationService(clock)
    service.add('x', clock.now())
    const session = await service.session()
    const api: ApiPort = {
      ...service.api,
      async listModifications(access, query) {
        const isStored = service.calls.includes(`list ${query.page}`)
        const outcome = await service.api.listModifications(access, query)
        return isStored && outcome.kind === 'answer' ? { ...outcome, isStored } : outcome
      },
    }
    const recent = await listRecentModifications(
      { api, session, pageLimit: new PageLimit(clock) },
      null,
      clock.now(),
    )
    expect(recent).toMatchObject({ rows: [{ note: 'x' }], brokeOffAt: null, trouble: null })
    expect(service.calls).toEqual(['list 1', 'list 2', 'list 2'])
  })

  it('fails at a page that comes from a cache, because such a page does not show the newest bookings', async () => {
    const clock = fakeClock()
    const service = new ModificationService(clock)
    service.add('x', clock.now())
    const session = await service.session()
    const api: ApiPort = {
      ...service.api,
      async listModifications(access, query) {
        const outcome = await service.api.listModifications(access, query)
        return outcome.kind === 'answer' ? { ...outcome, isStored: true } : outcome
      },
    }
    const recent = await listRecentModifications(
      { api, session, pageLimit: new PageLimit(clock) },
      null,
      clock.now(),
    )
    expect(recent).toMatchObject({
      rows: [],
      brokeOffAt: 1,
      trouble: { failure: { code: 'api.malformed_answer' }, isRefused: false },
    })
  })
})
