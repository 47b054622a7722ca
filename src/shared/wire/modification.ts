import { z } from 'zod'
import { modificationReasons, modificationStatuses } from '../domain/modification.ts'
import { wholeFrom } from './loose.ts'
import { dateTime, id, nullableText } from './primitives.ts'
import { variantOrId } from './variant.ts'

/** The contract shows of a location its `id` alone (API.md 9.1); ours also says what stands on the shelf. */
const modificationLine = z.object({
  variant: variantOrId,
  location: z.object({ id, code: nullableText.optional() }).nullable(),
  /** Pieces; fewer than zero were taken off the stock. */
  quantity: z.number().int(),
})

/** Stock modification; lists leave the lines out (API.md 9.1). */
export const modification = z.object({
  id: id.brand<'ServerId'>(),
  reference: z.string(),
  reason: z.enum(modificationReasons),
  /** Usually one of the known ones; another name is taken as it came: no list is complete (API.md 19). */
  status: z.union([z.enum(modificationStatuses), z.string().min(1)]),
  note: nullableText,
  created_at: dateTime,
  modified_at: dateTime,
  modification_lines: z.array(modificationLine).optional(),
})
export type Modification = z.output<typeof modification>

/** Pieces; no warehouse holds as many. */
const largestModification = 1_000_000_000

/** POST /wms/modifications/ (API.md 9.1). The note is kept letter by letter. */
export const modificationCreate = z.object({
  note: z.string().regex(/\S/, 'This value should not be blank.'),
  reason: z.enum(modificationReasons),
  modification_lines: z
    .array(
      z.object({
        variant: id,
        location: id,
        quantity: wholeFrom(-largestModification).pipe(
          z
            .number()
            .max(largestModification)
            .refine((quantity) => quantity !== 0, 'This value should not be zero.'),
        ),
      }),
    )
    .min(1)
    .max(1000),
})
export type ModificationCreate = z.output<typeof modificationCreate>
