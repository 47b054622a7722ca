import { z } from 'zod'
import type { RowPage, SkippedRow } from '#desk/ports/api.ts'

const withId = z.object({ id: z.string() })

/**
 * A list's rows judged one by one: what does not fit is left out and named, since one odd row must not hide the other
 * nine hundred of its page. Anything but a list does not fit at all.
 */
export function rowPage<Row>(row: z.ZodType<Row>): z.ZodType<RowPage<Row>> {
  return z.array(z.unknown()).transform((items) => {
    const rows: Row[] = []
    const skipped: SkippedRow[] = []
    for (const item of items) {
      const parsed = row.safeParse(item)
      if (parsed.success) rows.push(parsed.data)
      else skipped.push({ id: withId.safeParse(item).data?.id ?? null, problem: problemOf(parsed.error) })
    }
    return { rows, skipped }
  })
}

/** Field and rule of the first complaint; never the value, which may be anybody's name. */
function problemOf(error: z.ZodError): string {
  const [first] = error.issues
  return first ? `${first.path.join('.')}: ${first.code}` : 'unknown'
}
