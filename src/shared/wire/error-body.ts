import { z } from 'zod'

/**
 * Bodies of failed calls. Return labels: `{error}` (API.md 1.10). Authentication: `{code, message}`. Validation in all
 * other calls: `{errors}` with global messages under numeric keys and field messages as arrays.
 */
export const errorBody = z.object({
  error: z.string().optional(),
  code: z.number().int().optional(),
  message: z.string().optional(),
  errors: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
})
export type ErrorBody = z.infer<typeof errorBody>
