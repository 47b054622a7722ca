import { z } from 'zod'
import type { Scope } from '#shared/domain/scope.ts'

/**
 * The argument of a desk process (print-child.ts), as JSON: its folders, its printers, and whether it has a deliberate
 * fault.
 */
export const given = z.object({
  dataDir: z.string(),
  folder: z.string(),
  zplPort: z.number(),
  escposPort: z.number(),
  /** Whether the desk has the deliberate fault: it prints a label again if the outcome of its print is unknown. */
  control: z.boolean(),
})
export type Given = z.infer<typeof given>

export const scope: Scope = { baseUrl: 'http://127.0.0.1:9', wmsCode: 'stub', customerCode: 'one' }

export const printerNames = { zpl: 'zpl', escpos: 'escpos', folder: 'folder' } as const
