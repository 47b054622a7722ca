import { beforeEach, describe, expect, it } from 'vitest'
import { Previews } from '#desk/paper/previews.ts'
import type { PrintJobRow } from '#desk/ports/print-jobs.ts'
import type { PreparedPrint, PrinterPort, PrintPage } from '#desk/ports/printers.ts'
import type { PrintPreview } from '#shared/bridge/print-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { labelIdOf } from '#support/ids.ts'

const mebibyte = 1 << 20
const laid = { turn: 90, part: 'ink' } as const

const page = (bytes: Uint8Array): PrintPage => ({
  widthDots: 8,
  heightDots: bytes.length,
  bytes,
  codes: ['3S', '3S'],
  hasUnreadBars: false,
  laid,
})

/** The drawings that were started, in this order. A drawing ends when a test calls `finish`. */
let drawings: { jobId: string; finish: (pages: readonly PrintPage[]) => void }[]
let jobs: Map<string, PrintJobRow>
let previews: Previews

const printer: PrinterPort = {
  name: 'p',
  title: 'Printer',
  folder: null,
  status: () => Promise.resolve({ state: 'ready', failure: null }),
  prepare: ({ jobId }) =>
    new Promise<Result<PreparedPrint>>((resolve) => {
      const finish = (pages: readonly PrintPage[]): void =>
        resolve(ok({ dpi: 203, pages, send: () => Promise.resolve({ kind: 'sent' }) }))
      drawings.push({ jobId, finish })
    }),
  lookFor: () => Promise.resolve(new Map()),
}

function jobCalled(id: string): PrintJobRow {
  return {
    id,
    labelId: labelIdOf('label'),
    documentHash: 'hash',
    printer: 'p',
    state: 'queued',
    isReprint: false,
    reason: null,
    hold: null,
    placement: null,
    isReleased: false,
    unlisted: [],
    file: null,
    evidence: null,
    pageCount: null,
    failure: null,
    createdAt: 0,
    stateAt: 0,
  }
}

beforeEach(() => {
  drawings = []
  jobs = new Map(['a', 'b', 'c', 'd'].map((id) => [id, jobCalled(id)]))
  previews = new Previews({
    jobs: { get: (id) => jobs.get(id) ?? null },
    labels: { get: () => null },
    vault: { read: () => Promise.resolve(new Uint8Array(1)) },
    printers: { named: () => printer },
    prints: { standard: printer },
  })
})

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const drawn = (): string[] => drawings.map(({ jobId }) => jobId)
async function finish(at: number, pages: readonly PrintPage[] = [page(new Uint8Array(1))]): Promise<void> {
  drawings[at]?.finish(pages)
  await settle()
}
async function previewOf(pages: readonly PrintPage[]): Promise<PrintPreview> {
  const preview = previews.of({ jobId: 'a' })
  await settle()
  await finish(0, pages)
  const result = await preview
  if (!result.ok) throw new Error(result.error.code)
  return result.value
}

describe('the preview of a print', () => {
  it('contains every dot of a page, and lists each barcode once', async () => {
    expect(await previewOf([page(Uint8Array.of(0xa0, 0x01))])).toEqual({
      dpi: 203,
      pages: [{ widthDots: 8, heightDots: 2, rows: Uint8Array.of(0xa0, 0x01), codes: ['3S'], laid }],
    })
  })

  it('contains as many pages as fit in 8 MiB, and the number of pages that are left out', async () => {
    const pages = Array.from({ length: 100 }, () => page(new Uint8Array(mebibyte)))
    const preview = await previewOf(pages)
    expect([preview.pages.length, preview.morePages]).toEqual([8, 92])
  })

  it('contains the first page even if this page is larger than 8 MiB', async () => {
    const pages = Array.from({ length: 2 }, () => page(new Uint8Array(9 * mebibyte)))
    const preview = await previewOf(pages)
    expect([preview.pages.length, preview.morePages]).toEqual([1, 1])
  })

  it('has a separate buffer for each page, so that no bytes of other pages are sent to the window', async () => {
    const all = new Uint8Array(100 * mebibyte)
    const { pages } = await previewOf([page(all.subarray(0, 10)), page(all.subarray(10, 20))])
    expect(pages.map(({ rows }) => rows.buffer.byteLength)).toEqual([10, 10])
  })
})

describe('several previews that are requested at the same time', () => {
  it('are drawn once if they are of the same print', async () => {
    const both = [previews.of({ jobId: 'a' }), previews.of({ jobId: 'a' })]
    await settle()
    await finish(0)
    expect(drawn()).toEqual(['a'])
    expect(await Promise.all(both)).toMatchObject([{ ok: true }, { ok: true }])
  })

  it('are drawn separately if the placement of their print changes between the requests', async () => {
    const first = previews.of({ jobId: 'a' })
    jobs.set('a', { ...jobCalled('a'), placement: { turn: 90, crop: 'auto' } })
    const second = previews.of({ jobId: 'a' })
    await settle()
    await finish(0)
    await finish(1)
    expect(await Promise.all([first, second])).toMatchObject([{ ok: true }, { ok: true }])
    expect(drawn()).toEqual(['a', 'a'])
  })

  it('are drawn one at a time, and all waiting requests except the newest are refused', async () => {
    const all = ['a', 'b', 'c', 'd'].map((jobId) => previews.of({ jobId }))
    await settle()
    expect(drawn()).toEqual(['a'])
    await finish(0)
    expect(drawn()).toEqual(['a', 'd'])
    await finish(1)
    const tooMany = fail('bridge.too_many_calls')
    expect(await Promise.all(all)).toMatchObject([{ ok: true }, tooMany, tooMany, { ok: true }])
    // the next preview is drawn at once, because no drawing is in progress
    void previews.of({ jobId: 'b' })
    await settle()
    expect(drawn()).toEqual(['a', 'd', 'b'])
  })

  it('are drawn even if an earlier preview has failed', async () => {
    jobs.delete('b')
    expect(await previews.of({ jobId: 'b' })).toEqual(fail('api.not_found'))
    const first = expect(previews.of({ jobId: 'a' })).rejects.toThrow(TypeError)
    const second = previews.of({ jobId: 'c' })
    await settle()
    // a page without bytes, so that the preview throws
    await finish(0, [{} as PrintPage])
    await first
    await finish(1)
    expect(await second).toMatchObject({ ok: true })
  })
})
