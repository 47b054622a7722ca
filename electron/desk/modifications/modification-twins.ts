import { idHash } from '#shared/domain/id-hash.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { hasMarker } from '#shared/domain/references.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { ComparisonResults } from './comparison-results.ts'
import { bookedLineKeys, lineKeysOf, modificationMatches, type NameVariant } from './modification-records.ts'
import {
  asPreparation,
  asReadBack,
  changed,
  type CommandTypesParts,
  type Match,
  orUnseen,
  type Preparation,
  roleMissing,
  stopOf,
} from '../outbox/command-type.ts'
import { emptyListFailure, type RecentLists, WalkPause } from '../outbox/recent-lists.ts'
import { toSeen } from '../outbox/seen-records.ts'
import { type CommandRow, sameEventMs, wasSentUnseen } from '../ports/commands.ts'
import type { ModificationRow } from '../ports/modification-store.ts'
import { listRecentModifications, type RecentModifications } from './recent-modifications.ts'
import { refusalReason, unreadList } from '../service/answers.ts'
import { WalkBudget } from '../service/walk-budget.ts'

/** Maximum number of articles of one booking to check one by one. Only the service checks the other articles. */
const mostArticles = 25
/**
 * Maximum number of similar bookings that one check opens to compare their lines. If there are more, the booking waits,
 * and the next check opens the next ones.
 */
const mostOpened = 50
const mostRemembered = 1_000
/**
 * After this number of failed reads of similar bookings, a check ends, and the next check continues. The number is
 * small, because a read that gets no response lasts until its timeout, and other writes wait for the check meanwhile.
 */
const mostFailed = 3
/**
 * Maximum number of earlier bookings whose ids are stored before the first attempt. A later look must find one of them
 * in the list of the service. One id would be enough, but the service may remove that booking.
 */
const mostNoted = 5
/** Maximum number of this desk's newest bookings that are searched for one that has arrived at the service. */
const mostLedgerRows = 25

/**
 * The dependencies of the command types for modifications: the service, the ledger of modifications, clocks, and the
 * names of variants.
 */
export interface ModificationCommandParts extends CommandTypesParts<'modifications'> {
  readonly nameVariant: NameVariant
}

/**
 * Checks a booking before it is sent. Stops the booking if another desk made a matching booking (see Twins) at most ten
 * minutes before or after it, because stock must not change twice for one event. If the list shows the booking itself,
 * an earlier attempt has arrived. If the booking has waited, also checks whether its articles still exist.
 */
export async function checkNewModification(
  parts: ModificationCommandParts,
  twins: Twins,
  { command, row, hasWaited }: { command: CommandRow; row: ModificationRow; hasWaited: boolean },
): Promise<Preparation> {
  const go = { kind: 'go', baseline: null, serviceTime: null } as const
  const stop = hasWaited ? await checkArticles(parts, row, command) : null
  if (stop) return stop
  const found = await twins.beforeSend(row, command)
  if (!found.ok && !found.isRefused)
    return orUnseen({ kind: 'not_now', failure: found.failure }, command) ?? go
  // without the right to list bookings, the desk can find the booking neither before nor after an attempt. Therefore
  // the booking is sent without this check. But if `hasWaited` is true (the booking is old, or another user created
  // it), the operator is asked
  if (!found.ok) return hasWaited ? roleMissing(found.failure) : go
  const arrived = asPreparation(asReadBack({ kind: 'seen', matches: found.own }), command)
  if (arrived) return arrived
  const records = found.matches.map(toSeen)
  return records.length > 0
    ? { kind: 'ask', question: { kind: 'exists', records }, failure: null }
    : { kind: 'go', baseline: found.newest, serviceTime: found.serviceTime }
}

async function checkArticles(
  { api, session }: Pick<ModificationCommandParts, 'api' | 'session'>,
  row: ModificationRow,
  command: CommandRow,
): Promise<Preparation | null> {
  for (const { variant } of row.lines.slice(0, mostArticles)) {
    const outcome = await session.withAccess((token) => api.getVariant(token, variant.id), 'observePage')
    if (outcome.kind === 'answer') continue
    if (refusalReason(outcome) === 'gone') return changed('article.gone', { article: variant.articleCode })
    const stop = orUnseen(stopOf(outcome), command)
    if (stop) return stop
  }
  return null
}

type Unlisted = { readonly ok: false; readonly failure: Failure; readonly isRefused: boolean }

type FoundTwins =
  { readonly ok: true; readonly matches: readonly Match[]; readonly serviceTime: Instant | null } | Unlisted

