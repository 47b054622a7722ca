import { beforeEach, describe, expect, it } from 'vitest'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { SpeedKind, SpeedRow } from '#shared/bridge/speed-views.ts'
import { speedView } from '#shared/bridge/speed-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { labelIdOf } from '#support/ids.ts'
import { sampleLabel } from '#support/memory-desk/labels.ts'
import { withState } from '#support/memory-desk/memory-core.ts'
import type { Handlers } from '../../../electron/main/ipc/bind.ts'
import { LabelTimes, SpeedToday } from '../../../electron/main/speed-today.ts'

type LabelHandlers = Pick<Handlers<'returnLabel'>, 'make' | 'request'>

const rowOf = (speed: SpeedToday, kind: SpeedKind): SpeedRow => {
  const row = speed.view().rows.find((one) => one.kind === kind)
  if (!row) throw new Error(`there is no row ${kind}`)
  return row
}

describe('the durations of today', () => {
  let now: Date
  let speed: SpeedToday

  beforeEach(() => {
    // local times, because a day begins at midnight of this computer
    now = new Date(2026, 10, 21, 14, 7)
    speed = new SpeedToday(() => now.getTime())
  })

  it('are counted from zero at the start of the app, and `since` is the time of this start', () => {
    expect(speed.view()).toEqual({
      since: now.toISOString(),
      rows: ['sound', 'card', 'label'].map((kind) => ({ kind, count: 0, figures: null })),
    })
  })

  it('are returned as percentiles of each kind, with the slowest duration and the time of that duration', () => {
    const samples = [12, 14, 16, 18, 400].map((ms) => ({ kind: 'sound' as const, ms }))
    expect(speed.add({ samples })).toEqual(ok(undefined))
    now = new Date(2026, 10, 21, 15)
    speed.add({ samples: [{ kind: 'sound', ms: 10 }] })
    const { count, figures } = rowOf(speed, 'sound')
    expect([count, figures?.slowestMs]).toEqual([6, 400])
    expect(figures?.slowestAt).toBe(new Date(2026, 10, 21, 14, 7).toISOString())
    expect(figures?.p50Ms).toBeCloseTo(14, 0)
    expect(Math.abs((figures?.p95Ms ?? 0) - 400)).toBeLessThan(10)
    expect(rowOf(speed, 'card').count).toBe(0)
    expect(speedView.safeParse(speed.view()).success).toBe(true)
  })

  it('are counted from zero again after midnight, even if no new duration is added', () => {
    speed.took('card', 30)
    now = new Date(2026, 10, 21, 23, 59, 59)
    expect(rowOf(speed, 'card').count).toBe(1)
    now = new Date(2026, 10, 22, 0, 0, 1)
    expect(rowOf(speed, 'card').count).toBe(0)
    expect(speed.view().since).toBe(new Date(2026, 10, 22).toISOString())
    speed.took('card', 40)
    expect(rowOf(speed, 'card').figures?.slowestMs).toBe(40)
  })
})

