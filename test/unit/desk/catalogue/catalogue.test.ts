import { describe, expect, it } from 'vitest'
import { Catalogue } from '#desk/catalogue/catalogue.ts'
import { createLine, LineWatch } from '#desk/service/line.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { CatalogueStore, SyncEnd, SyncListener } from '#desk/ports/catalogue-store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { KeptIndex, SessionView } from '#shared/bridge/views.ts'
import { fakeClock, memoryValues } from '#support/desk-fakes.ts'

interface Round {
  readonly listener: SyncListener
  end(end: SyncEnd): Promise<void>
}

const shipments: KeptIndex = {
  state: 'ready',
  count: 7,
  asOf: null,
  reachesBackTo: null,
  goesBackTo: '1970-01-01T00:00:00.000Z',
  gapSince: null,
  leftOut: 0,
  failure: null,
}

function setUp() {
  const clock = fakeClock()
  const rounds: Round[] = []
  const periods: number[] = []
  const refused: string[] = []
  let state: SessionView['state'] = 'signed_in'
  let complete = false
  let months = 6
  let lotsAsOf = 2_000
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const store: CatalogueStore = {
    variant: () => null,
    byCode: () => [],
    search: () => ({ variants: [], more: false }),
    keep: () => undefined,
    methods: () => ({ rows: [], asOf: null }),
    methodCode: () => null,
    locationTypes: () => ({ rows: [], asOf: null }),
    state: () => ({ complete, variants: 0, shippingMethods: 0, locationTypes: 0, asOf: null, skipped: 2 }),
    details: () => ({
      fullReadAt: 1_000,
      pageRows: 500,
      lots: { count: 9, asOf: lotsAsOf },
      skippedRows: [{ list: 'batches', id: null, problem: 'quantity: invalid_type', seenAt: 3_000 }],
    }),
    sync(listener, { lotsEveryMs }) {
      periods.push(lotsEveryMs)
      const { promise, resolve } = Promise.withResolvers<SyncEnd>()
      rounds.push({
        listener,
        async end(end) {
          if (end.kind === 'done') complete = true
          resolve(end)
          await settle()
        },
      })
      const stop = (): Promise<void> => {
        resolve({ kind: 'stopped' })
        return Promise.resolve()
      }
      return { ended: promise, stop }
    },
  }
  const line = createLine(clock, () => undefined)
  const catalogue = new Catalogue({
    store,
    values: memoryValues(),
    shipments: {
      view: () => ({ ...shipments, months, mostDays: null }),
      labelView: () => ({ ...shipments, count: 3 }),
      skippedRows: () => [],
      keep: (wanted) => void (months = wanted),
    },
    session: {
      get isSignedIn() {
        return state === 'signed_in'
      },
      state: () => ({ state, username: null, roles: [], customer: null, keepsLogin: true }),
      access: () => Promise.resolve({ ok: true, token: 'token' }),
      accessRefused: (token) => void refused.push(token),
    },
    line,
    clock,
    everyMs: 60_000,
    waitMs: 1_000,
    changed: () => undefined,
    onFault: (error) => {
      throw error
    },
  })
  const round = async (number: number): Promise<Round> => {
    await settle()
    const found = rounds[number]
    if (!found) throw new Error(`no round ${number}, but ${rounds.length}`)
    return found
  }
  return {
    catalogue,
    clock,
    rounds,
    periods,
    round,
    refused,
    settle,
    line,
    sign: (to: typeof state) => (state = to),
    readLots: () => (lotsAsOf = clock.now()),
  }
}

const offline: SyncEnd = { kind: 'failed', failure: failure('network.offline', { host: 'h' }) }
const answer: ApiOutcome<null> = { kind: 'answer', status: 200, value: null, serverDate: null }
const timeout: ApiOutcome<null> = { kind: 'ambiguous', status: null, failure: failure('network.timeout') }

