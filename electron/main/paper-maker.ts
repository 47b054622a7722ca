import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import type { Desk } from '#desk/desk.ts'
import { writeDurably } from '#kit/durable-files.ts'
import { type FolderSpace, folderSpace, makeRoom } from '#kit/folder-room.ts'
import { sheetInThread, testPageInThread } from '#labels/raster-in-thread.ts'
import type { SheetSpec } from '#labels/sheets/barcode-sheet.ts'
import { paperOf } from '#printing/printer-kinds.ts'
import type {
  SheetPrinted,
  SheetSaved,
  SheetWish,
  TestPageView,
  TestPageWish,
} from '#shared/bridge/paper-views.ts'
import {
  hasPaper,
  type PaperSize,
  type PrinterEntry,
  type PrinterSettings,
} from '#shared/bridge/printer-views.ts'
import { a4Room, countSheetPages, type SheetRoom } from '#shared/domain/sheet-layout.ts'
import { mmPerInch, planTestPage, testRun } from '#shared/domain/test-page.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { OutwardLimit } from './setup-tests.ts'

interface PaperMakerParts {
  /** Returns the open desk. Throws `station.changed` if it is not the desk of the station with this id. */
  readonly desk: (stationId?: string) => Promise<Pick<Desk, 'paper'>>
  /**
   * Returns the printer of this PC with the id. Without an id, returns the printer for sheets of this size. Returns
   * null if there is no such printer.
   */
  readonly printerOf: (
    printerId: string | null,
    size: PaperSize,
  ) => Pick<PrinterEntry, 'id' | 'title' | 'settings'> | null
  /** Returns every printer of this PC. */
  readonly printers: () => readonly PrinterEntry[]
  /** The folder in which PDFs are saved. */
  readonly folder: string
  readonly now: () => Date
  readonly space?: FolderSpace
}

/**
 * The resolution, in dots per inch, for which the barcodes on a sheet for a page printer are drawn. It is the lowest
 * resolution of label printers.
 */
const pageDpi = 203
/**
 * Tolerance in millimetres: a sheet fits on a medium that is smaller than the sheet by at most this length. The size of
 * a medium is rounded to whole dots, so it may be slightly smaller than the size in its name.
 */
const hairMm = 1

/**
 * Prints or saves test pages and barcode sheets, drawn for the paper of a printer. Allows ten calls in a minute, all
 * methods together, because a compromised page could fill the disk with saved files. Draws one document at a time;
 * other calls fail with `bridge.too_many_calls` meanwhile. Otherwise each print would wait for the sheets of all calls,
 * because the process of documents works on one document at a time. A drawn sheet that waits for its printer delays no
 * call.
 */
export class PaperMaker {
  readonly #parts: PaperMakerParts
  readonly #limit = new OutwardLimit()
  #isBusy = false

  constructor(parts: PaperMakerParts) {
    this.#parts = parts
  }

  testPage(wish: TestPageWish): Promise<Result<TestPageView>> {
    return this.#limit.run(() => this.#printTestPage(wish))
  }

  /**
   * The desk of the open station prints the sheet. Throws `station.changed` if `stationId` is the id of another
   * station.
   */
  sheet(wish: SheetWish, stationId?: string): Promise<Result<SheetPrinted>> {
    return this.#limit.run(() => this.#printSheet(wish, stationId))
  }

  /** Saves a barcode sheet as a PDF in the folder of labels, without printing it. */
  sheetPdf(wish: SheetWish): Promise<Result<SheetSaved>> {
    return this.#limit.run(() => this.#saveSheet(wish))
  }

  /** Draws a document. Returns null if another one is being drawn. */
  async #drawn(draw: () => Promise<Uint8Array>): Promise<Uint8Array | null> {
    if (this.#isBusy) return null
    this.#isBusy = true
    try {
      return await draw()
    } finally {
      this.#isBusy = false
    }
  }

