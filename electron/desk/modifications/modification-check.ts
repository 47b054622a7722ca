import type { Failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { type CommandTypesParts, type Match, type Preparation, toSeen } from '../outbox/command-type.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { ModificationRow } from '../ports/modification-store.ts'
import { listRecentModifications } from './recent-modifications.ts'
import { modificationMatch } from './modification-records.ts'
import { changed, roleMissing, stopOf } from '../outbox/waited-check.ts'

/** Of a long booking only so many articles are asked for one by one; the service itself judges the rest. */
const mostArticles = 25
const mostOpened = 20
/** How long ago another desk's booking still counts as the same event on the floor. */
const twinMs = 10 * 60_000

/**
 * What may have changed since the operator booked something that waited: an article is gone, or another desk booked the
 * same in the last ten minutes. Null: nothing.
 */
export async function checkNewModification(
  parts: CommandTypesParts,
  command: CommandRow,
  row: ModificationRow,
): Promise<Preparation | null> {
  const { api, session } = parts
  for (const { variant } of row.lines.slice(0, mostArticles)) {
    const outcome = await session.withAccess((token) => api.getVariant(token, variant.id))
    if (outcome.kind === 'answer') continue
    if (outcome.kind === 'refused' && outcome.status === 404)
      return changed('article.gone', { article: variant.articleCode })
    const stop = stopOf(outcome)
    if (stop) return stop
  }
  const twins = await findTwins(parts, row, command.acknowledged)
  if (!twins.ok)
    return twins.isRefused ? roleMissing(twins.failure) : { kind: 'not_now', failure: twins.failure }
  const records = twins.matches.map(toSeen)
  return records.length > 0 ? { kind: 'ask', question: { kind: 'exists', records }, failure: null } : null
}

type Twins =
  | { readonly ok: true; readonly matches: readonly Match[] }
  | { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean }

/**
 * What others booked in the last ten minutes for the same reason with a line of the same article, location and quantity.
 * One that the warehouse turned down does not count.
 */
export async function findTwins(
  { api, session, modifications, nameVariant, now }: CommandTypesParts,
  row: ModificationRow,
  acknowledged: readonly string[],
): Promise<Twins> {
  const { rows, serviceTime, trouble } = await listRecentModifications(api, session, null, now())
  if (trouble && rows.length === 0) return { ok: false, ...trouble }
  const edge = (serviceTime ?? now()) - twinMs
  const suspects = rows.filter(
    ({ id, note, reason, status, created_at: madeAt }) =>
      reason === row.reason &&
      status !== 'disapproved' &&
      Date.parse(madeAt) >= edge &&
      !acknowledged.includes(id) &&
      !modifications.isOurs(id, note),
  )
  const matches: Match[] = []
  for (const { id } of suspects.slice(0, mostOpened)) {
    const outcome = await session.withAccess((token) => api.getModification(token, id))
    if (outcome.kind === 'answer' && sharesLine(outcome.value, row))
      matches.push(modificationMatch(outcome.value, row, nameVariant))
  }
  return { ok: true, matches: matches.toReversed() }
}

function sharesLine({ modification_lines: lines = [] }: Modification, row: ModificationRow): boolean {
  const isSame = (a: string, b: string | undefined): boolean => a.toLowerCase() === b?.toLowerCase()
  return row.lines.some(({ variant, quantity }) =>
    lines.some(
      (line) =>
        line.quantity === quantity &&
        isSame(variant.id, line.variant.id) &&
        isSame(row.locationId, line.location?.id),
    ),
  )
}
