import { describe, expect, it } from 'vitest'
import { beginHead, type Pass } from '#desk/shipments/index-pass.ts'
import { type FailedPage, PageLengths, undone } from '#desk/shipments/page-lengths.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fakeClock } from '#support/desk-fakes.ts'

const hourMs = 3600_000
const refused = (status: number): FailedPage => ({
  kind: 'refused',
  status,
  failure: failure('api.rejected', { status }),
  serverDate: null,
})
const unreadable = (cause: string): FailedPage => ({
  kind: 'ambiguous',
  status: 200,
  failure: failure('api.malformed_answer', { host: 'wms.test', cause }),
})
const timeout: FailedPage = { kind: 'ambiguous', status: null, failure: failure('network.timeout') }
const unavailable: FailedPage = { kind: 'ambiguous', status: 503, failure: failure('api.unavailable') }
const notSent: FailedPage = { kind: 'not_sent', failure: failure('network.offline') }

const first = beginHead(null, 0, { ms: 0, rows: 0 })
const third: Pass = { ...first, page: 3, longest: 200 }

function ofList(): { clock: ReturnType<typeof fakeClock>; lengths: PageLengths } {
  const clock = fakeClock()
  return { clock, lengths: new PageLengths(clock, 200) }
}

/** Lets each page fail until the walk does not request shorter pages, and returns the lengths that were requested. */
function failAll(lengths: PageLengths, begun: Pass, outcome: FailedPage) {
  const limits: (number | undefined)[] = []
  let after = lengths.afterFailure(begun, outcome, true)
  while (after.kind === 'shorter') {
    limits.push(after.pass.limit)
    after = lengths.afterFailure(after.pass, outcome, true)
  }
  return { limits, after }
}

