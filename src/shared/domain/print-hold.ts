import { z } from 'zod'

/**
 * Why a job waits before anything of it is sent: what would come out was looked at, and is not the label it should be.
 * `nothing_readable`: no barcode on it can be read; `another_label`: it bears the code of another label of this desk;
 * `does_not_fit`: the printer's paper cannot carry it with its barcodes readable.
 */
export const printHold = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('nothing_readable') }),
  z.object({ kind: z.literal('another_label'), code: z.string(), title: z.string() }),
  z.object({
    kind: z.literal('does_not_fit'),
    neededMm: z.number().nullable(),
    printableMm: z.number().nullable(),
  }),
])
export type PrintHold = z.infer<typeof printHold>

/** Degrees clockwise; `auto`: as it fits. */
export const printTurn = z.union([
  z.literal('auto'),
  z.literal(0),
  z.literal(90),
  z.literal(180),
  z.literal(270),
])

/** How an operator wants a document laid on the paper; `auto` is what the desk finds best. */
export const printPlacement = z.object({
  turn: printTurn,
  /** `page`: the whole page; `ink`: what is printed on it; `auto`: the label that stands on it. */
  crop: z.enum(['auto', 'page', 'ink']),
})
export type PrintPlacement = z.infer<typeof printPlacement>

/** How a page really came to lie on its paper, and which part of the document's page it shows; `label`: one of a sheet. */
export const printLaid = z.object({
  turn: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  part: z.enum(['page', 'ink', 'label']),
})
export type PrintLaid = z.infer<typeof printLaid>

/** Why somebody printed a label once more. `not_out`: nobody knew whether it came out, and the operator said no. */
export const reprintReasons = ['damaged', 'lost', 'misprint', 'not_out', 'other'] as const
export type ReprintReason = (typeof reprintReasons)[number]
