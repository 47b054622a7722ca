import { z } from 'zod'
import type { RowPage, SkippedRow } from '#desk/ports/api.ts'
import { knownPath } from '#shared/wire/known-path.ts'
import { overLimit, rowsMargin } from '#shared/wire/limits.ts'

const withId = z.object({ id: z.string() })
/** Number of characters that are kept of the id of a rejected row. */
const longestId = 100

/** A list with this many unreadable rows, and fewer readable ones, is not from the service. */
const mostUnreadable = 100
/** Limit on the complaints of a schema, which reports each field of each row and takes some microseconds for each. */
const mostComplaints = 4_000

/**
 * Judges the rows of a list one by one. A row that does not fit the schema is left out and reported by its id, because
 * one unreadable row must not hide the other nine hundred of its page. Rows beyond the requested number (`limit`) and a
 * margin are not read: together they count as one rejected row. Rejects any other value than a list, and a list whose
 * rows are mostly unreadable.
 */
export function rowPage<Row>(row: z.ZodType<Row>): (limit?: number) => z.ZodType<RowPage<Row>> {
  return (limit = 0) =>
    z
      .custom<readonly unknown[]>((value) => Array.isArray(value))
      .transform((items, context) => {
        const rows: Row[] = []
        const skipped: SkippedRow[] = []
        const most = limit + rowsMargin
        let complaints = 0
        for (const item of items.slice(0, most)) {
          const read = readRow(row, item)
          if ('row' in read) {
            rows.push(read.row)
            continue
          }
          skipped.push(read.skipped)
          complaints += read.complaints
          if (
            complaints > mostComplaints ||
            (skipped.length > mostUnreadable && skipped.length > rows.length)
          ) {
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
): { readonly row: Row } | { readonly skipped: SkippedRow; readonly complaints: number } {
  // before the schema, which would report each of a million wrong lines
  const over = overLimit(item)
  const idOf = (): string | null => withId.safeParse(item).data?.id.slice(0, longestId) ?? null
  if (over)
    return {
      skipped: { id: idOf(), problem: `${knownPath(schema, over.path)}: too_big` },
      complaints: 1,
    }
  const parsed = readRecord(schema, item)
  return parsed.success
    ? { row: parsed.data }
    : {
        skipped: { id: idOf(), problem: problemOf(schema, parsed.error) },
        complaints: complaintsOf(parsed.error.issues),
      }
}

/** Judges a list that is useful only if it is complete: one unreadable row rejects it. */
export function wholeList<Row>(row: z.ZodType<Row>): z.ZodType<readonly Row[]> {
  return rowPage(row)().transform(({ rows, skipped }, context) => {
    if (skipped.length === 0) return rows
    context.addIssue({ code: 'custom', message: 'a row cannot be read' })
    return z.NEVER
  })
}

/** Returns field and rule of the first complaint; never a value or a name that the service chose. */
function problemOf(schema: z.ZodType, error: z.ZodError): string {
  const [first] = error.issues
  return first ? `${knownPath(schema, first.path)}: ${first.code}` : 'unknown'
}

/** Number of entries of a longer list that are read first. */
const sampleLength = 20

/**
 * Reads a record or body that is within the limits of shared/wire/limits.ts. Because a schema reports each of thousands
 * of wrong entries, a few random entries of each long list are read first: if they do not fit, only the complaints
 * about them are returned.
 */
export function readRecord<T>(schema: z.ZodType<T>, record: unknown): z.ZodSafeParseResult<T> {
  const sample = sampleOf(record)
  const probed = sample === record ? null : schema.safeParse(sample)
  return probed?.success === false ? probed : schema.safeParse(record)
}

/** Returns the same value if it contains no long list, otherwise a copy with some entries of each. */
function sampleOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const some = value.length > sampleLength ? someOf(value) : value
    const entries = some.map(sampleOf)
    return some === value && entries.every((entry, at) => entry === value[at]) ? value : entries
  }
  const fields = Object.entries(value)
  const sampled = fields.map(([name, field]) => [name, sampleOf(field)] as const)
  return sampled.every(([, field], at) => field === fields[at]?.[1]) ? value : Object.fromEntries(sampled)
}

function someOf(list: readonly unknown[]): unknown[] {
  return Array.from({ length: sampleLength }, () => list[Math.floor(Math.random() * list.length)])
}

/** Counts the complaints, including those of each form that was tried. */
function complaintsOf(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce(
    (sum, issue) =>
      sum +
      1 +
      (issue.code === 'invalid_union' ? issue.errors.reduce((all, one) => all + complaintsOf(one), 0) : 0),
    0,
  )
}
