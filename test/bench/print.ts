import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrinterTypes, ThermalPrinter } from 'node-thermal-printer'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { readLabelsInThread } from '#labels/raster-in-thread.ts'
import { escposBytes } from '#support/escpos-bytes.ts'
import { labelSpec } from '#support/label-specs.ts'
import { printFigure } from './figure.ts'
import { benchDeskPrint } from './print-desk.ts'
import { attempt, say } from './progress.ts'

const warmUps = 10
const rounds = 40
const memoryLabels = 1_000
/**
 * Number of labels in each of the two samples of memory. The memory is measured after each label. One sample ends with
 * the hundredth label, the other with the last label.
 */
const sample = 50
const widths = { 203: 832, 300: 1228 } as const

/**
 * Measures the time from the PDF of a label to the bytes for a printer, the time to read the barcodes of a label, the
 * times of labels that a whole desk prints, and the memory after many labels.
 */
export async function benchPrint(): Promise<void> {
  const pdf = await drawLabel(labelSpec())
  for (const dpi of [203, 300] as const) await attempt(`bytes at ${dpi} dpi`, () => benchBytes(pdf, dpi))
  await attempt('reading', () => benchReading(pdf))
  await attempt('the desk’s printing', benchDeskPrint)
  await attempt('memory', () => benchMemory(pdf))
}

/**
 * Measures the time from a PDF to printer bytes after a warm-up, compared with two other ways: poppler, and
 * node-thermal-printer. The three ways alternate so that all have the same load of the machine. node-thermal-printer
 * accepts no PDF, so its time includes the time in which poppler draws a picture of the PDF. The picture is grey,
 * because poppler dithers black and white pictures. A further comparison excludes the time of this drawing, so that
 * node-thermal-printer has less work than the measured code.
 */
async function benchBytes(pdf: Uint8Array, dpi: 203 | 300): Promise<void> {
  say(`PDF to printer bytes at ${dpi} dpi …`)
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-bench-'))
  const file = join(folder, 'label.pdf')
  const picture = join(folder, 'label')
  writeFileSync(file, pdf)
  const paper = { dpi, widthDots: widths[dpi] }
  const poppler = (...how: string[]): void => {
    execFileSync('pdftoppm', ['-r', String(dpi), ...how, '-singlefile', file, picture])
  }
  const times = { own: [] as number[], poppler: [] as number[], whole: [] as number[], image: [] as number[] }
  try {
    for (let round = -warmUps; round < rounds; round++) {
      const ownMs = await msOf(async () => escposBytes(await rasterise(pdf, paper)))
      const popplerMs = await msOf(() => poppler('-mono'))
      const pictureMs = await msOf(() => poppler('-gray', '-png'))
      const imageMs = await msOf(() => imageBytes(`${picture}.png`))
      if (round < 0) continue
      times.own.push(ownMs)
      times.poppler.push(popplerMs)
      times.whole.push(pictureMs + imageMs)
      times.image.push(imageMs)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const figure = { name: `PDF to ESC/POS bytes at ${dpi} dpi, warm`, values: times.own }
  printFigure(
    figure,
    { name: "pdftoppm -png, then node-thermal-printer's image path", values: times.whole },
    { goal: { of: 'ratio', atMost: 0.2 } },
  )
  printFigure(figure, { name: "node-thermal-printer's image path alone, its PNG given", values: times.image })
  printFigure(
    figure,
    { name: 'pdftoppm -mono of the same page, a program a label', values: times.poppler },
    { goal: { of: 'ratio', atMost: 2 } },
  )
}

async function imageBytes(png: string): Promise<Uint8Array> {
  const thermal = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: '' })
  await thermal.printImage(png)
  thermal.cut()
  return thermal.getBuffer()
}

/**
 * Measures the reading of a label before it is sent: a thread of the process of documents draws the label and reads its
 * barcodes.
 */
async function benchReading(pdf: Uint8Array): Promise<void> {
  say('labels read in the thread …')
  const paper = { dpi: 203, widthDots: widths[203] }
  const own: number[] = []
  const bare: number[] = []
  for (let round = -warmUps; round < rounds; round++) {
    const readMs = await msOf(() => readLabelsInThread(pdf, paper))
    const bareMs = await msOf(() => rasterise(pdf, paper))
    if (round < 0) continue
    own.push(readMs)
    bare.push(bareMs)
  }
  printFigure(
    { name: 'a label made dots in the thread, its barcodes read', values: own },
    { name: 'the same label made dots here, nothing read', values: bare },
  )
}

/**
 * Measures the resident memory of this process in megabytes, after about a hundred labels and after the last label. The
 * process of documents, which draws and reads the labels, is not measured.
 */
async function benchMemory(pdf: Uint8Array): Promise<void> {
  say(`${memoryLabels} labels for their memory …`)
  const paper = { dpi: 203, widthDots: widths[203] }
  const heldMb: number[] = []
  for (let label = 0; label < memoryLabels; label++) {
    await readLabelsInThread(pdf, paper)
    heldMb.push(process.memoryUsage.rss() / 1024 / 1024)
  }
  printFigure(
    { name: `memory over the last ${sample} of ${memoryLabels} labels`, values: heldMb.slice(-sample) },
    { name: `over labels ${101 - sample} to 100`, values: heldMb.slice(100 - sample, 100) },
    { unit: 'MB', goal: { of: 'ratio', atMost: 1.1 } },
  )
}

async function msOf(act: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}
