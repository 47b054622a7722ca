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
import type { ApiOutcome } from '../ports/api.ts'
import type { CommandRow, SeenRecord, StoredQuestion, TakenInto } from '../ports/commands.ts'
import type { Ledgers } from '../ports/store.ts'
import type { RecentLists } from './recent-lists.ts'
import { toSeen } from './seen-records.ts'
import {
  isFinalRefusal,
  isUnreadableList,
  mayConcernOneRead,
  type Refusal,
  refusalReason,
} from '../service/answers.ts'
import type { ListSource } from '../service/page-limit.ts'
import type { Session } from '../service/session.ts'

/** The implementation of one kind of write. writes.ts registers each kind once. */
export interface WriteKind<K extends SubjectKind = SubjectKind> {
  /** The command types of this kind, by the name under which their commands are stored in desk.db. */
  readonly types: Readonly<Record<WriteType<K>, CommandType<K>>>
  /** Describes the subject. Returns null if this desk no longer has the subject. */
  describe(subjectId: SubjectId<K>): WriteFacts | null
  /** Whether the record with these facts already counts as the result of a command of this desk. */
  isTaken(facts: FactsOf<K>): boolean
  /**
   * Takes a command out of the outbox and puts its content where the operator can change it. The command has certainly
   * not arrived at the service. `takeOut` does both steps in one transaction, and returns false if the command has
   * changed meanwhile. If `edit` is missing, commands of this kind cannot be changed; the operator discards them and
   * starts again.
   */
  edit?(command: CommandRow<K>, takeOut: (into: TakenInto) => boolean): Result<QueueEdit>
  /**
   * Reports that a command of this kind has changed its state. `answer`: the subject as the service's last response
   * describes it.
   */
  moved(subjectId: SubjectId<K>, answer: Answer | null): void
  /** Handles an operator's decision about a command of this kind. */
  decided(subjectId: SubjectId<K>): void
}

/** Describes the subject of a write: a short title, and the facts by which an operator recognises it. */
export interface WriteFacts {
  readonly title: string
  readonly brief: WriteBrief
}

/** The dependencies of command types: the service, and the ledgers that these command types use. */
export interface CommandTypesParts<L extends keyof Ledgers> extends ListSource {
  readonly session: Session
  readonly ledgers: Pick<Ledgers, L>
  /** Returns the time of this PC, milliseconds since 1970. */
  readonly now: () => Instant
  /** Returns the time of the monotonic clock, in milliseconds. */
  readonly ticks: () => number
}

/** The facts that the service returned about the subject of a command. */
export interface Answer {
  readonly facts: CommandFacts
  /** The signed address of a PDF. The address is a secret that expires, so it is used at once and never stored. */
  readonly documentAddress: string | null
}

/** A record of the service that may be the result of a command. */
export interface Match {
  readonly answer: Answer
  readonly record: ServiceRecord
}

/** The result of the check before an attempt. */
export type Preparation =
  | { readonly kind: 'go'; readonly baseline: readonly string[] | null; readonly serviceTime: Instant | null }
  /**
   * The record that the write would create exists already. `others`: further matching records, which should not exist.
   */
  | { readonly kind: 'already'; readonly answer: Answer; readonly others: readonly SeenRecord[] }
  | { readonly kind: 'not_now'; readonly failure: Failure }
  /**
   * The operator must decide before the write is sent. `failure`: the condition of the write that is no longer met, if
   * any.
   */
  | { readonly kind: 'ask'; readonly question: StoredQuestion; readonly failure: Failure | null }
  /** An earlier attempt may have arrived, and a look cannot show whether it did. */
  | { readonly kind: 'doubt'; readonly alike: readonly SeenRecord[] }

/** The result of a look for the effect of a write. */
export type ReadBack = Found | { readonly kind: 'absent' } | Unreadable

interface Found {
  readonly kind: 'found'
  readonly answer: Answer
  readonly others: readonly SeenRecord[]
  /** The found record and the other matches, in the form in which an operator compares them. */
  readonly records: readonly SeenRecord[]
  /**
   * Whether only this write can have created the record. If false, another desk may have created it at the same time.
   */
  readonly isSurelyOurs: boolean
}

