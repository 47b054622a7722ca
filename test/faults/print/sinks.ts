import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { readSymbols } from '#labels/read/read-label.ts'
import { decodeZpl } from '#support/decode-zpl.ts'
import { type FakeEscposPrinter, startFakeEscposPrinter } from '#support/fake-escpos-printer.ts'
import { type FakeZplPrinter, startFakeZplPrinter } from '#support/fake-zpl-printer.ts'

const dpi = 203

/** The fake printers and their output. */
export interface Sinks {
  readonly zpl: FakeZplPrinter
  readonly escpos: FakeEscposPrinter
  /**
   * Sets the behaviour of both printers at random: a printer works, or closes its connection after some bytes. In half
   * of these faults, the ZPL printer also ignores status queries. Returns whether a printer has a fault.
   */
  disturb(random: () => number): boolean
  calm(): void
  /**
   * Returns the tracking codes that were decoded from the dots of all complete labels, and how often each was printed.
   */
  papers(): Promise<Map<string, number>>
  close(): Promise<void>
}

export async function openSinks(folder: string): Promise<Sinks> {
  const zpl = await startFakeZplPrinter()
  const escpos = await startFakeEscposPrinter()
  const calm = (): void => {
    zpl.behaviour = { kind: 'ready' }
    escpos.behaviour = { kind: 'ready' }
  }
  return {
    zpl,
    escpos,
    calm,
    disturb(random) {
      calm()
      const kind = random() < 0.5 ? 'resets' : 'closes'
      const afterBytes = Math.floor(random() * 12_000)
      if (random() < 0.15) zpl.behaviour = { kind, afterBytes, answers: random() < 0.5 }
      if (random() < 0.15) escpos.behaviour = { kind, afterBytes: afterBytes * 8 }
      return zpl.behaviour.kind !== 'ready' || escpos.behaviour.kind !== 'ready'
    },
    async papers() {
      const files = await readdir(folder).catch(() => [])
      const pages: Bitmap[] = []
      // The files are read in turn, because pdfium cannot hold hundreds of files at once.
      for (const file of files.filter((name) => name.endsWith('.pdf')))
        pages.push(...(await rasterise(await readFile(join(folder, file)), { dpi, widthDots: 832 })))
      const bitmaps: Bitmap[] = [
        ...zpl.printed.map((format) => decodeZpl(format).bitmap),
        ...escpos.jobs.flatMap(({ labels }) => labels),
        ...pages,
      ]
      const counts = new Map<string, number>()
      for (const bitmap of bitmaps) {
        const codes = new Set((await readSymbols(bitmap, dpi)).map(({ text }) => /TB\d{9}NL/.exec(text)?.[0]))
        for (const code of codes) if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1)
      }
      return counts
    },
    async close() {
      await Promise.all([zpl.close(), escpos.close()])
    },
  }
}