describe('the time from request to print of a label', () => {
  let took: number[]
  let at: { ticksMs: number; wallMs: number }
  let times: LabelTimes

  beforeEach(() => {
    took = []
    at = { ticksMs: 0, wallMs: 1_000_000 }
    times = new LabelTimes(
      (ms) => void took.push(ms),
      () => at,
    )
  })

  const pass = (ms: number): void => {
    at = { ticksMs: at.ticksMs + ms, wallMs: at.wallMs + ms }
  }
  const label = (change: Partial<ReturnLabelView> = {}): ReturnLabelView =>
    withState({ ...sampleLabel(0), request: 'queued', ...change })
  const print: NonNullable<ReturnLabelView['print']> = {
    ...{ id: 'job', state: 'queued', printer: 'p', printerTitle: 'p', file: null, isReprint: false },
    ...{
      mayBeOnPaper: false,
      asks: false,
      scanProves: true,
      unlisted: [],
      at: '2026-11-21T14:07:00Z',
      failure: null,
    },
  }
  const done = { create: 'done', request: 'done', requested: true, stored: true } as const
  const printed = (state: 'sent' | 'spooled' | 'confirmed', id = 'lb-1'): ReturnLabelView =>
    label({ ...done, id: labelIdOf(id), print: { ...print, state } })

  /** Requests a label with `make`, a call that takes 3 ms. */
  async function make(result: Result<ReturnLabelView>): Promise<void> {
    const later = (): Promise<Result<ReturnLabelView>> => {
      pass(3)
      return Promise.resolve(result)
    }
    const handlers = times.timed<LabelHandlers>({ make: later, request: later })
    const args = { mode: { by: 'shipment', shipmentId: 's', shippingMethodId: null, sender: null } } as const
    expect(await handlers.make({ ...args, request: true, seen: null })).toBe(result)
  }

  it.each(['sent', 'spooled', 'confirmed'] as const)(
    'lasts from the call that requests the label until its print is %s, and is counted once',
    async (state) => {
      await make(ok(label()))
      pass(800)
      times.moved(label({ create: 'done', request: 'sending' }))
      times.moved(label({ ...done, print }))
      pass(200)
      times.moved(printed(state))
      pass(100)
      times.moved(printed('confirmed'))
      expect(took).toEqual([1_003])
    },
  )

  it('is also counted for a label that is requested after it was created', async () => {
    const requested = label({ create: 'done' })
    const request = (): Promise<Result<ReturnLabelView>> => Promise.resolve(ok(requested))
    await times.timed<LabelHandlers>({ make: request, request }).request({ id: requested.id })
    pass(500)
    times.moved(printed('sent'))
    expect(took).toEqual([500])
  })

  it('is measured by wrappers that pass the station on to each call', async () => {
    const stations: unknown[] = []
    const heard = (_: unknown, station?: string): Result<ReturnLabelView> => {
      stations.push(station)
      return fail('station.changed')
    }
    const handlers = times.timed<LabelHandlers>({ make: heard, request: heard })
    const mode = { by: 'shipment', shipmentId: 's', shippingMethodId: null, sender: null } as const
    await handlers.make({ mode, request: true, seen: null }, 'alder')
    await handlers.request({ id: label().id }, 'birch')
    expect(stations).toEqual(['alder', 'birch'])
  })

  it.each<[string, ReturnLabelView]>([
    ['the connection', label({ failure: { code: 'network.offline', params: {} } })],
    ['paper', label({ ...done, print: { ...print, state: 'refused' } })],
    ['a decision about its print', label({ ...done, print: { ...print, state: 'queued', asks: true } })],
    ['a decision whether it was printed', label({ ...done, print: { ...print, state: 'unknown' } })],
  ])('is not counted if the label had to wait for %s', async (_what, waiting) => {
    await make(ok(label()))
    times.moved(waiting)
    times.moved(printed('confirmed'))
    expect(took).toEqual([])
  })

  it('is not counted if the call fails, or if the label was printed already, was not requested or was not made here', async () => {
    await make(fail('session.signed_out'))
    await make(ok(label({ create: 'done', request: null })))
    await make(ok(printed('confirmed')))
    times.moved(printed('sent', 'lb-2'))
    expect(took).toEqual([])
  })

  it('is not counted if the clock of the computer was set meanwhile', async () => {
    await make(ok(label()))
    at = { ticksMs: at.ticksMs + 500, wallMs: at.wallMs - 3_600_000 }
    times.moved(printed('sent'))
    expect(took).toEqual([])
  })

  it('is not counted for the oldest label if the desk measures more than 100 labels at the same time', async () => {
    for (let n = 0; n <= 100; n++) await make(ok(label({ id: labelIdOf(`lb-${String(n)}`) })))
    times.moved(printed('sent', 'lb-0'))
    expect(took).toEqual([])
    times.moved(printed('sent', 'lb-1'))
    expect(took).toHaveLength(1)
  })
})
