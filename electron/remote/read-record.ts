import type { z } from 'zod'

/** So many entries of a list that is longer are looked at before all of them. */
const sampleLength = 20

/**
 * Reads a record or body that is within the limits of shared/wire/limits.ts. A schema complains about each of thousands of
 * wrong entries, so that a few of each long list are read first, chosen at random: where they do not fit, only the
 * complaints about them are returned.
 */
export function readRecord<T>(schema: z.ZodType<T>, record: unknown): z.ZodSafeParseResult<T> {
  const sample = sampleOf(record)
  const probed = sample === record ? null : schema.safeParse(sample)
  return probed?.success === false ? probed : schema.safeParse(record)
}

/** The same value where it holds no long list, else a copy with some entries of each. */
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

/** How many complaints there are, those of each form that was tried included. */
export function complaintsOf(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce(
    (sum, issue) =>
      sum +
      1 +
      (issue.code === 'invalid_union' ? issue.errors.reduce((all, one) => all + complaintsOf(one), 0) : 0),
    0,
  )
}
