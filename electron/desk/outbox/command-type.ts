import type { QueueEdit, ServiceRecord } from '#shared/bridge/queue-views.ts'
import type { Instant } from '#shared/domain/instants.ts'
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

/**
 * A kind of subject that the desk writes about, with everything that the desk does for it. writes.ts registers each
 * kind once.
 */
export interface WriteKind<K extends SubjectKind = SubjectKind> {
  /** The command types of this kind, by the name under which their commands are stored in desk.db. */
  readonly types: Readonly<Record<WriteType<K>, CommandType<K>>>
  /** Describes the subject; null: the subject is no longer kept here. */
  describe(subjectId: SubjectId<K>): WriteFacts | null
  /** Whether the record of the service that these facts describe belongs to a command of this desk already. */
  isTaken(facts: FactsOf<K>): boolean
  /**
   * Takes a command that surely did not arrive out of the outbox and puts its content where the operator can change it.
   * `takeOut` ends the command in one transaction, and returns false if the command has changed meanwhile. Left out:
   * commands of this kind cannot be changed; the operator discards them and starts again.
   */
  edit?(command: CommandRow<K>, takeOut: (into: TakenInto) => boolean): Result<QueueEdit>
  /**
   * Notifies the parts concerned that a command of this kind has changed state. `answer`: the description of its
   * subject in the service's last response.
   */
  moved(subjectId: SubjectId<K>, answer: Answer | null): void
  /** Handles an operator's decision about a command of this kind. */
  decided(subjectId: SubjectId<K>): void
}

/** Describes what a write is about: a short title, and the facts by which an operator recognises it. */
export interface WriteFacts {
  readonly title: string
  readonly brief: WriteBrief
}

/** What a command type may use: the service, and the ledgers with its subjects. */
export interface CommandTypesParts extends Ledgers {
  readonly api: ApiPort
  readonly session: Session
  /** Returns the name of an article; null: the article is not known here. */
  readonly nameVariant: (id: string) => { readonly name: string; readonly articleCode: string } | null
  /** Milliseconds since 1970, by the clock of this PC. */
  readonly now: () => Instant
  /** Milliseconds on the monotonic clock. */
  readonly ticks: () => number
}

/** The facts that the service returned about the subject of a command. */
export interface Answer {
  readonly facts: CommandFacts
  /** The signed address of a PDF. It is a secret that expires, so it is passed on and never stored. */
  readonly documentAddress: string | null
}

/** A record of the service that may be the result of a command. */
export interface Match {
  readonly answer: Answer
  readonly record: ServiceRecord
}

/** The result of the check before a try. */
export type Preparation =
  | { readonly kind: 'go'; readonly baseline: readonly string[] | null; readonly serviceTime: Instant | null }
  /** The record exists already. `others`: further matching records, which should not exist. */
  | { readonly kind: 'already'; readonly answer: Answer; readonly others: readonly SeenRecord[] }
  | { readonly kind: 'not_now'; readonly failure: Failure }
  /** The operator must decide first. `failure`: the condition that is no longer met. */
  | { readonly kind: 'ask'; readonly question: StoredQuestion; readonly failure: Failure | null }
  /** An earlier try may have arrived, and a look cannot show whether it did. */
  | { readonly kind: 'doubt'; readonly alike: readonly SeenRecord[] }

/** The result of a look for the effect of a write. */
export type ReadBack = Found | { readonly kind: 'absent' } | Unreadable

interface Found {
  readonly kind: 'found'
  readonly answer: Answer
  readonly others: readonly SeenRecord[]
  /** The found record and the other matches, as an operator compares them. */
  readonly records: readonly SeenRecord[]
  /**
   * Whether only this write can have created the record. If false, another desk may have created a similar one at the
   * same time.
   */
  readonly isSurelyOurs: boolean
}

export interface Unreadable {
  readonly kind: 'unreadable'
  readonly failure: Failure
  /**
   * Whether no look will ever show the effect: the service does not list the record, or nothing distinguishes it from
   * other records.
   */
  readonly isRefused: boolean
  /** Records that may be the result of the write, for the operator to choose from. */
  readonly alike: readonly SeenRecord[]
}

/** All records of the service that match a write, oldest first, without the results of other commands. */
export type Sightings = { readonly kind: 'seen'; readonly matches: readonly Match[] } | Unreadable

/** What a refusal means in the current state of the subject. */
export type Explanation =
  /** The wished state exists already. */
  | { readonly kind: 'met'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly why: Failure; readonly answer: Answer | null }
  /** The wished state may exist, but cannot be read now. */
  | { readonly kind: 'unreadable'; readonly failure: Failure }

/** Makes the call with this token. It never throws. */
export type BuiltCall = (token: string) => Promise<ApiOutcome<Answer>>

/**
 * One command type: everything that the outbox needs to send its commands. Each method loads the subject from its
 * ledger by `command.subject.id`. Only `build` throws.
 */