describe('PageLengths', () => {
  it.each([refused(400), refused(413), refused(422), timeout])(
    'requests the same rows in shorter pages, and for an hour in all walks, after a page that is too long: $kind $status',
    (outcome) => {
      const { clock, lengths } = ofList()
      const after = lengths.afterFailure(third, outcome, true)
      expect(after).toMatchObject({ kind: 'shorter', pass: { limit: 100, page: 5 } })
      expect(lengths.begin(first)).toEqual(first)
      lengths.returned(after.pass)
      const full = { ...after.pass, page: 7, longest: 100 }
      expect(lengths.afterPage(full)).toMatchObject({ limit: 100, page: 7 })
      clock.advance(hourMs - 1)
      expect(lengths.begin(first)).toMatchObject({ limit: 100 })
      clock.advance(1)
      expect(lengths.begin(first)).toEqual(first)
      expect(lengths.afterPage(full)).toMatchObject({ limit: 200, page: 4 })
    },
  )

  it('fails at the page that was refused first, and returns to the usual length, if a page of one row is refused too', () => {
    const { lengths } = ofList()
    const { limits, after } = failAll(lengths, third, refused(400))
    expect(limits).toEqual([100, 50, 25, 5, 1])
    expect(after).toEqual({ kind: 'fails', pass: { ...third, refused: null } })
    expect(lengths.begin(first)).toEqual(first)
  })

  it('fails at the page after the last one that the service returned', () => {
    const { lengths } = ofList()
    const { pass } = lengths.afterFailure(third, refused(400), false)
    const next = lengths.afterPage({ ...pass, page: 6, longest: 100 })
    expect(failAll(lengths, next, refused(400)).after.pass).toMatchObject({ limit: 100, page: 6 })
  })

  it('shortens, after an unreadable response, only the pages of the walk that received this response', () => {
    const { lengths } = ofList()
    const { limits, after } = failAll(lengths, third, unreadable('JSON'))
    expect(limits).toEqual([100, 50, 25, 5, 1])
    expect(after).toMatchObject({ kind: 'fails', pass: { limit: 1, page: 401 } })
    expect(lengths.begin(first)).toEqual(first)
  })

  it('leaves out a row that is too large on its own, but at most 100 consecutive rows', () => {
    const { lengths } = ofList()
    let { after } = failAll(lengths, third, unreadable('TOO_LARGE'))
    for (let row = 1; row <= 100; row++) {
      expect(after).toMatchObject({ kind: 'without_row', pass: { leftOut: row } })
      after = lengths.afterFailure(after.pass, unreadable('TOO_LARGE'), false)
    }
    expect(after).toMatchObject({ kind: 'fails', pass: { leftOut: 100 } })
    const next = lengths.afterPage({ ...after.pass, page: 402, longest: 1 })
    expect(lengths.afterFailure(next, unreadable('TOO_LARGE'), false)).toMatchObject({ kind: 'without_row' })
  })

  it.each([refused(403), timeout, unavailable, notSent])(
    'fails in the same length after another failure: $kind $failure.code',
    (outcome) => {
      const { lengths } = ofList()
      expect(lengths.afterFailure(third, outcome, false)).toEqual({ kind: 'fails', pass: third })
      expect(lengths.begin(first)).toEqual(first)
    },
  )

  it('requests shorter pages of the failing walk after persistent server errors, and leaves out a row that fails alone', () => {
    const { lengths } = ofList()
    const limits: (number | undefined)[] = []
    let after = lengths.afterFailure(first, unavailable, true)
    for (; after.pass.limit !== 1; after = lengths.afterFailure(after.pass, unavailable, true)) {
      expect(after.kind).toBe('fails')
      limits.push(after.pass.limit)
    }
    expect(limits).toEqual([100, 50, 25, 5])
    const alone = after.pass
    expect(lengths.afterFailure(alone, unavailable, false)).toEqual({ kind: 'fails', pass: alone })
    for (let row = 1; row <= 3; row++) {
      after = lengths.afterFailure(after.pass, unavailable, row === 1)
      expect(after).toMatchObject({ kind: 'without_row', pass: { leftOut: row, unsure: alone } })
    }
    // four consecutive rows fail, so the failure concerns the whole list and not single rows; therefore later walks
    // begin with the usual length
    const stopped = lengths.afterFailure(after.pass, unavailable, true)
    expect(stopped).toEqual({ kind: 'fails', pass: { ...alone, isFirstBroken: false } })
    lengths.returned(stopped.pass)
    expect(lengths.begin(first)).toEqual(first)
  })

  it('begins each walk through the newest rows, for an hour after server errors, with the length in which page 1 was then returned', () => {
    const { clock, lengths } = ofList()
    const { pass } = lengths.afterFailure(first, unavailable, true)
    lengths.returned(pass)
    const older: Pass = { kind: 'tail', goal: 0, page: 1, longest: null, from: 0 }
    expect(lengths.begin(first)).toMatchObject({ limit: 100 })
    expect(lengths.begin({ ...first, limit: 50 })).toMatchObject({ limit: 50 })
    expect(lengths.begin(older)).toEqual(older)
    expect(lengths.afterPage({ ...pass, page: 3, longest: 100 })).toMatchObject({ limit: 200, page: 2 })
    lengths.returned(lengths.afterFailure(third, unavailable, true).pass)
    clock.advance(hourMs)
    expect(lengths.begin(first)).toEqual(first)
  })

  it('takes back an increase of the page length if the longer page fails or is not full', () => {
    const { lengths } = ofList()
    const grown = lengths.afterPage({ ...third, limit: 25, page: 3, longest: 25 })
    expect(grown).toMatchObject({ limit: 50, page: 2 })
    const back = { limit: 25, page: 3 }
    expect(lengths.afterFailure(grown, unreadable('JSON'), false)).toMatchObject({
      kind: 'shorter',
      pass: back,
    })
    expect(undone(grown, 50)).toBeNull()
    expect(undone(grown, 49)).toMatchObject(back)
    expect(lengths.afterPage({ ...grown, ...undone(grown, 49), page: 5 })).toMatchObject({
      limit: 25,
      page: 5,
    })
  })
})
