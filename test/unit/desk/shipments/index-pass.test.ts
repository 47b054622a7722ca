import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  advance,
  beginHead,
  beginTail,
  isFlooded,
  isWhole,
  type Page,
  type Pass,
  type Progress,
  queryOf,
} from '#desk/shipments/index-pass.ts'
import type { IndexState } from '#desk/ports/recent-store.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { count, seed } from '#support/counts.ts'
import { scriptedShipment } from '#support/scripted-records.ts'

const hour = 3600_000
const nothing = { ms: 0, rows: 0 }
const start = Date.parse('2026-03-01T12:00:00Z')

/**
 * The service's list. Its pages have the newest row first, are filtered by whole days and begin at an offset (API.md
 * 1.8).
 */
class List {
  readonly rows: Shipment[] = []
  add(createdAt: number): void {
    this.rows.push(scriptedShipment(this.rows.length + 1, createdAt))
  }
  page(pass: Pass, limit: number): Shipment[] {
    const { from = '', to = '9999', page } = queryOf(pass, limit)
    const day = (row: Shipment): string => row.created_at.slice(0, 10)
    return this.rows
      .filter((row) => day(row) >= from && day(row) <= to)
      .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
      .slice(page === 1 ? 0 : (page - 1) * limit, page * limit)
  }
}

/** A wrong response of the service in place of the requested page. `choice` selects one of several wrong responses. */
type WrongPage = (list: List, pass: Pass, limit: number, choice: number) => Shipment[]

/** A first page that is too short cannot be recognized, unless it is empty or a later page is longer. */
const cutPage: WrongPage = (list, pass, limit, choice) =>
  list.page(pass, limit).slice(0, pass.page === 1 ? 0 : choice % 9)

const misdatedPage: WrongPage = (list, pass, limit, choice) =>
  list
    .page(pass, limit)
    .map((row, index) => (index === choice % limit ? { ...row, created_at: '1970-01-01T00:00:00Z' } : row))

const otherPage: WrongPage = (list, pass, limit, choice) => {
  const pages = Math.ceil(list.page({ ...pass, page: 1 }, Infinity).length / limit)
  return list.page({ ...pass, page: 1 + (choice % Math.max(1, pages)) }, limit)
}

const beginningAt = (state: IndexState, oldest: number): IndexState => ({ ...state, oldest })
const pageOf = (rows: readonly Shipment[], asOf = start): Page => ({ rows, length: rows.length, asOf })

