import { z } from 'zod'
import { calibrationCodes } from '../domain/wedge/calibration.ts'
import { sheetFormats, sheetKinds } from '../domain/sheet-layout.ts'
import { paperOutcome } from './printer-views.ts'

/** Paper that is no label of a shipment. The window sends its texts, because the window has the operator's language. */

const words = z.string().max(200)
/** Id of the printer; null: the printer of the station's route for this paper, otherwise the first printer. */
const printerId = z.string().min(1).max(300).nullable()

export const testPageWish = z.object({
  printerId,
  /**
   * The texts of a test page. `lead`: text after the printer's name; `hint`: what to do with the page; `block`: text
   * above the area that shows how dark the printer prints.
   */
  words: z.object({ title: words, lead: words, hint: words, block: words }),
})
export type TestPageWish = z.infer<typeof testPageWish>

/**
 * The page that was sent, with the marks that are printed on it, so that a scan of the page is recognised
 * (shared/domain/test-page.ts).
 */
export const testPageView = z.object({
  run: z.string(),
  dpi: z.number().int(),
  marks: z.array(
    z.object({
      code: z.string(),
      kind: z.enum(['upright', 'turned', 'matrix']),
      moduleDots: z.number().int(),
      moduleMm: z.number(),
    }),
  ),
  gaugeMm: z.number(),
  outcome: paperOutcome,
})
export type TestPageView = z.infer<typeof testPageView>

/** Maximum number of barcodes in one group of a sheet. A station may have more locations than this number. */
export const mostSheetEntries = 500

export const sheetEntry = z.object({
  /** Text of the barcode. */
  code: z.union([
    z
      .string()
      .max(60)
      .regex(/^[\x20-\x7e]{1,60}$/),
    z.enum([calibrationCodes.matrix, calibrationCodes.line]),
  ]),
  words,
  note: words,
})

export const sheetWish = z.object({
  kind: z.enum(sheetKinds),
  format: z.enum(sheetFormats),
  title: words,
  lead: words,
  groups: z.array(z.object({ heading: words, entries: z.array(sheetEntry).max(mostSheetEntries) })).max(20),
  printerId,
})
export type SheetWish = z.infer<typeof sheetWish>

export const sheetPrinted = z.object({
  pages: z.number().int(),
  outcome: paperOutcome,
  /** Ids of the printers with large enough paper, if the paper of the chosen printer is too small; otherwise empty. */
  wider: z.array(z.string()),
})
export type SheetPrinted = z.infer<typeof sheetPrinted>

/** The saved PDF of a sheet. It is in the folder in which this computer keeps its labels. */
export const sheetSaved = z.object({ pages: z.number().int(), file: z.string() })
export type SheetSaved = z.infer<typeof sheetSaved>
