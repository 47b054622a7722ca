import { z } from 'zod'
import { type ErrorCode, errorCodes, type Failure } from '#shared/errors/catalogue.ts'

const stored = z.object({
  code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})

export function failureToColumn(failure: Failure | null): string | null {
  return failure === null ? null : JSON.stringify(failure)
}

/**
 * Reads a failure from its column. An unknown code becomes `internal.unexpected`, because the row is more important
 * than its failure.
 */
export function failureFromColumn(column: string | null): Failure | null {
  if (column === null) return null
  const parsed = stored.safeParse(JSON.parse(column))
  return parsed.success ? parsed.data : { code: 'internal.unexpected', params: {} }
}
