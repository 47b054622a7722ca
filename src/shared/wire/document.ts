import { z } from 'zod'
import { dateTime, id, nullableText } from './primitives.ts'

/** A single document (API.md 12.1); both spellings of its title occur. `url` is signed and expires. */
export const document = z.object({
  id,
  name: z.string().optional(),
  title: z.string().optional(),
  mime_type: nullableText,
  document_type: nullableText,
  url: nullableText,
  created_at: dateTime,
  modified_at: dateTime,
})
export type Document = z.infer<typeof document>