describe('Catalogue', () => {
  it('starts its first round at once, shows the progress of this round, and starts the next round a minute after its end', async () => {
    const { catalogue, clock, rounds, round, settle } = setUp()
    expect(catalogue.view()).toMatchObject({ state: 'empty', progress: null })
    catalogue.kick()
    const first = await round(0)
    expect(catalogue.view().state).toBe('filling')
    first.listener.progress({ rows: 250, expected: 1_000, rowsPerSecond: 249.6 })
    expect(catalogue.view().progress).toEqual({
      rows: 250,
      expected: 1_000,
      rowsPerSecond: 250,
      secondsLeft: 4,
    })
    await first.end({ kind: 'done' })
    expect(catalogue.view()).toMatchObject({ state: 'ready', progress: null, failure: null })
    clock.advance(59_999)
    await settle()
    expect(rounds).toHaveLength(1)
    clock.advance(2)
    await round(1)
    expect(catalogue.view().state).toBe('ready')
  })

  it('starts no round while no operator is signed in, and pauses after each round that fails because there is no connection', async () => {
    const { catalogue, clock, rounds, round, settle, sign } = setUp()
    sign('signed_out')
    catalogue.kick()
    await settle()
    expect(rounds).toHaveLength(0)
    expect(await catalogue.sync()).toMatchObject({ ok: false, error: { code: 'session.signed_out' } })
    const why = { failure: { code: 'session.signed_out' } }
    expect(catalogue.overview()).toMatchObject({ articles: why, lots: why })
    sign('signed_in')
    catalogue.retryNow()
    for (let number = 0; number < 8; number++) {
      await (await round(number)).end(offline)
      expect(catalogue.view().failure).toMatchObject({ code: 'network.offline' })
      clock.advance(1_999)
      await settle()
      expect(rounds).toHaveLength(number + 1)
      clock.advance(72_000)
    }
    await (await round(8)).end({ kind: 'done' })
    expect(catalogue.view().failure).toBeNull()
  })

  it('judges the connection by each call of a round, with the time at which the call began, and not by the end of the round', async () => {
    const { catalogue, clock, round, line } = setUp()
    catalogue.kick()
    const first = await round(0)
    first.listener.called(answer, 5)
    expect(line.view().state).toBe('online')
    clock.advance(20_000)
    // another call of the desk receives a response while the page times out, so the connection stays online and is not
    // in doubt
    line.observe(answer)
    first.listener.called(timeout, 20_000)
    await first.end({ kind: 'failed', failure: failure('network.timeout') })
    expect([line.view().state, line.isInDoubt()]).toEqual(['online', false])
    catalogue.retryNow()
    const second = await round(1)
    clock.advance(100)
    second.listener.called({ kind: 'not_sent', failure: failure('network.offline', { host: 'h' }) }, 5)
    expect(line.isOffline()).toBe(true)
    // the end `done` does not make the connection online, because a round ends like this even if only the lots could
    // not be read
    await second.end({ kind: 'done' })
    expect(line.isOffline()).toBe(true)
  })

  it('waits longer after each round in which a page times out, although no other call shows that the connection is good', async () => {
    const { catalogue, clock, rounds, settle, line } = setUp()
    const heard: string[] = []
    const watch = new LineWatch({
      line,
      session: { isSignedIn: false, withAccess: () => Promise.reject(new Error('not signed in')) },
      api: { greet: () => Promise.resolve(answer) },
      clock,
      everyMs: 10_000,
      onFault: (error) => {
        throw error
      },
    })
    line.onLost(() => heard.push('lost'))
    line.onBack((wasLost) => {
      if (wasLost) catalogue.retryNow()
    })
    watch.kick()
    catalogue.kick()
    for (let second = 0, ended = 0, begun = 0; second < 600; second++) {
      await settle()
      const current = rounds[ended]
      if (!current) begun = second
      else if (second >= begun + 20) {
        current.listener.called(timeout, 20_000)
        await current.end({ kind: 'failed', failure: failure('network.timeout') })
        ended++
        begun = second
      }
      clock.advance(1_000)
    }
    expect(heard).toEqual([])
    expect(rounds.length).toBeLessThan(14)
    await watch.close()
  })

  it('runs a second round after the current round when a round is requested meanwhile', async () => {
    const { catalogue, rounds, round, settle } = setUp()
    catalogue.kick()
    const first = await round(0)
    const wish = catalogue.sync()
    await first.end({ kind: 'done' })
    const second = await round(1)
    let answered = false
    void wish.then(() => (answered = true))
    await settle()
    expect(answered).toBe(false)
    await second.end(offline)
    expect(await wish).toMatchObject({ ok: false, error: { code: 'network.offline' } })
    expect(rounds).toHaveLength(2)
  })

  it('returns the progress of a requested round if the round has not ended within one second', async () => {
    const { catalogue, clock, round, settle } = setUp()
    const wish = catalogue.sync()
    const first = await round(0)
    first.listener.progress({ rows: 5, expected: null, rowsPerSecond: 0 })
    await settle()
    clock.advance(1_000)
    expect(await wish).toMatchObject({
      ok: true,
      value: { state: 'filling', progress: { rows: 5, secondsLeft: null } },
    })
  })

  it('shows the states of the articles and the lots, the times of their last complete reads, and the time of the next read of the lots', async () => {
    const { catalogue, round } = setUp()
    catalogue.kick()
    const { listener } = await round(0)
    expect(catalogue.overview()).toMatchObject({
      articles: { state: 'filling', skipped: 2 },
      fullReadAt: '1970-01-01T00:00:01.000Z',
      pageRows: 500,
      lots: {
        state: 'ready',
        count: 9,
        asOf: '1970-01-01T00:00:02.000Z',
        everyHours: 6,
        nextAt: '1970-01-01T06:00:02.000Z',
        rowsRead: null,
      },
      skippedRows: [{ list: 'batches', seenAt: '1970-01-01T00:00:03.000Z' }],
    })
    listener.lots({ rows: 700, failure: null })
    expect(catalogue.overview().lots).toMatchObject({ state: 'reading', rowsRead: 700 })
    listener.lots({ rows: null, failure: failure('api.role_missing') })
    expect(catalogue.overview().lots).toMatchObject({ state: 'ready', failure: { code: 'api.role_missing' } })
  })

  it('shows the failure of a list in the row of this list, and keeps the articles up to date', async () => {
    const { catalogue, round } = setUp()
    const wish = catalogue.sync()
    const unread = { variants: null, fullRead: null, shippingmethods: null, locationtypes: null }
    const role = failure('api.role_missing')
    const timeout = failure('network.timeout')
    const first = await round(0)
    first.listener.lots({ rows: 30, failure: null })
    await first.end({ kind: 'failed', failure: role, lists: { ...unread, shippingmethods: role } })
    expect(await wish).toMatchObject({ ok: true, value: { failure: null } })
    // the failure of the shipping methods did not interrupt the pass over all lots
    expect(catalogue.overview()).toMatchObject({
      articles: { failure: null },
      fullReadFailure: null,
      methodsFailure: { code: 'api.role_missing' },
      typesFailure: null,
      lots: { state: 'reading', rowsRead: 30, failure: null },
    })
    catalogue.retryNow()
    const second = await round(1)
    const lists = { ...unread, fullRead: timeout, locationtypes: timeout }
    await second.end({ kind: 'failed', failure: timeout, lists })
    expect(catalogue.overview()).toMatchObject({
      articles: { failure: null },
      fullReadFailure: { code: 'network.timeout' },
      methodsFailure: null,
      typesFailure: { code: 'network.timeout' },
    })
    const last = catalogue.sync()
    await (await round(2)).end({ kind: 'failed', failure: role, lists: { ...unread, variants: role } })
    expect(await last).toMatchObject({ ok: false, error: { code: 'api.role_missing' } })
    expect(catalogue.view().failure).toMatchObject({ code: 'api.role_missing' })
  })

  it('shows, after a round that ended early, the failure of the lots if they are due, and no failure if they are up to date', async () => {
    const { catalogue, clock, round, readLots } = setUp()
    catalogue.kick()
    readLots()
    await (await round(0)).end(offline)
    const lotsFailure = (): unknown => catalogue.overview().lots.failure?.code
    expect(lotsFailure()).toBeUndefined()
    clock.advance(6 * 3600_000 + 1)
    expect(lotsFailure()).toBe('network.offline')
    expect(catalogue.overview()).toMatchObject({ methodsFailure: null, articles: { failure: {} } })
    await (await round(1)).end({ kind: 'done' })
    expect(lotsFailure()).toBeUndefined()
  })

  it('shows how many shipments and return labels are stored, and lets the operator change for how many months shipments are kept', () => {
    const { catalogue } = setUp()
    expect(catalogue.overview()).toMatchObject({
      shipments: { count: 7, months: 6 },
      returnLabels: { count: 3 },
    })
    expect(catalogue.keepShipments({ months: 12 }).shipments.months).toBe(12)
  })

  it('passes the interval between two reads of all lots to each round, and starts the next round without a pause while the read of all lots has not ended', async () => {
    const { catalogue, round, rounds, periods, settle } = setUp()
    catalogue.kick()
    const first = await round(0)
    expect(catalogue.keepLots({ everyHours: 2 }).lots.everyHours).toBe(2)
    first.listener.lots({ rows: 10, failure: null })
    await first.end({ kind: 'done' })
    const second = await round(1)
    second.listener.lots({ rows: 20, failure: null })
    await second.end({ kind: 'done' })
    const third = await round(2)
    third.listener.lots({ rows: null, failure: null })
    await third.end({ kind: 'done' })
    await settle()
    expect(rounds).toHaveLength(3)
    expect(periods).toEqual([6, 2, 2].map((hours) => hours * 3600_000))
  })

  it('gives its round an access token, and reports a token that the service refused', async () => {
    const { catalogue, round, refused } = setUp()
    catalogue.kick()
    const { listener } = await round(0)
    expect(await listener.access(null)).toEqual({ ok: true, token: 'token' })
    await listener.access('old')
    expect(refused).toEqual(['old'])
  })

  it('starts no further round after it is closed', async () => {
    const { catalogue, round, rounds, settle } = setUp()
    catalogue.kick()
    await round(0)
    await catalogue.close()
    catalogue.retryNow()
    await settle()
    expect(rounds).toHaveLength(1)
  })
})
