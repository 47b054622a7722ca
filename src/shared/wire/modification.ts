import { z } from 'zod'
import { modificationReasons, modificationStatuses } from '../domain/modification.ts'
import { sentList, wholeFrom } from './loose.ts'
import { dateTime, id, nullableText, byId } from './primitives.ts'
import { variantOrId } from './variant.ts'
import { listQuery } from './listing.ts'

/** The contract shows only the `id` of a location (API.md 9.1); this service also returns its shelf code. */
const modificationLine = z.object({
  variant: variantOrId,
  location: z.object({ id, code: nullableText.optional() }).nullable(),
  /** Number of pieces that were added to the stock; negative: pieces that were taken from it. */
  quantity: z.number().int(),
})

/** Stock modification; lists contain it without its lines (API.md 9.1). */
export const modification = z.object({
  id: id.brand<'ServerId'>(),
  reference: z.string(),
  reason: z.enum(modificationReasons),
  /**
   * Usually a known status. An unknown status is accepted unchanged, because the list of known statuses may be
   * incomplete (API.md 19).
   */
  status: z.union([z.enum(modificationStatuses), z.string().min(1)]),
  note: nullableText,
  created_at: dateTime,
  modified_at: dateTime,
  modification_lines: z.array(modificationLine).optional(),
})
export type Modification = z.output<typeof modification>

/** Maximum quantity of a line, in pieces. No warehouse has as many. */
const largestModification = 1_000_000_000

/** Body of POST /wms/modifications/ (API.md 9.1). The note is stored unchanged. */
export const modificationCreate = z.object({
  note: z.string().regex(/\S/, 'This value should not be blank.'),
  reason: z.enum(modificationReasons),
  modification_lines: sentList(
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

/** Modifications (API.md 9). */
export const modificationRoutes = {
  listModifications: {
    summary: 'List stock modifications',
    method: 'GET',
    path: '/wms/modifications/',
    query: listQuery(['createdAt', 'reference']).extend({ status: z.enum(modificationStatuses).optional() }),
    status: 200,
    response: z.array(modification),
    role: 'MODIFICATIONS_READ',
  },
  getModification: {
    summary: 'Get a stock modification',
    method: 'GET',
    path: '/wms/modifications/:id/',
    params: byId,
    status: 200,
    response: modification,
    role: 'MODIFICATIONS_READ',
  },
  createModification: {
    summary: 'Create a stock modification for the warehouse to decide on',
    method: 'POST',
    path: '/wms/modifications/',
    otherPath: '/wms/modification/',
    body: modificationCreate,
    status: 201,
    response: modification,
    role: 'MODIFICATIONS_CREATE',
  },
} as const
