import { beforeAll, describe, expect, it } from 'vitest'
import { mergeInThread, placeInThread, rasteriseInThread } from '#labels/raster-in-thread.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { contentBomb, objectStreamBomb, selfDrawingForm } from '#support/label-corpus/hostile.ts'
import { inspectPdf } from '#support/inspect-pdf.ts'
import { labelSpec } from '#support/label-specs.ts'

const paper = { dpi: 203, widthDots: 832 }
const medium = { widthMm: 100, heightMm: 150 }
const gigabyte = 1_024
let good: Uint8Array

beforeAll(async () => {
  good = await drawLabel(labelSpec())
})

const failedBy = (cause: string): object => ({
  reason: { failure: { code: 'document.unreadable', params: { cause } } },
})

describe('the thread that processes documents', () => {
  it('rejects a document that unpacks to a gigabyte, and processes the documents after it', async () => {
    let most = 0
    const before = process.memoryUsage.rss()
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 20)
    const [bomb, label, placed] = await Promise.allSettled([
      rasteriseInThread(contentBomb(gigabyte), paper),
      rasteriseInThread(good, paper),
      placeInThread(good, medium),
    ])
    clearInterval(watch)
    expect(bomb).toMatchObject(failedBy('memory'))
    expect([label.status, placed.status]).toEqual(['fulfilled', 'fulfilled'])
    // The memory may grow to the limits of pdfium and of the thread, but not to the unpacked gigabyte plus the bitmap.
    expect(most - before).toBeLessThan(1_100 << 20)
  })

  it('releases the memory of a failed document', async () => {
    const before = process.memoryUsage.rss()
    for (const pdf of [contentBomb(gigabyte), selfDrawingForm()])
      expect((await Promise.allSettled([rasteriseInThread(pdf, paper)]))[0]).toMatchObject(failedBy('memory'))
    // Waits, because threads need a moment to end.
    const grown = (): number => process.memoryUsage.rss() - before
    await expect.poll(grown, { timeout: 20_000 }).toBeLessThan(400 << 20)
  })

  it('ends when the memory of the whole program grows too much, whatever the reason', async () => {
    const [grown, after] = await Promise.allSettled([
      rasteriseInThread(contentBomb(gigabyte), paper, {}, { growthBytes: 100 << 20 }),
      rasteriseInThread(good, paper),
    ])
    expect(grown).toMatchObject(failedBy('memory'))
    expect(after.status).toBe('fulfilled')
  })

  it('ends when a document takes too long, and ignores its late result', async () => {
    const wide = await drawLabel(labelSpec({ layout: 'sheet' }))
    const answers = await Promise.allSettled([
      rasteriseInThread(wide, paper, {}, { timeoutMs: 0 }),
      placeInThread(good, medium),
      rasteriseInThread(wide, paper, {}, { timeoutMs: 0 }),
      rasteriseInThread(good, paper),
    ])
    expect(answers[0]).toMatchObject(failedBy('timeout'))
    expect(answers[2]).toMatchObject(failedBy('timeout'))
    const [, placed, , label] = answers
    expect(placed.status === 'fulfilled' && (await inspectPdf(placed.value)).pages).toHaveLength(1)
    expect(label).toMatchObject({ status: 'fulfilled', value: [{ widthDots: 832 }] })
  })

  it('rasterises a document without unpacking its unused objects of a gigabyte', async () => {
    const placed = await placeInThread(objectStreamBomb(gigabyte), { widthMm: 110, heightMm: 160 })
    expect(Buffer.from(placed).toString('latin1')).toContain('/Label Do')
  })

  it('merges documents, and rejects only the batch that contains an unreadable document', async () => {
    expect((await inspectPdf(await mergeInThread([good, good]))).pages).toHaveLength(2)
    await expect(mergeInThread([good, new TextEncoder().encode('<html>')])).rejects.toMatchObject({
      failure: { code: 'document.not_a_pdf' },
    })
  })
})
