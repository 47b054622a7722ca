import type { QueueEdit, ServiceRecord } from '#shared/bridge/queue-views.ts'
import type {
  CommandFacts,
  FactsOf,
  SubjectId,
  SubjectKind,
  WriteType,
  WriteBrief,
} from '#shared/writes/write-kinds.ts'
import { type ErrorCode, type ErrorParams, type Failure, failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { Role } from '#shared/wire/roles.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { CommandRow, SeenRecord, StoredQuestion, TakenInto } from '../ports/commands.ts'
import type { Ledgers } from '../ports/store.ts'
import type { RecentLists } from './recent-lists.ts'
import { toSeen } from './seen-records.ts'
import { isFinalRefusal, type Refusal, refusalReason } from '../service/answers.ts'
import type { Session } from '../service/session.ts'

/** A kind of thing that is written about: all that the desk does for it. It is registered once, in writes.ts. */
export interface WriteKind<K extends SubjectKind = SubjectKind> {
  /** Its writes, by the name under which they rest in desk.db. */
  readonly types: Readonly<Record<WriteType<K>, CommandType<K>>>
  /** Null: its subject is no longer kept here. */
  describe(subjectId: SubjectId<K>): WriteFacts | null
  /** Whether a write of this desk answers already to the record of the service that these facts describe. */
  isTaken(facts: FactsOf<K>): boolean
  /**
   * Puts what surely did not arrive where it can be changed, and ends it (`takeOut`, in one transaction; false: it moved
   * on meanwhile). Left out: nothing of this kind can be changed; it is given up and made anew.
   */
  edit?(command: CommandRow<K>, takeOut: (into: TakenInto) => boolean): Result<QueueEdit>
  /** One of its writes moved in the outbox: tells those whom it concerns. `answer`: the service just described its subject. */
  moved(subjectId: SubjectId<K>, answer: Answer | null): void
  /** An operator decided about one of its writes. */
  decided(subjectId: SubjectId<K>): void
}

/** What a write is about, in a few words and in the facts by which an operator knows it again. */
export interface WriteFacts {
  readonly title: string
  readonly brief: WriteBrief
}

/** What a kind of write may use: the service, and the ledgers that hold its subjects. */
export interface CommandTypesParts extends Ledgers {
  readonly api: ApiPort
  readonly session: Session
  /** What an article is called, where it is known here. */
  readonly nameVariant: (id: string) => { readonly name: string; readonly articleCode: string } | null
  /** Milliseconds since 1970, by this machine. */
  readonly now: () => number
  /** Milliseconds on the monotonic clock. */
  readonly ticks: () => number
}

/** What the service said of a command's subject. */
export interface Answer {
  readonly facts: CommandFacts
  /** The signed address of a PDF that it gave: a secret that expires, handed on and never stored. */
  readonly documentAddress: string | null
}

/** Something at the service that is what a write was to make. */
export interface Match {
  readonly answer: Answer
  readonly record: ServiceRecord
}

/** What must be known before a try. */
export type Preparation =
  | { readonly kind: 'go'; readonly baseline: readonly string[] | null; readonly serviceTime: number | null }
  /** It is there already; `others`: more of the same, which should not be. */
  | { readonly kind: 'already'; readonly answer: Answer; readonly others: readonly SeenRecord[] }
  | { readonly kind: 'not_now'; readonly failure: Failure }
  /** Not without the operator. `failure`: what is no longer so. */
  | { readonly kind: 'ask'; readonly question: StoredQuestion; readonly failure: Failure | null }
  /** An earlier try may have arrived, and looking cannot tell. */
  | { readonly kind: 'doubt'; readonly alike: readonly SeenRecord[] }

/** What looking for a write's effect showed. */
export type ReadBack = Found | { readonly kind: 'absent' } | Unreadable

interface Found {
  readonly kind: 'found'
  readonly answer: Answer
  readonly others: readonly SeenRecord[]
  /** The same by which an operator may have to judge: it, and the others. */
  readonly records: readonly SeenRecord[]
  /** Whether nothing but this write can have made it. Else another desk may have made one like it at the same moment. */
  readonly isSurelyOurs: boolean
}

export interface Unreadable {
  readonly kind: 'unreadable'
  readonly failure: Failure
  /** Looking will not tell, today or tomorrow: the service does not show it, or nothing tells it from others. */
  readonly isRefused: boolean
  /** What may be it, for the operator to choose from. */
  readonly alike: readonly SeenRecord[]
}

/** All that the service has of a write, oldest first; what other writes answer to is left out. */
export type Sightings = { readonly kind: 'seen'; readonly matches: readonly Match[] } | Unreadable

/** A refusal seen in the light of how things stand. */
export type Explanation =
  /** What was wanted is so already. */
  | { readonly kind: 'met'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly why: Failure; readonly answer: Answer | null }
  /** It may be met, but nobody can look now. */
  | { readonly kind: 'unreadable'; readonly failure: Failure }

/**
 * One write: all that the outbox needs to know of it. Each loads its subject from its own ledger by
 * `command.subject.id`; none of them throws.
 */
export interface CommandType<K extends SubjectKind = SubjectKind> {
  /** What the service wants its sender to be allowed, in the words of the embedded one. */
  readonly role: Role
  /**
   * Before every try. After an ambiguous one it looks for that first. Before a first one it looks whether another desk
   * did the same. `hasWaited`: other things may have changed since the operator asked, so what the write needs is checked
   * too.
   */
  prepare(command: CommandRow<K>, hasWaited: boolean): Promise<Preparation>
  send(token: string, command: CommandRow<K>): Promise<ApiOutcome<Answer>>
  /** Looks for the effect of a try that nobody knows about. */
  readBack(command: CommandRow<K>): Promise<ReadBack>
  /** Sent twice it leads to the same end: then it goes again where looking cannot tell. */
  readonly isRepeatable: boolean
  /** A refusal that ends the command may mean more than it says; null: it stands as it is. Left out: always. */
  explain?(command: CommandRow<K>, refusal: Refusal): Promise<Explanation | null>
  /** What arrived late, or twice, after the command ended. Left out: that does no harm, or cannot be seen. */
  sightings?(command: CommandRow<K>, lists: RecentLists): Promise<Sightings>
  /**
   * Finds records that other desks created for the same purpose at about the same time, without those that the operator
   * knew. Returns an empty list where this login may not look, null where the service cannot tell now. Left out: other
   * desks do not matter to this kind of write.
   */
  neighbours?(command: CommandRow<K>, lists: RecentLists): Promise<readonly SeenRecord[] | null>
}

/** The same outcome with its value turned into what the outbox understands. */
export function mapOutcome<T, U>(outcome: ApiOutcome<T>, toValue: (value: T) => U): ApiOutcome<U> {
  return outcome.kind === 'answer' ? { ...outcome, value: toValue(outcome.value) } : outcome
}

/** The oldest is it; the others should not be there. `isSurelyOurs`: see Found. */
export function asReadBack(sightings: Sightings, isSurelyOurs = true): ReadBack {
  if (sightings.kind === 'unreadable') return sightings
  const [oldest, ...others] = sightings.matches
  if (!oldest) return { kind: 'absent' }
  const records = sightings.matches.map(toSeen)
  return { kind: 'found', answer: oldest.answer, others: others.map(toSeen), records, isSurelyOurs }
}

/** After the operator decided to send without a look, an unreadable answer no longer stops the write. */
export function orUnseen(
  prepared: Preparation,
  { sendsUnseen }: Pick<CommandRow, 'sendsUnseen'>,
): Preparation {
  const isUnreadable = prepared.kind === 'not_now' && prepared.failure.code === 'api.malformed_answer'
  return isUnreadable && sendsUnseen ? { kind: 'go', baseline: null, serviceTime: null } : prepared
}

/** What a look right before sending again means; null: go ahead. */
export function asPreparation(
  seen: ReadBack,
  { sendsUnseen }: Pick<CommandRow, 'sendsUnseen'>,
): Preparation | null {
  switch (seen.kind) {
    case 'found':
      // it came after the looks that showed none: another desk may have made it
      return seen.isSurelyOurs
        ? { kind: 'already', answer: seen.answer, others: seen.others }
        : { kind: 'doubt', alike: seen.records }
    case 'absent':
      return null
    case 'unreadable':
      // somebody who looked by other means said that it is not there: an answer nobody can read says no more
      if (sendsUnseen && (seen.isRefused || seen.failure.code === 'api.malformed_answer')) return null
      return seen.isRefused
        ? { kind: 'doubt', alike: seen.alike }
        : { kind: 'not_now', failure: seen.failure }
  }
}

type Stop = Exclude<Preparation, { kind: 'go' }>

/** What it needs is no longer so. */
export function changed(code: ErrorCode, params: ErrorParams = {}): Stop {
  return { kind: 'ask', question: { kind: 'changed' }, failure: failure(code, params) }
}

/** The service does not let this login look: it may have lost a right since the operator asked. */
export function roleMissing({ params }: Failure): Stop {
  return changed('api.role_missing', params)
}

/** What a read that failed means for a write that waited; null: it has nothing to say. `gone` is for the caller to judge. */
export function stopOf(outcome: Exclude<ApiOutcome<unknown>, { kind: 'answer' }>): Stop | null {
  if (outcome.kind !== 'refused') return { kind: 'not_now', failure: outcome.failure }
  if (refusalReason(outcome) === 'role') return roleMissing(outcome.failure)
  return isFinalRefusal(outcome) ? null : { kind: 'not_now', failure: outcome.failure }
}