export interface Unreadable {
  readonly kind: 'unreadable'
  readonly failure: Failure
  /**
   * True if further looks cannot show the effect either, because the service does not list the record, or because the
   * record looks like other records.
   */
  readonly isRefused: boolean
  /** Records that may be the result of the write, for the operator to choose from. */
  readonly alike: readonly SeenRecord[]
}

/**
 * The records of the service that match a write, oldest first. Records that are the results of other commands are left
 * out.
 */
export type Sightings = { readonly kind: 'seen'; readonly matches: readonly Match[] } | Unreadable

/** The meaning of a refusal, determined from the current state of the subject. */
export type Explanation =
  /** The subject is already in the state that the write requests. */
  | { readonly kind: 'met'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly why: Failure; readonly answer: Answer | null }
  /** The subject may be in the state that the write requests, but its state cannot be read now. */
  | { readonly kind: 'unreadable'; readonly failure: Failure }

/** Sends the write with this access token. Never throws. */
export type BuiltCall = (token: string) => Promise<ApiOutcome<Answer>>

/**
 * One command type: everything that the outbox needs to send its commands. Each method finds the subject of the command
 * (a label or a booking) by `command.subject.id` in the ledger for this kind of subject. Only `build` may throw.
 */
export interface CommandType<K extends SubjectKind = SubjectKind> {
  /** The role that the login needs for this command, by its name in the embedded service. */
  readonly role: Role
  /**
   * Checks a command before every attempt. After an ambiguous attempt, the check first looks for its effect. Before the
   * first attempt, the check looks for an equal write of another desk. `hasWaited`: the command has waited, so the
   * conditions of the write are checked too.
   */
  prepare(command: CheckedCommand<K>, hasWaited: boolean): Promise<Preparation>
  /**
   * Builds the call with its body. The outbox calls this method before the command changes to `sending`, so that a
   * fault of the method does not look like a failure of the network. Throws a CataloguedError if the call cannot be
   * built now, and any other error if it can never be built.
   */
  build(command: CommandRow<K>): BuiltCall
  /** Looks for the effect of an attempt whose outcome is unknown. */
  readBack(command: CommandRow<K>): Promise<ReadBack>
  /**
   * Whether a command that is sent twice has the same effect as a command that is sent once. If so, the command is sent
   * again if a look cannot show whether it arrived.
   */
  readonly isRepeatable: boolean
  /**
   * Explains a refusal that ends the command. If the result is null or this method is missing, the refusal has its
   * usual meaning.
   */
  explain?(command: CommandRow<K>, refusal: Refusal): Promise<Explanation | null>
  /**
   * Finds late and repeated effects of an ended command. This method is missing if such effects are harmless or cannot
   * be found.
   */
  sightings?(command: CommandRow<K>, lists: RecentLists): Promise<Sightings>
  /**
   * Finds records that other desks created for the same purpose at about the same time. Leaves out records that the
   * operator has seen. Returns an empty list if this login may not read the records, and null if the service cannot
   * return them now. This method is missing if similar records of other desks are harmless.
   */
  neighbours?(command: CommandRow<K>, lists: RecentLists): Promise<readonly SeenRecord[] | null>
}

/**
 * Returns the outcome of a creation as ambiguous if `isAnother` says that the response describes a record that this
 * command cannot have created. A look then searches for the created record.
 */
export function unlessAnother<T>(outcome: ApiOutcome<T>, isAnother: (value: T) => boolean): ApiOutcome<T> {
  if (outcome.kind !== 'answer' || !isAnother(outcome.value)) return outcome
  const { status } = outcome
  return { kind: 'ambiguous', status, failure: failure('api.malformed_answer', { status }) }
}

/** Converts the value of an outcome for the outbox. The other fields of the outcome stay unchanged. */
export function mapOutcome<T, U>(outcome: ApiOutcome<T>, toValue: (value: T) => U): ApiOutcome<U> {
  return outcome.kind === 'answer' ? { ...outcome, value: toValue(outcome.value) } : outcome
}