export interface CommandType<K extends SubjectKind = SubjectKind> {
  /** The right that the login needs for this command, by the role names of the embedded service. */
  readonly role: Role
  /**
   * Checks before every try. After an ambiguous try it looks for the effect of that try first. Before the first try it
   * looks whether another desk has written the same. `hasWaited`: the state of the service may have changed since the
   * operator asked, so the conditions of the write are checked too.
   */
  prepare(command: CommandRow<K>, hasWaited: boolean): Promise<Preparation>
  /**
   * Builds the call with its body before the command begins, because a fault before the first byte is no outcome of the
   * network. It throws if the call can never be built. A CataloguedError means that it cannot be built now.
   */
  build(command: CommandRow<K>): BuiltCall
  /** Looks for the effect of a try whose outcome is unknown. */
  readBack(command: CommandRow<K>): Promise<ReadBack>
  /**
   * Whether a second sending has the same result. Such a command is sent again if a look cannot show whether it
   * arrived.
   */
  readonly isRepeatable: boolean
  /**
   * Explains a refusal that ends the command; null: the refusal counts unchanged. Left out: every refusal counts
   * unchanged.
   */
  explain?(command: CommandRow<K>, refusal: Refusal): Promise<Explanation | null>
  /**
   * Finds effects that arrived late or twice, after the command ended. Left out: such effects do no harm or cannot be
   * seen.
   */
  sightings?(command: CommandRow<K>, lists: RecentLists): Promise<Sightings>
  /**
   * Finds records that other desks created for the same purpose at about the same time, without those that the operator
   * had seen. Returns an empty list if this login may not look, and null if the service cannot tell now. Left out:
   * other desks do not matter to this kind of write.
   */
  neighbours?(command: CommandRow<K>, lists: RecentLists): Promise<readonly SeenRecord[] | null>
}

/** Returns the same outcome with its value converted for the outbox. */
export function mapOutcome<T, U>(outcome: ApiOutcome<T>, toValue: (value: T) => U): ApiOutcome<U> {
  return outcome.kind === 'answer' ? { ...outcome, value: toValue(outcome.value) } : outcome
}

/**
 * Returns the oldest match as the result of the write, and the other matches as surplus records. `isSurelyOurs`: see
 * Found.
 */
export function asReadBack(sightings: Sightings, isSurelyOurs = true): ReadBack {
  if (sightings.kind === 'unreadable') return sightings
  const [oldest, ...others] = sightings.matches
  if (!oldest) return { kind: 'absent' }
  const records = sightings.matches.map(toSeen)
  return { kind: 'found', answer: oldest.answer, others: others.map(toSeen), records, isSurelyOurs }
}

/**
 * Returns a preparation that sends the write after an unreadable response, if the operator decided to send without a
 * look.
 */
export function orUnseen(
  prepared: Preparation,
  { sendsUnseen }: Pick<CommandRow, 'sendsUnseen'>,
): Preparation {
  const isUnreadable = prepared.kind === 'not_now' && prepared.failure.code === 'api.malformed_answer'
  return isUnreadable && sendsUnseen ? { kind: 'go', baseline: null, serviceTime: null } : prepared
}

/** Converts the result of a look right before sending again; null: the command may be sent. */
export function asPreparation(
  seen: ReadBack,
  { sendsUnseen }: Pick<CommandRow, 'sendsUnseen'>,
): Preparation | null {
  switch (seen.kind) {
    case 'found':
      // the record appeared after looks that did not show it, so another desk may have created it
      return seen.isSurelyOurs
        ? { kind: 'already', answer: seen.answer, others: seen.others }
        : { kind: 'doubt', alike: seen.records }
    case 'absent':
      return null
    case 'unreadable':
      // the operator checked by other means that the record does not exist, and an unreadable list is no new evidence
      if (sendsUnseen && (seen.isRefused || seen.failure.code === 'api.malformed_answer')) return null
      return seen.isRefused
        ? { kind: 'doubt', alike: seen.alike }
        : { kind: 'not_now', failure: seen.failure }
  }
}

type Stop = Exclude<Preparation, { kind: 'go' }>

/** Returns a stop for a condition that is no longer met. */
export function changed(code: ErrorCode, params: ErrorParams = {}): Stop {
  return { kind: 'ask', question: { kind: 'changed' }, failure: failure(code, params) }
}

/** Returns a stop for a login that may not look: the login may have lost a right since the operator asked. */
export function roleMissing({ params }: Failure): Stop {
  return changed('api.role_missing', params)
}

/**
 * Returns the stop that a failed read means for a command that waited; null: the failure does not stop it. The caller
 * handles `gone`.
 */
export function stopOf(outcome: Exclude<ApiOutcome<unknown>, { kind: 'answer' }>): Stop | null {
  if (outcome.kind !== 'refused') return { kind: 'not_now', failure: outcome.failure }
  if (refusalReason(outcome) === 'role') return roleMissing(outcome.failure)
  return isFinalRefusal(outcome) ? null : { kind: 'not_now', failure: outcome.failure }
}