  async #printTestPage({ printerId, words }: TestPageWish): Promise<Result<TestPageView>> {
    const printer = this.#parts.printerOf(printerId, 'label')
    if (!printer) return fail('printer.refused', { printer: printerId ?? '', cause: 'gone' })
    const paper = paperOf(printer.settings)
    const run = testRun(randomInt(26 * 26))
    const lead = [printer.title, words.lead].filter(Boolean).join(' · ')
    const page = { run, paper, words: { ...words, lead }, date: this.#parts.now() }
    const document = await this.#drawn(() => testPageInThread(page))
    if (!document) return fail('bridge.too_many_calls')
    const desk = await this.#parts.desk()
    const outcome = await desk.paper.print({ printerId: printer.id, document, reference: `test-page-${run}` })
    const { marks, gaugeMm } = planTestPage(run, paper)
    return ok({ run, dpi: paper.dpi, marks: [...marks], gaugeMm, outcome })
  }

  async #printSheet(wish: SheetWish, stationId?: string): Promise<Result<SheetPrinted>> {
    const printer = this.#printerOf(wish)
    if (!printer) return fail('printer.refused', { printer: wish.printerId ?? '', cause: 'gone' })
    const spec = this.#specOf(wish)
    const document = await this.#drawn(() => sheetInThread(spec))
    if (!document) return fail('bridge.too_many_calls')
    const desk = await this.#parts.desk(stationId)
    const outcome = await desk.paper.print({
      printerId: printer.id,
      document,
      reference: `sheet-${wish.kind}`,
    })
    const isNarrow = outcome.failure?.code === 'printer.paper_too_narrow'
    return ok({ pages: countSheetPages(spec), outcome, wider: isNarrow ? this.#withRoomFor(spec) : [] })
  }

  async #saveSheet(wish: SheetWish): Promise<Result<SheetSaved>> {
    const spec = this.#specOf(wish)
    const document = await this.#drawn(() => sheetInThread(spec))
    if (!document) return fail('bridge.too_many_calls')
    const moment = spec.date.toISOString().replaceAll(/[:.]/g, '').slice(0, 17)
    const { folder, space = folderSpace } = this.#parts
    const file = join(folder, `${moment}-${wish.kind}.pdf`)
    try {
      await makeRoom(folder, document.length, space)
      await writeDurably(file, document)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      return fail('printer.refused', { printer: folder, cause: code === 'ENOSPC' ? 'disk_full' : code })
    }
    return ok({ pages: countSheetPages(spec), file })
  }

  #printerOf({ printerId, format }: SheetWish): ReturnType<PaperMakerParts['printerOf']> {
    return this.#parts.printerOf(printerId, format === 'a4' ? 'page' : 'label')
  }

  #withRoomFor({ room: { widthMm, heightMm } }: SheetSpec): string[] {
    const hasRoom = ({ settings }: PrinterEntry): boolean => {
      // a folder printer accepts a PDF with pages of any size
      if (!hasPaper(settings)) return true
      const { room } = roomOf(settings)
      return room.widthMm >= widthMm - hairMm && (room.heightMm ?? Infinity) >= (heightMm ?? 0) - hairMm
    }
    return this.#parts
      .printers()
      .filter(hasRoom)
      .map(({ id }) => id)
  }

  #specOf(wished: SheetWish): SheetSpec {
    const { printerId: _, ...wish } = wished
    const { dpi, room } = roomOf(this.#printerOf(wished)?.settings ?? { kind: 'folder' })
    const date = this.#parts.now()
    return wish.format === 'a4' ? { ...wish, room: a4Room, dpi: pageDpi, date } : { ...wish, room, dpi, date }
  }
}

function roomOf(settings: PrinterSettings): { dpi: number; room: SheetRoom } {
  const { dpi, widthDots, heightDots } = paperOf(settings)
  const toMm = (dots: number): number => (dots * mmPerInch) / dpi
  return {
    dpi,
    room: { widthMm: toMm(widthDots), heightMm: heightDots === null ? null : toMm(heightDots) },
  }
}