describe('a pass through the service’s list of shipments', () => {
  it('requests rows by whole days within the wanted period', () => {
    const pass = beginHead(null, start - 180 * 24 * hour, nothing)
    expect(queryOf(pass, 200)).toEqual({ from: '2025-09-02', page: 1, limit: 200 })
    const state = { newest: start, oldest: start - 48 * hour, complete: false, syncedAt: start }
    expect(queryOf(beginTail(state, start - 180 * 24 * hour), 200)).toMatchObject({ to: '2026-02-27' })
  })

  it('leaves the range of known times unchanged until it has reached the rows that are already known', () => {
    const known = { newest: start - 10 * hour, oldest: start - 20 * hour, complete: true, syncedAt: 0 }
    const page = pageOf([scriptedShipment(1, start)])
    const progress = advance(beginHead(known, 0, nothing), page, known)
    expect(progress.state).toBeNull()
    expect(progress.pass?.page).toBe(2)
  })

  it('extends the range of known times at most to the time of the response, even if a row has a later date', () => {
    const late = scriptedShipment(1, start + 70 * 365 * 24 * hour)
    const page = pageOf([late, scriptedShipment(2, start - hour)])
    expect(advance(beginHead(null, 0, nothing), page, null).state).toMatchObject({ newest: start })
  })

  it('counts an empty list as complete only after three responses without a row', () => {
    const goal = start - 24 * hour
    const known = advance(beginHead(null, goal, nothing), pageOf([]), null).state
    if (!known) throw new Error('nothing is known')
    expect(isWhole(known, goal)).toBe(false)
    const first = advance(beginTail(known, goal), pageOf([]), known)
    expect(first).toMatchObject({ pass: { page: 1 }, state: known })
    const second = first.pass && advance(first.pass, pageOf([]), known)
    expect(second).toEqual({
      pass: null,
      state: { newest: start, oldest: goal, complete: true, syncedAt: start },
    })
  })

  it('continues after a first page that is shorter than requested, and ends at a page shorter than the first one only after it has read the last rows again', () => {
    const rows = Array.from({ length: 50 }, (_, n) => scriptedShipment(n + 1, start - n * hour))
    const older = Array.from({ length: 50 }, (_, n) => scriptedShipment(n + 51, start - (n + 50) * hour))
    const first = advance(beginHead(null, 0, nothing), pageOf(rows), null)
    // the known range ends at the row before the last one, because a single row with a wrong date must not extend the
    // range
    expect(first.state).toMatchObject({ complete: false, oldest: start - 48 * hour })
    const known = first.state
    if (!known) throw new Error('nothing is known')
    const tail = advance(beginTail(known, 0), pageOf(rows), known)
    expect(tail.pass?.page).toBe(2)
    const end = tail.pass && advance(tail.pass, pageOf(older.slice(0, 9)), known)
    expect(end).toMatchObject({ pass: { page: 1 }, state: { complete: false } })
    const confirmed = end?.pass && advance(end.pass, pageOf(older.slice(0, 9)), known)
    expect(confirmed).toMatchObject({ pass: null, state: { complete: true } })
  })

  it('continues after a page with unreadable rows', () => {
    const rows = Array.from({ length: 20 }, (_, n) => scriptedShipment(n + 1, start - n * hour))
    const page = pageOf(rows.slice(0, 10))
    const known = advance(beginHead(null, 0, nothing), page, null).state
    if (!known) throw new Error('nothing is known')
    const first = advance(beginTail(known, 0), page, known).pass
    const second = first && advance(first, { ...pageOf(rows.slice(10, 17)), length: 10 }, known)
    expect(second?.pass?.page).toBe(3)
  })

  it('reads at least the requested number of known rows again', () => {
    const known = { newest: start, oldest: 0, complete: true, syncedAt: 0 }
    const list = new List()
    for (let n = 0; n < 300; n++) list.add(start - n * hour)
    let pass: Pass | null = beginHead(known, 0, { ms: hour, rows: 120 })
    let pages = 0
    while (pass) {
      pass = advance(pass, pageOf(list.page(pass, 50)), known).pass
      pages++
    }
    expect(pages).toBe(3)
  })

  it('starts again at the first page if a later page is longer than all earlier pages', () => {
    const rows = Array.from({ length: 50 }, (_, n) => scriptedShipment(n + 1, start - n * hour))
    const known = { newest: start, oldest: start, complete: false, syncedAt: start }
    const short = advance(beginTail(known, 0), pageOf(rows.slice(0, 3)), known)
    expect(short.pass?.page).toBe(2)
    const longer = short.pass && advance(short.pass, pageOf(rows.slice(20, 40)), known)
    expect(longer).toMatchObject({ pass: { page: 1 }, state: null })
  })

  it('does not mistake an import of many rows within an hour for an endless list when it reads the last rows again', () => {
    const rows = Array.from({ length: 60_000 }, (_, id) => ({
      id,
      created_at: new Date(start - id * 60).toISOString(),
    }))
    const list = (page: number): Page => {
      const listed = rows.slice((page - 1) * 1_000, page * 1_000)
      return { rows: listed, length: listed.length, asOf: start }
    }
    let state = advance(beginHead(null, 0, nothing), list(1), null).state
    if (!state) throw new Error('nothing is known')
    let pass: Pass | null = beginTail(state, 0)
    let read = 0
    while (pass) {
      const page = list(pass.page)
      expect(isFlooded(pass, page)).toBe(false)
      const progress: Progress = advance(pass, page, state)
      state = progress.state ?? state
      pass = progress.pass
      read += page.length
    }
    expect(state).toMatchObject({ complete: true })
    expect(read).toBe(120_000)
  })

  it.each([
    { wrong: 'without its last rows, or an empty page', ofPage: cutPage },
    { wrong: 'with a wrong date in one row', ofPage: misdatedPage },
    { wrong: 'from another place of the list', ofPage: otherPage },
  ])('finds all rows although the service returned one page $wrong', ({ ofPage }) => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30 * 24 }), { maxLength: 60 }),
        fc.integer({ min: 2, max: 9 }),
        fc.nat({ max: 30 }),
        fc.nat({ max: 20 }),
        fc.array(fc.nat({ max: 30 }), { maxLength: 10 }),
        (ages, limit, wrongCall, choice, arrivals) => {
          const list = new List()
          for (const age of ages) list.add(start - age * hour)
          const goal = start - 20 * 24 * hour
          const held = new Set<string>()
          let state: IndexState | null = null
          let pass: Pass | null = null
          let headIsRead = false
          let heads = 0
          let calls = 0
          // The loop reads until the copy is complete. After the last event it reads the newest rows twice more, as the
          // desk does every few seconds.
          for (; calls < 800 && (heads < 2 || calls <= 30 || !isWhole(state, goal)); calls++) {
            const now = start + calls * 1_000
            if (arrivals.includes(calls)) list.add(now)
            if (arrivals.includes(calls) || calls === wrongCall) heads = 0
            pass ??=
              state && headIsRead && !isWhole(state, goal)
                ? beginTail(state, goal)
                : beginHead(state, goal, { ms: hour, rows: limit })
            const kind: Pass['kind'] = pass.kind
            const rows = calls === wrongCall ? ofPage(list, pass, limit, choice) : list.page(pass, limit)
            const progress = advance(pass, pageOf(rows, now), state)
            // the desk does not keep rows that are older than the wanted period
            for (const row of rows) if (Date.parse(row.created_at) >= goal) held.add(row.id)
            state = progress.state ?? state
            pass = progress.pass
            if (pass) continue
            headIsRead = kind === 'head'
            if (kind === 'head') heads++
          }
          expect(calls).toBeLessThan(800)
          const wanted = list.rows.filter((row) => Date.parse(row.created_at) >= goal)
          expect(wanted.filter((row) => !held.has(row.id))).toEqual([])
        },
      ),
      { numRuns: count(300, 5_000), seed },
    )
  })

  it('leaves no gap in the range of known times, even if rows arrive during the pass or the pass is interrupted', () => {
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.constant('page' as const) },
      { weight: 2, arbitrary: fc.constant('arrival' as const) },
      { weight: 1, arbitrary: fc.constant('restart' as const) },
      // a number is the new length of the period that the index covers, in days; the rows older than this period are
      // removed
      { weight: 1, arbitrary: fc.constantFrom(5, 12, 20, 28) },
    )
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30 * 24 }), { maxLength: 60 }),
        fc.array(action, { maxLength: 80 }),
        fc.integer({ min: 2, max: 9 }),
        // the maximum number of rows that the service returns in a page, for any request
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 30 }),
        (ages, actions, limit, cap, rereadRows) => {
          const list = new List()
          for (const age of ages) list.add(start - age * hour)
          let goal = start - 20 * 24 * hour
          const held = new Set<string>()
          let state: IndexState | null = null
          let pass: Pass | null = null
          let headIsRead = false
          let now = start
          for (const next of actions) {
            now += 1_000
            if (typeof next === 'number') {
              goal = start - next * 24 * hour
              pass = null
              headIsRead = false
              if (state && state.oldest < goal && state.newest >= goal) {
                for (const row of list.rows) if (Date.parse(row.created_at) < goal) held.delete(row.id)
                state = beginningAt(state, goal)
              }
            } else if (next === 'arrival') list.add(now)
            else if (next === 'restart') {
              pass = null
              headIsRead = false
            } else {
              pass ??=
                state && headIsRead && !isWhole(state, goal)
                  ? beginTail(state, goal)
                  : beginHead(state, goal, { ms: hour, rows: rereadRows })
              const kind: Pass['kind'] = pass.kind
              const rows = list.page(pass, Math.min(limit, cap))
              const progress = advance(pass, pageOf(rows, now), state)
              for (const row of rows) held.add(row.id)
              state = progress.state ?? state
              pass = progress.pass
              if (!pass) headIsRead = kind === 'head'
            }
            if (state) {
              const { oldest, newest } = state
              const wanted = list.rows.filter(
                (row) => Date.parse(row.created_at) > oldest && Date.parse(row.created_at) <= newest,
              )
              expect(wanted.filter((row) => !held.has(row.id))).toEqual([])
            }
          }
        },
      ),
      { numRuns: count(200, 5_000), seed },
    )
  })
})
