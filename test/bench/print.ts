import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrinterTypes, ThermalPrinter } from 'node-thermal-printer'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { rasterise } from '#labels/place/raster.ts'
import { readLabelsInThread } from '#labels/raster-in-thread.ts'
import { escposJob } from '#printing/escpos-bytes.ts'
import { labelSpec } from '#support/label-specs.ts'
import { printFigure } from './figure.ts'
import { attempt, say } from './progress.ts'

const rounds = 40
const batch = 100
const memoryLabels = 1_000
const widths = { 203: 832, 300: 1228 } as const

/** From a label's PDF to the bytes that a printer takes, and what that leaves behind in memory. */
export async function benchPrint(): Promise<void> {
  const pdf = await drawLabel(labelSpec())
  for (const dpi of [203, 300] as const) await attempt(`bytes at ${dpi} dpi`, () => benchBytes(pdf, dpi))
  await attempt('a batch', () => benchBatch(pdf))
  await attempt('memory', () => benchMemory(pdf))
}

/** Ours, warm, beside the two ways that a label would otherwise take: one by one in turn, so that all meet the same machine. */
async function benchBytes(pdf: Uint8Array, dpi: 203 | 300): Promise<void> {
  say(`PDF to printer bytes at ${dpi} dpi …`)
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-bench-'))
  const file = join(folder, 'label.pdf')
  const picture = join(folder, 'label')
  writeFileSync(file, pdf)
  const paper = { dpi, widthDots: widths[dpi] }
  const own: number[] = []
  const poppler: number[] = []
  const images: number[] = []
  const toPicture = (): void => {
    execFileSync('pdftoppm', ['-r', String(dpi), '-mono', '-singlefile', file, picture])
  }
  try {
    escposJob(await rasterise(pdf, paper))
    execFileSync('pdftoppm', ['-r', String(dpi), '-gray', '-png', '-singlefile', file, picture])
    for (let round = 0; round < rounds; round++) {
      own.push(await msOf(async () => escposJob(await rasterise(pdf, paper))))
      poppler.push(await msOf(toPicture))
      images.push(await msOf(() => imageBytes(`${picture}.png`)))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const figure = { name: `PDF to ESC/POS bytes at ${dpi} dpi, warm`, values: own }
  printFigure(
    figure,
    { name: "node-thermal-printer's image path, from a PNG of the same dots", values: images },
    { goal: { of: 'ratio', atMost: 0.2 } },
  )
  printFigure(
    figure,
    { name: 'pdftoppm -mono of the same page', values: poppler },
    { goal: { of: 'ratio', atMost: 2 } },
  )
}

async function imageBytes(png: string): Promise<Uint8Array> {
  const thermal = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: '' })
  await thermal.printImage(png)
  thermal.cut()
  return thermal.getBuffer()
}

/** As the queue does it: drawn, read and judged by its barcodes in the thread, one after another. */
async function benchBatch(pdf: Uint8Array): Promise<void> {
  say(`${batch} labels in the thread …`)
  const paper = { dpi: 203, widthDots: widths[203] }
  const own: number[] = []
  const bare: number[] = []
  await readLabelsInThread(pdf, paper)
  for (let label = 0; label < batch; label++) {
    own.push(await msOf(() => readLabelsInThread(pdf, paper)))
    bare.push(await msOf(() => rasterise(pdf, paper)))
  }
  printFigure(
    { name: `one of a batch of ${batch} labels, with its barcodes read`, values: own },
    { name: 'the same label rasterised, nothing read', values: bare },
  )
}

/** Bytes held after the first hundred labels and after all of them. */
async function benchMemory(pdf: Uint8Array): Promise<void> {
  say(`${memoryLabels} labels for their memory …`)
  const paper = { dpi: 203, widthDots: widths[203] }
  const heldMb = (): number => process.memoryUsage().rss / 1024 / 1024
  let early = 0
  for (let label = 1; label <= memoryLabels; label++) {
    await readLabelsInThread(pdf, paper)
    if (label === batch) early = heldMb()
  }
  printFigure(
    { name: `memory after ${memoryLabels} labels`, values: [heldMb()] },
    { name: `memory after ${batch}`, values: [early] },
    { unit: 'MB', goal: { of: 'ratio', atMost: 1.1 } },
  )
}

async function msOf(act: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}
