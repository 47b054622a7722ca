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
import { isUnreadableList, refusalReason, unreadList } from '../service/answers.ts'
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
 * After a failed read, the booking is not read again for this time in milliseconds, because several bookings of this
 * desk are compared with it one after the other, and each read may last until its timeout.
 */
const sameFailureMs = 5_000
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

/**
 * Returns the failure that stops the longest: first one that may end soon, then one that may last, then a missing
 * right. Null: nothing failed.
 */
function strictest(failed: readonly Unlisted[]): Unlisted | null {
  const mayEnd = failed.find((one) => !one.isRefused && !isUnreadableList(one.failure))
  return mayEnd ?? failed.find(({ isRefused }) => !isRefused) ?? failed[0] ?? null
}

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
  /**
   * Bookings whose last read failed, by their ids. `untilTicks`: until when the failure counts without another read.
   */
  readonly #unread = new Map<string, { readonly result: Unlisted; readonly untilTicks: number }>()
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
    const { nameVariant } = this.#parts
    // `brokeOffAt` shows that the walk through the list failed. Unreadable rows alone are ignored, because a single
    // unreadable row would otherwise stop the bookings of all desks
    if (trouble && brokeOffAt !== null) return { ok: false, ...trouble }
    const seen = new Set(acknowledged)
    const isNear = (at: Instant): boolean => at >= from - sameEventMs && at <= to + sameEventMs
    const different = this.#results.differentFrom(row.id)
    const suspects = [...rows, ...older].filter(
      ({ id, reason, status, created_at: madeAt }) =>
        reason === row.reason &&
        status !== 'disapproved' &&
        isNear(Date.parse(madeAt)) &&
        !seen.has(id) &&
        !different.has(idHash(id)),
    )
    const { twins, stop } = await this.#compare(row, suspects)
    // the operator decides about the matching bookings that were found; the other bookings are compared afterwards
    if (stop && twins.length === 0) return stop
    this.#results.ended(row.id)
    const oldestFirst = twins.toSorted(
      (one, other) => Date.parse(one.created_at) - Date.parse(other.created_at),
    )
    return { ok: true, matches: modificationMatches(oldestFirst, row, nameVariant), serviceTime }
  }

  /**
   * Reads the suspects and returns those that match the booking (`twins`). First reads the suspects whose last read has
   * not failed, at most `mostOpened`; if no more of these are left, also reads those whose last read has failed.
   * `stop`: why suspects were not compared; null: all were.
   */
  async #compare(
    row: ModificationRow,
    suspects: readonly Modification[],
  ): Promise<{ readonly twins: readonly Modification[]; readonly stop: Unlisted | null }> {
    const { modifications } = this.#parts.ledgers
    const fresh = suspects.filter(({ id }) => !this.#unread.has(id))
    const byId = new Map<string, Modification>(suspects.map((one) => [one.id, one]))
    // the booking whose read failed first is read first, so that each of these bookings is read again
    const failedBefore = [...this.#unread.keys()].flatMap((id) => byId.get(id) ?? [])
    const unopened = await modifications.notOurs(fresh, mostOpened + 1)
    const keys = bookedLineKeys(row)
    const twins: Modification[] = []
    const failed: Unlisted[] = []
    /** Reads bookings until `mostFailed` reads have failed. Returns whether none is left. */
    const open = async (some: readonly Modification[]): Promise<boolean> => {
      for (const { id } of some) {
        if (failed.length >= mostFailed) return false
        const opened = await this.#open(id)
        if (!opened.ok) failed.push(opened)
        else if (opened.value && keys.some((key) => opened.value?.keys.has(key)))
          twins.push(opened.value.modification)
        else this.#results.add(row.id, idHash(id))
      }
      return true
    }
    const isAll = (await open(unopened.slice(0, mostOpened))) && unopened.length <= mostOpened
    const again = isAll ? await modifications.notOurs(failedBefore, mostOpened + 1) : []
    await open(again.slice(0, mostOpened))
    // the read of such a booking may have failed now or in an earlier check
    const unread = again.flatMap(({ id }) => this.#unread.get(id)?.result ?? [])
    // too many calls stop all writes of the desk, not only this one
    const tooMany = failed.find(({ failure: { code } }) => code === 'api.too_many_requests')
    if (tooMany) return { twins, stop: tooMany }
    if (!isAll)
      return { twins, stop: { ok: false, failure: failure('modification.comparing'), isRefused: false } }
    return { twins, stop: strictest([...failed, ...unread]) }
  }

  /** Reads a booking with its lines, which never change. `value` is null if the service no longer has the booking. */
  async #open(id: string): Promise<Opened> {
    const { api, session, ticks } = this.#parts
    const known = this.#opened.get(id)
    if (known !== undefined) return { ok: true, value: known }
    const failed = this.#unread.get(id)
    if (failed && ticks() < failed.untilTicks) return failed.result
    const outcome = await session.withAccess((token) => api.getModification(token, id), 'observePage')
    if (outcome.kind === 'answer') return { ok: true, value: this.#remember(id, outcome.value) }
    if (refusalReason(outcome) === 'gone') return { ok: true, value: this.#remember(id, null) }
    const result: Unlisted = { ok: false, ...unreadList(outcome) }
    // this failure concerns all calls of the desk, so it shows nothing about the booking
    if (result.failure.code === 'api.too_many_requests') return result
    if (this.#unread.size >= mostRemembered) this.#unread.clear()
    this.#unread.delete(id)
    this.#unread.set(id, { result, untilTicks: ticks() + sameFailureMs })
    return result
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