/**
 * Converts matching records into the result of a look: the oldest match is the result of the write, the others are
 * surplus records. `isSurelyOurs` is explained at Found.
 */
export function asReadBack(sightings: Sightings, isSurelyOurs = true): ReadBack {
  if (sightings.kind === 'unreadable') return sightings
  const [oldest, ...others] = sightings.matches
  if (!oldest) return { kind: 'absent' }
  const records = sightings.matches.map(toSeen)
  return { kind: 'found', answer: oldest.answer, others: others.map(toSeen), records, isSurelyOurs }
}

/** A command that is checked before an attempt to send it. */
export type CheckedCommand<K extends SubjectKind = SubjectKind> = CommandRow<K> & {
  /** Whether the checks of the command have failed for minutes while other calls succeeded. Left out: they have not. */
  readonly failsForLong?: boolean
}

/**
 * Whether a failed read does not stop a write that an operator decided to send without its check. A failure that may
 * end soon stops it, unless it has lasted for minutes: after the end of the failure the check is possible.
 */
function isSkipped(
  cause: Failure,
  { sendsUnseen, failsForLong = false }: Pick<CheckedCommand, 'sendsUnseen' | 'failsForLong'>,
): boolean {
  return sendsUnseen && (isUnreadableList(cause) || (failsForLong && mayConcernOneRead(cause)))
}

/**
 * Returns null instead of the result of one check if this check was not possible and an operator decided to send the
 * write nevertheless. Returns any other result unchanged. Each check calls it separately, so that the checks that are
 * possible still run.
 */
export function orUnseen<P extends Preparation>(
  stop: P | null,
  command: Pick<CheckedCommand, 'sendsUnseen' | 'failsForLong'>,
): P | null {
  return stop?.kind === 'not_now' && isSkipped(stop.failure, command) ? null : stop
}

/**
 * Converts the result of a look into the result of the check before the next attempt. Null: the command may be sent
 * again.
 */
export function asPreparation(
  seen: ReadBack,
  command: Pick<CheckedCommand, 'sendsUnseen' | 'failsForLong'>,
): Preparation | null {
  switch (seen.kind) {
    case 'found':
      // no earlier look showed the found record. If it may be from another desk, the operator decides
      return seen.isSurelyOurs
        ? { kind: 'already', answer: seen.answer, others: seen.others }
        : { kind: 'doubt', alike: seen.records }
    case 'absent':
      return null
    case 'unreadable':
      // an operator decided to send the write without a look, because its record does not exist. The write is therefore
      // sent, also if the list is unreadable
      if ((command.sendsUnseen && seen.isRefused) || isSkipped(seen.failure, command)) return null
      return seen.isRefused
        ? { kind: 'doubt', alike: seen.alike }
        : { kind: 'not_now', failure: seen.failure }
  }
}

type Stop = Exclude<Preparation, { kind: 'go' }>

/** Returns a stop that asks the operator, because a condition of the write is no longer met. */
export function changed(code: ErrorCode, params: ErrorParams = {}): Stop {
  return { kind: 'ask', question: { kind: 'changed' }, failure: failure(code, params) }
}

/**
 * Returns the result of a check (`Stop`) that stops the write and asks the operator, because the login may have lost a
 * right since the write was requested.
 */
export function roleMissing({ params }: Failure): Stop {
  return changed('api.role_missing', params)
}

/**
 * Returns what happens to a command if its check could not read a record of the service: the attempt is postponed, or
 * the operator is asked. Null: the attempt is made in spite of the failed read. The result is also null for the refusal
 * `gone` (the record does not exist); a caller that must stop in this case checks for `gone` first.
 */
export function stopOf(outcome: Exclude<ApiOutcome<unknown>, { kind: 'answer' }>): Stop | null {
  if (outcome.kind !== 'refused') return { kind: 'not_now', failure: outcome.failure }
  if (refusalReason(outcome) === 'role') return roleMissing(outcome.failure)
  return isFinalRefusal(outcome) ? null : { kind: 'not_now', failure: outcome.failure }
}