type FoundBefore =
  | (Extract<FoundTwins, { readonly ok: true }> & {
      /** The records of the booking itself, by the marker in their notes, oldest first. */
      readonly own: readonly Match[]
      /** Hashes (`idHash`) of the ids of the newest bookings that the service listed. */
      readonly newest: readonly string[]
    })
  | Unlisted

/** A booking and the keys of its lines. Each check compares these keys. */
interface OpenedBooking {
  readonly modification: Modification
  readonly keys: ReadonlySet<string>
}

type Opened = { readonly ok: true; readonly value: OpenedBooking | null } | Unlisted

/** The period in which an event happened. Its length is 0 if the time of the event is certain. */
interface Period {
  readonly from: Instant
  readonly to: Instant
}

/**
 * Finds matching bookings of other desks. A booking matches if it was made at most ten minutes before or after the
 * given period, and has the same reason and at least one line with the same article, location and quantity. Leaves out
 * disapproved bookings and bookings that the operator has seen. The service lists bookings without their lines, so
 * Twins reads each booking once. One call reads at most `mostOpened` bookings. If more are left and none of those
 * matches, the result is the failure `modification.comparing`, and a later call continues.
 */
export class Twins {
  readonly #parts: ModificationCommandParts
  readonly #opened = new Map<string, OpenedBooking | null>()
  /** Limits the memory for the bookings that were read. */
  #budget = new WalkBudget()
  readonly #results: ComparisonResults
  /** Bookings whose last read failed. They are read last, so that they do not delay the comparison with the others. */
  readonly #unread = new Set<string>()
  readonly #pause: WalkPause<RecentModifications>

