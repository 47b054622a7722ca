import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  mergeInThread,
  paperSizeInThread,
  placeInThread,
  rasteriseInThread,
} from '#labels/raster-in-thread.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { arrayBomb, contentBomb, objectStreamBomb, selfDrawingForm } from '#support/label-corpus/hostile.ts'
import { inspectPdf } from '#support/inspect-pdf.ts'
import { labelSpec } from '#support/label-specs.ts'

const paper = { dpi: 203, widthDots: 832 }
const medium = { widthMm: 100, heightMm: 150 }
const gigabyte = 1_024
let good: Uint8Array

beforeAll(async () => {
  good = await drawLabel(labelSpec())
})

/** Returns the ids of the processes that this program has started. Linux only. */
function childIds(): number[] {
  return readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .map(Number)
    .filter((id) => id > 0)
}

/** Returns the memory of the processes that this program has started, in bytes. Linux only. */
function childMemory(): number {
  const sizes = childIds().map((id) => {
    const status = readFileSync(`/proc/${String(id)}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

const isLinux = process.platform === 'linux'
if (!isLinux) console.warn('the memory and the end of the process are not tried: this needs Linux')

const failedBy = (cause: string) => ({
  reason: { failure: { code: 'document.unreadable', params: { cause } } },
})

// the limit is long, because each start of a process that reads documents takes seconds on a busy machine
describe('the process that reads documents', { timeout: 120_000 }, () => {
  it.skipIf(!isLinux)(
    'rejects a document that unpacks to a gigabyte, and reads the next documents',
    async () => {
      let most = 0
      await rasteriseInThread(good, paper)
      const before = childMemory()
      const watch = setInterval(() => {
        most = Math.max(most, childMemory())
      }, 20)
      const [bomb, label, placed] = await Promise.allSettled([
        // The time limit is longer than the usual 30 s, because on a busy machine the document needs more than 30 s to
        // reach the limit of memory.
        rasteriseInThread(contentBomb(gigabyte), paper, {}, { timeoutMs: 100_000 }),
        rasteriseInThread(good, paper),
        placeInThread(good, medium),
      ])
      clearInterval(watch)
      expect(bomb).toMatchObject(failedBy('memory'))
      expect([label.status, placed.status]).toEqual(['fulfilled', 'fulfilled'])
      // The maximum memory is the sum of pdfium's limit (768 MiB, which is less than the unpacked document of 1 GiB)
      // and a margin for its thread.
      expect(before).toBeGreaterThan(0)
      expect(most - before).toBeLessThan(1_100 << 20)
    },
  )

  it.skipIf(!isLinux)('releases the memory of a failed document', async () => {
    await rasteriseInThread(good, paper)
    const before = childMemory()
    for (const pdf of [contentBomb(gigabyte), selfDrawingForm()])
      expect((await Promise.allSettled([rasteriseInThread(pdf, paper)]))[0]).toMatchObject(failedBy('memory'))
    // Waits, because threads need a moment to end.
    const grown = (): number => childMemory() - before
    await expect.poll(grown, { timeout: 20_000 }).toBeLessThan(400 << 20)
  })

  it('rejects a document if the memory of the process grows beyond the limit, and reads the next document', async () => {
    const [grown, after] = await Promise.allSettled([
      rasteriseInThread(contentBomb(gigabyte), paper, {}, { growthBytes: 100 << 20 }),
      rasteriseInThread(good, paper),
    ])
    expect(grown).toMatchObject(failedBy('memory'))
    expect(after.status).toBe('fulfilled')
  })

  it('rejects a document that takes too long, and ignores its late result', async () => {
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

  it('rejects a document that exhausts the memory of V8, even if this ends the process, and the next documents are read', async () => {
    const answers = await Promise.allSettled([
      paperSizeInThread(arrayBomb(15_500_000)),
      rasteriseInThread(good, paper),
      placeInThread(good, medium),
    ])
    // if the memory of V8 is exhausted, V8 usually ends the whole process, but sometimes Node ends only the thread
    expect(answers[0]).toMatchObject({ reason: { failure: { code: 'document.unreadable' } } })
    expect(answers.slice(1).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })

  it.skipIf(!isLinux)(
    'is replaced if it is killed: its current document is rejected, and the new process reads the next document',
    async () => {
      await rasteriseInThread(good, paper)
      const [id = 0] = childIds()
      const killed = rasteriseInThread(selfDrawingForm(), paper)
      const next = rasteriseInThread(good, paper)
      process.kill(id, 'SIGKILL')
      await expect(killed).rejects.toMatchObject(failedBy('crash').reason)
      expect(await next).toHaveLength(1)
      expect(childIds()).not.toContain(id)
    },
  )

  it.skipIf(!isLinux)('is killed if it hangs, and another process reads the next documents', async () => {
    await rasteriseInThread(good, paper)
    const [id = 0] = childIds()
    process.kill(id, 'SIGSTOP')
    // a process that hangs is killed `timeoutMs` + 10 s after it was given the document. This sum is 100 ms here
    const hanging = rasteriseInThread(good, paper, {}, { timeoutMs: 100 - 10_000 })
    const next = rasteriseInThread(good, paper)
    await expect(hanging).rejects.toMatchObject(failedBy('crash').reason)
    expect(await next).toHaveLength(1)
  })

  it('places a document on a page without unpacking a gigabyte of objects that the page does not use', async () => {
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
