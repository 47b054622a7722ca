import { z } from 'zod'
import type { RowPage, SkippedRow } from '#desk/ports/api.ts'
import { knownPath } from '#shared/wire/known-path.ts'
import { overLimit, rowsMargin } from '#shared/wire/limits.ts'

const withId = z.object({ id: z.string() })
/** Maximum number of characters that are kept of the id of an unreadable row. */
const longestId = 100

/**
 * A list is rejected as malformed if it has more unreadable rows than this number and more unreadable than readable
 * rows. The rows are counted in the whole list, because the unreadable rows may all be at its beginning.
 */
const mostUnreadable = 100
/**
 * Number of errors of one page after which fewer entries of lists are checked first (`shortSample`). A schema reports
 * each entry with a wrong id or date, and each report takes some microseconds.
 */
const manyComplaints = 4_000

/**
 * Checks each row of a list separately. A row that does not fit the schema is left out and reported by its id, because
 * one unreadable row must not hide the other rows of its page. Rows beyond the requested number (`limit`) and a margin
 * are not read, and together count as one unreadable row. Rejects a value that is not a list, and a list with mostly
 * unreadable rows (`mostUnreadable`). A row with many errors counts as one unreadable row.
 */
export function rowPage<Row>(row: z.ZodType<Row>): (limit?: number) => z.ZodType<RowPage<Row>> {
  return (limit = 0) =>
    z
      .custom<readonly unknown[]>((value) => Array.isArray(value))
      .transform((items, context) => {
        const rows: Row[] = []
        const skipped: SkippedRow[] = []
        const most = limit + rowsMargin
        const wanted = items.slice(0, most)
        let complaints = 0
        for (const item of wanted) {
          const read = readRow(row, item, complaints > manyComplaints ? shortSample : sampleLength)
          if ('row' in read) {
            rows.push(read.row)
            continue
          }
          skipped.push(read.skipped)
          complaints += read.complaints
          if (skipped.length > mostUnreadable && skipped.length > wanted.length / 2) {
            context.addIssue({ code: 'custom', message: 'too many rows cannot be read' })
            return z.NEVER
          }
        }
        if (items.length > most) skipped.push({ id: null, problem: ': too_many_rows' })
        return { rows, skipped }
      })
}

function readRow<Row>(
  schema: z.ZodType<Row>,
  item: unknown,
  length: number,
): { readonly row: Row } | { readonly skipped: SkippedRow; readonly complaints: number } {
  // the limits are checked before the schema, because the schema would report every wrong value of a row separately,
  // and a row may have a million values
  const over = overLimit(item)
  const idOf = (): string | null => withId.safeParse(item).data?.id.slice(0, longestId) ?? null
  if (over)
    return {
      skipped: { id: idOf(), problem: `${knownPath(schema, over.path)}: too_big` },
      complaints: 1,
    }
  const parsed = readRecord(schema, item, length)
  return parsed.success
    ? { row: parsed.data }
    : {
        skipped: { id: idOf(), problem: problemOf(schema, parsed.error) },
        complaints: complaintsOf(parsed.error.issues),
      }
}

/** Checks a list that is useful only if it is complete: one unreadable row rejects the list. */
export function wholeList<Row>(row: z.ZodType<Row>): z.ZodType<readonly Row[]> {
  return rowPage(row)().transform(({ rows, skipped }, context) => {
    if (skipped.length === 0) return rows
    context.addIssue({ code: 'custom', message: 'a row cannot be read' })
    return z.NEVER
  })
}

/**
 * Returns the field and the rule of the first schema error. The text contains neither a value nor a name that the
 * service chose.
 */
function problemOf(schema: z.ZodType, error: z.ZodError): string {
  const [first] = error.issues
  return first ? `${knownPath(schema, first.path)}: ${first.code}` : 'unknown'
}

/** Number of random entries of a long list that are checked before all its entries. */
const sampleLength = 20
/**
 * Number of random entries that are checked first (see `sampleLength`) on a page that has caused `manyComplaints`
 * errors.
 */
const shortSample = 2

/**
 * Ends the check of a record at its first error. In zod only the function `validate` sets this option. `validate`
 * cannot be used here, because it does not return the record, and a second check for the record would double the time
 * for each valid record. Some errors do not end the check: texts with a wrong form, such as ids and dates.
 */
const untilFirstError: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true }

/**
 * Checks a record or body that is within the limits of shared/wire/limits.ts, up to its first error. A schema reports
 * every entry of a list with a wrong id or date, possibly thousands. Therefore a few random entries (`length`) of each
 * longer list are checked first. If these entries do not fit, only their errors are returned.
 */
export function readRecord<T>(
  schema: z.ZodType<T>,
  record: unknown,
  length = sampleLength,
): z.ZodSafeParseResult<T> {
  const sample = sampleOf(record, length)
  const probed = sample === record ? null : schema.safeParse(sample, untilFirstError)
  return probed?.success === false ? probed : schema.safeParse(record, untilFirstError)
}

/**
 * Returns the value itself if no list in it has more than `length` entries; otherwise a copy with only `length` entries
 * of each such list.
 */
function sampleOf(value: unknown, length: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const some = value.length > length ? someOf(value, length) : value
    const entries = some.map((entry) => sampleOf(entry, length))
    return some === value && entries.every((entry, at) => entry === value[at]) ? value : entries
  }
  const fields = Object.entries(value)
  const sampled = fields.map(([name, field]) => [name, sampleOf(field, length)] as const)
  return sampled.every(([, field], at) => field === fields[at]?.[1]) ? value : Object.fromEntries(sampled)
}

function someOf(list: readonly unknown[], length: number): unknown[] {
  return Array.from({ length }, () => list[Math.floor(Math.random() * list.length)])
}

/** Returns the number of schema errors, including the errors of every alternative of a union. */
function complaintsOf(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce(
    (sum, issue) =>
      sum +
      1 +
      (issue.code === 'invalid_union' ? issue.errors.reduce((all, one) => all + complaintsOf(one), 0) : 0),
    0,
  )
}