  constructor(parts: ModificationCommandParts) {
    this.#parts = parts
    this.#results = new ComparisonResults(parts.ticks)
    this.#pause = new WalkPause(parts, ({ trouble, brokeOffAt: page }) =>
      trouble && page !== null ? { ...trouble, page } : null,
    )
  }

  /**
   * Called before this booking is sent. Finds the matching bookings of other desks (see Twins), and this booking itself
   * if an earlier attempt has arrived. Searches around the time when the operator made this booking. The Date header of
   * the service or the clock of this PC may differ from the times of the records, so the period contains the time by
   * each of these clocks.
   */
  async beforeSend(row: ModificationRow, { acknowledged, createdAt }: CommandRow): Promise<FoundBefore> {
    const { now, nameVariant } = this.#parts
    const backMs = Math.max(0, now() - createdAt)
    const recent = await this.#pause.walk(now() - backMs, async () => {
      const list = await listRecentModifications(this.#parts, null, now(), backMs)
      // an incomplete list is not used, because the wanted booking may be missing from it. The rows of this list are
      // dropped, because WalkPause keeps the result of a failed walk, which may have up to twenty thousand rows
      return list.brokeOffAt === null ? list : { ...list, rows: [], older: [] }
    })
    const at = now() - backMs
    const serviceAt = recent.serviceTime === null ? at : recent.serviceTime - backMs
    const period = { from: Math.min(at, serviceAt), to: Math.max(at, serviceAt) }
    const found = await this.#among(recent, row, period, acknowledged)
    if (!found.ok) return found
    const listed = [...recent.rows, ...recent.older]
    const isEmpty = listed.length === 0 && recent.trouble === null
    const wrong = isEmpty ? await this.#wrongEmptiness() : null
    if (wrong) return { ok: false, failure: wrong, isRefused: false }
    const own = listed.filter(({ note }) => hasMarker(note, row.id)).toReversed()
    const newest = listed.slice(0, mostNoted).map(({ id }) => idHash(id))
    return { ...found, own: modificationMatches(own, row, nameVariant), newest }
  }

  /**
   * Finds the matching bookings of other desks (see Twins) after this booking has arrived. Searches around the time
   * that the list shows for this booking, because the times of all records come from the same clock; if the list does
   * not contain this booking, around the time when it was sent. If the booking was sent without the check, the period
   * begins when the operator made it.
   */
  async afterSend(row: ModificationRow, command: CommandRow, lists: RecentLists): Promise<FoundTwins> {
    const { acknowledged, firstSentAt, createdAt } = command
    if (firstSentAt === null) return { ok: true, matches: [], serviceTime: null }
    const isUnseen = wasSentUnseen(command)
    const recent = await lists.modifications({
      first: isUnseen ? Math.min(firstSentAt, createdAt) : firstSentAt,
      last: Math.max(firstSentAt, this.#parts.now()),
    })
    const own = [...recent.rows, ...recent.older].find(({ id }) => id === row.serverId)
    const at = own ? Date.parse(own.created_at) : firstSentAt
    // if no list was read before the booking was sent, this desk has not seen the bookings since the operator's request
    // either, so the period begins at the request
    const from = isUnseen ? Math.min(at, createdAt) : at
    return this.#among(recent, row, { from, to: at }, acknowledged)
  }

  /** Returns a failure if the service has the newest booking of this desk, so that an empty list must be wrong. */
  #wrongEmptiness(): Promise<Failure | null> {
    const { api, session, ledgers } = this.#parts
    const known = ledgers.modifications.recent(mostLedgerRows).flatMap(({ serverId }) => serverId ?? [])
    return emptyListFailure(known.slice(0, 1), (id) =>
      session.withAccess((token) => api.getModification(token, id), 'observePage'),
    )
  }

  async #among(
    { rows, older, serviceTime, brokeOffAt, trouble }: RecentModifications,
    row: ModificationRow,
    { from, to }: Period,
    acknowledged: readonly string[],
  ): Promise<FoundTwins> {
    const { ledgers, nameVariant } = this.#parts
    // `brokeOffAt` shows that the walk through the list failed. Unreadable rows alone are ignored, because a single
    // unreadable row would otherwise stop the bookings of all desks
    if (trouble && brokeOffAt !== null) return { ok: false, ...trouble }
    const seen = new Set(acknowledged)
    const isNear = (at: Instant): boolean => at >= from - sameEventMs && at <= to + sameEventMs
    const different = this.#results.differentFrom(row.id)
    const suspects = [...rows, ...older]
      .filter(
        ({ id, reason, status, created_at: madeAt }) =>
          reason === row.reason &&
          status !== 'disapproved' &&
          isNear(Date.parse(madeAt)) &&
          !seen.has(id) &&
          !different.has(idHash(id)),
      )
      .toSorted((one, other) => Number(this.#unread.has(one.id)) - Number(this.#unread.has(other.id)))
    const keys = bookedLineKeys(row)
    const twins: Modification[] = []
    const failed: Unlisted[] = []
    const others = await ledgers.modifications.notOurs(suspects, mostOpened + 1)
    let isUnfinished = others.length > mostOpened
    for (const { id } of others.slice(0, mostOpened)) {
      if (failed.length === mostFailed) {
        isUnfinished ||= !this.#unread.has(id)
        continue
      }
      const opened = await this.#open(id)
      if (!opened.ok) {
        failed.push(opened)
        continue
      }
      const booking = opened.value
      if (booking && keys.some((key) => booking.keys.has(key))) twins.push(booking.modification)
      else this.#results.add(row.id, idHash(id))
    }
    // the operator decides about the matching bookings that were found; the other bookings are compared afterwards
    if (twins.length === 0) {
      if (isUnfinished) return { ok: false, failure: failure('modification.comparing'), isRefused: false }
      if (failed[0]) return failed[0]
    }
    this.#results.ended(row.id)
    const oldestFirst = twins.toSorted(
      (one, other) => Date.parse(one.created_at) - Date.parse(other.created_at),
    )
    return { ok: true, matches: modificationMatches(oldestFirst, row, nameVariant), serviceTime }
  }

  /** Reads a booking with its lines, which never change. `value` is null if the service no longer has the booking. */
  async #open(id: string): Promise<Opened> {
    const { api, session } = this.#parts
    const known = this.#opened.get(id)
    if (known !== undefined) return { ok: true, value: known }
    const outcome = await session.withAccess((token) => api.getModification(token, id), 'observePage')
    if (outcome.kind === 'answer') return { ok: true, value: this.#remember(id, outcome.value) }
    if (refusalReason(outcome) === 'gone') return { ok: true, value: this.#remember(id, null) }
    if (this.#unread.size >= mostRemembered) this.#unread.clear()
    this.#unread.add(id)
    return { ok: false, ...unreadList(outcome) }
  }

  #remember(id: string, modification: Modification | null): OpenedBooking | null {
    if (this.#opened.size >= mostRemembered || !this.#budget.mayKeep([modification])) {
      this.#opened.clear()
      this.#budget = new WalkBudget()
    }
    const booking = modification && { modification, keys: new Set(lineKeysOf(modification)) }
    this.#opened.set(id, booking)
    this.#unread.delete(id)
    return booking
  }
}
