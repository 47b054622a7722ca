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

/** Print jobs as the screens show them: what asks, what waits, what is on paper and was not scanned back yet. */

export const printerView = z.object({
  name: z.string(),
  /** What operators call it; `name` stays when this changes. */
  title: z.string(),
  /** Where the folder printer puts its files, else null. */
  folder: z.string().nullable(),
  state: z.enum(['ready', 'refused', 'unknown']),
  failure: failureView.nullable(),
})
export type PrinterView = z.infer<typeof printerView>

export const printLine = z.object({
  jobId: z.string(),
  /** Another one as soon as anything is different that somebody decides by. */
  version: z.string(),
  labelId,
  title: z.string(),
  trackingCode: z.string().nullable(),
  senderName: z.string().nullable(),
  printer: z.string(),
  /** What operators call it, or `printer` where it stands here no more. */
  printerTitle: z.string(),
  state: z.enum(printStates),
  isReprint: z.boolean(),
  reason: z.enum(reprintReasons).nullable(),
  /** Why it waits for somebody before anything is sent. */
  hold: printHold.nullable(),
  placement: printPlacement.nullable(),
  /** Barcodes on the paper that nothing here knows. */
  unlisted: z.array(z.string()),
  failure: failureView.nullable(),
  createdAt: time,
  /** In this state since. */
  since: time,
  choices: z.array(z.enum(printChoices)),
})
export type PrintLine = z.infer<typeof printLine>

export const printsView = z.object({
  /** Oldest first: those that ask, and those that wait for their printer. */
  open: z.array(printLine),
  /** On paper and not scanned since, newest first. */
  notScanned: z.array(printLine),
  /** The first takes whatever no route names. */
  printers: z.array(printerView),
})
export type PrintsView = z.infer<typeof printsView>

export const printDecision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('came_out') }),
  z.object({ kind: z.literal('print_again'), reason: z.enum(reprintReasons) }),
  /** Why it is printed although it was held, for those who come after. */
  z.object({ kind: z.literal('print_anyway'), reason: z.string().trim().min(1).max(300) }),
  z.object({ kind: z.literal('place'), placement: printPlacement }),
  z.object({ kind: z.literal('move'), printer: z.string().min(1).max(300) }),
  z.object({ kind: z.literal('retry') }),
  z.object({ kind: z.literal('give_up'), reason: z.string().trim().min(1).max(300) }),
])
export type PrintDecision = z.infer<typeof printDecision>

/** What would come out, as dots: eight a byte, rows from the top, the leftmost highest, 1 is black; in base64. */
export const printPreview = z.object({
  dpi: z.number(),
  pages: z.array(
    z.object({
      widthDots: z.number().int(),
      heightDots: z.number().int(),
      rows: z.string(),
      /** Texts of the barcodes that can be read on it. */
      codes: z.array(z.string()),
      /** Null: as the document has it, and nothing lays it otherwise. */
      laid: printLaid.nullable(),
    }),
  ),
})
export type PrintPreview = z.infer<typeof printPreview>
