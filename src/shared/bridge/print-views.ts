import { labelId } from '../domain/ids.ts'
import { z } from 'zod'
import {
  printHold,
  printLaid,
  printPlacement,
  reprintReasons,
  printChoices,
  printStates,
} from '../domain/print-job.ts'
import { failureView, time } from './view-parts.ts'

/**
 * Print jobs as the screens show them: jobs that wait for a decision of the operator, other waiting jobs, and printed
 * jobs that were not scanned yet.
 */

export const printerView = z.object({
  name: z.string(),
  /** The printer's title for operators. The title can change; `name` never does. */
  title: z.string(),
  /** Where the folder printer puts its files; null for other printers. */
  folder: z.string().nullable(),
  state: z.enum(['ready', 'refused', 'unknown']),
  failure: failureView.nullable(),
})
export type PrinterView = z.infer<typeof printerView>

export const printLine = z.object({
  jobId: z.string(),
  /** The version of the job. It changes with each fact on which a decision of the operator depends. */
  version: z.string(),
  labelId,
  title: z.string(),
  trackingCode: z.string().nullable(),
  senderName: z.string().nullable(),
  printer: z.string(),
  /** The printer's title for operators; the value of `printer` if that printer is not set up any more. */
  printerTitle: z.string(),
  state: z.enum(printStates),
  isReprint: z.boolean(),
  /**
   * Whether a scan of the label answers the question whether the paper of this job came out of the printer
   * (`provesUnknownPrint`).
   */
  scanProves: z.boolean(),
  reason: z.enum(reprintReasons).nullable(),
  /** Why the job waits for a decision before it is sent; null: it needs no decision. */
  hold: printHold.nullable(),
  placement: printPlacement.nullable(),
  /** Barcodes on the paper that this desk does not know, and about which it warns the operator. */
  unlisted: z.array(z.string()),
  failure: failureView.nullable(),
  createdAt: time,
  /** When the job changed to its current state. */
  since: time,
  choices: z.array(z.enum(printChoices)),
})
export type PrintLine = z.infer<typeof printLine>

export const printsView = z.object({
  /** The oldest 200 jobs that wait for a decision and the oldest 200 jobs that wait for their printer, oldest first. */
  open: z.array(printLine),
  /** Number of open jobs beyond those in `open`; absent: none. */
  moreOpen: z.number().int().optional(),
  /**
   * The newest 200 jobs that were printed in the last 24 hours and not scanned afterwards, newest first. Jobs that were
   * saved as files are not in this list. A job is not in it either if its label has a newer job, unless the newer job
   * failed and printed nothing.
   */
  notScanned: z.array(printLine),
  /** Number of printed jobs without a scan that are not in `notScanned`, because the list is full; absent: none. */
  moreNotScanned: z.number().int().optional(),
  /** The printers of this PC. The first one prints all paper that no route assigns to a printer. */
  printers: z.array(printerView),
})
export type PrintsView = z.infer<typeof printsView>

export const printDecision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('came_out') }),
  z.object({ kind: z.literal('print_again'), reason: z.enum(reprintReasons) }),
  /**
   * Prints the label although it is held. `reason`: why the operator decides this. The reason is stored with the
   * decision.
   */
  z.object({ kind: z.literal('print_anyway'), reason: z.string().trim().min(1).max(300) }),
  z.object({ kind: z.literal('place'), placement: printPlacement }),
  z.object({ kind: z.literal('move'), printer: z.string().min(1).max(300) }),
  z.object({ kind: z.literal('retry') }),
  z.object({ kind: z.literal('give_up'), reason: z.string().trim().min(1).max(300) }),
])
export type PrintDecision = z.infer<typeof printDecision>

/** The pages as the printer would print them. */
export const printPreview = z.object({
  dpi: z.number(),
  /** The first pages of the document, at least one. */
  pages: z.array(
    z.object({
      widthDots: z.number().int(),
      heightDots: z.number().int(),
      /** Eight dots in a byte, rows from the top, the leftmost dot in the highest bit, 1 is black. */
      rows: z.instanceof(Uint8Array),
      /** Texts of the barcodes that can be read on the page. */
      codes: z.array(z.string()),
      /** The placement of the page; null if it is printed unchanged and cannot be placed differently. */
      laid: printLaid.nullable(),
    }),
  ),
  /** Number of further pages that would be printed; absent: none. */
  morePages: z.number().int().optional(),
})
export type PrintPreview = z.infer<typeof printPreview>
