import type { Subject } from '#shared/writes/write-kinds.ts'
import { m } from '#messages/messages.js'
import type { QueueDecision, QueueLine, QueueNotice } from '#shared/bridge/queue-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { failureText } from '#place/failure-text.ts'
import { formatDuration, formatMoment, formatTime } from '#ui/format.ts'
import type { Outcome } from '#ui/outcome.ts'
import { asksOperator, type QueueState, type QueueStep } from './queue.state.svelte.ts'
import type { WaitingWrite } from '#shared/bridge/views.ts'
import type { WriteBrief } from '#shared/writes/write-kinds.ts'
import { actWords, writeKind } from './write-kinds.ts'

export interface Words {
  readonly title: string
  readonly text: string
}

/** Returns one sentence about why a write has not arrived. `before` is the earlier write that must end first. */
export function whyText(line: QueueLine, before: QueueLine | null): string {
  const { question, failure, waitsFor } = line
  const happened = failure && failureText(failure).happened
  if (question?.kind === 'outcome')
    return question.records.length > 0
      ? m.queue_why_found({ count: question.records.length })
      : m.queue_why_outcome()
  if (question?.kind === 'exists') return m.queue_why_exists()
  if (lacksRole(line)) return m.queue_role_why()
  if (question?.kind === 'changed') return happened ?? m.queue_why_changed()
  if (question?.kind === 'refused') return happened ?? m.queue_why_refused()
  switch (waitsFor) {
    case 'turn':
      return line.state === 'sending' ? m.queue_why_sending() : m.queue_why_turn()
    case 'line':
      return happened ?? m.queue_why_line()
    case 'login':
      return m.queue_why_login()
    case 'earlier':
      return before
        ? m.queue_why_earlier({
            title: `${actName(before.brief, before.type)} ${subjectName(before.brief, before.title)}`,
          })
        : m.queue_why_earlier_bare()
    case 'quiet_time':
      return m.queue_why_quiet()
    case 'service':
    case 'operator':
      return happened ?? m.queue_why_service()
  }
}

/** Returns the next step of a write, and the time until then in steps of ten seconds. */
export function nextText(line: QueueLine, nowMs: number): string {
  if (asksOperator(line)) {
    if (isUnchecked(line)) return m.queue_next_not_checked()
    if (lacksRole(line)) return m.queue_next_role()
    if (isBlocked(line)) return m.queue_next_blocked()
    const mends = line.question?.kind === 'changed' || line.question?.kind === 'refused'
    return mends ? m.queue_next_mend() : m.queue_next_compare()
  }
  const { waitsFor, nextAt } = line
  if (line.state === 'sending') return m.queue_next_sending()
  if (nextAt === null || waitsFor === 'turn') return nextByItself(line)
  const leftSeconds = Math.ceil((Date.parse(nextAt) - nowMs) / 10_000) * 10
  const duration = formatDuration(leftSeconds)
  const looks = waitsFor === 'quiet_time'
  if (leftSeconds <= 0) return looks ? m.queue_next_look_soon() : m.queue_next_try_soon()
  return looks ? m.queue_next_look({ duration }) : m.queue_next_try({ duration })
}

/**
 * Whether the operator must decide about a write because the desk could not check it at the service before it was to be
 * sent.
 */
function isUnchecked({ question, failure }: QueueLine): boolean {
  return question?.kind === 'changed' && failure?.code === 'api.not_checked'
}

/** Whether a write waits because the login lacks a right. A login with this right withdraws the question. */
function lacksRole({ question, failure }: QueueLine): boolean {
  return question?.kind === 'changed' && failure?.code === 'api.role_missing'
}

/** Whether the operator must decide about a write because a firewall responds to it each time. */
function isBlocked({ question, failure }: QueueLine): boolean {
  return question?.kind === 'changed' && failure?.code === 'api.blocked'
}

function nextByItself({ waitsFor }: QueueLine): string {
  if (waitsFor === 'line') return m.queue_next_line()
  if (waitsFor === 'login') return m.queue_next_login()
  if (waitsFor === 'earlier') return m.queue_next_earlier()
  if (waitsFor === 'quiet_time') return m.queue_next_look_soon()
  return waitsFor === 'turn' ? m.queue_next_turn() : m.queue_next_try_soon()
}

/** Returns what the operator can do about a notice. */
export function nextOfNotice({ kind }: QueueNotice): string {
  if (kind === 'approved') return m.queue_next_approved()
  return kind === 'disapproved' ? m.queue_next_disapproved() : m.queue_next_notice()
}

export function outcomeOfNotice({ kind }: QueueNotice): Outcome {
  return kind === 'approved' ? 'done' : 'look'
}

export function outcomeOfLine(line: QueueLine): Outcome {
  if (line.question?.kind === 'refused') return 'stop'
  if (asksOperator(line)) return 'decide'
  return line.waitsFor === 'turn' ? 'none' : 'look'
}

/** Returns the title and the text about an open write: its state or the question about it. */
export function lineWords(line: QueueLine, step: QueueStep, before: QueueLine | null, nowMs: number): Words {
  if (step.kind === 'discard') return { title: m.queue_discard_title(), text: m.queue_discard_text() }
  if (step.kind === 'confirm') return confirmWords(line, step)
  const { question, failure } = line
  if (question?.kind === 'outcome') {
    const { records, sentAt } = question
    const found = records.length > 0 ? m.queue_found({ count: records.length }) : m.queue_found_none()
    const text = `${m.queue_outcome_text({ time: formatMoment(sentAt, nowMs) })} ${found} ${m.decision_safe()}`
    return { title: actWords(line.brief.kind, line.type).arrived(), text }
  }
  if (question?.kind === 'exists') {
    const { title, text } = writeKind(line.brief.kind).exists
    return { title: title(), text: text() }
  }
  if (isUnchecked(line))
    return {
      title: m.queue_not_checked_title(),
      text: `${whyText(line, before)} ${m.queue_not_checked_text()}`,
    }
  if (lacksRole(line))
    return { title: m.queue_role_title(), text: `${whyText(line, before)} ${m.queue_role_text()}` }
  if (isBlocked(line)) return failureWords(failure, m.queue_blocked_title(), m.queue_changed_text())
  if (question?.kind === 'changed')
    return failureWords(failure, m.queue_changed_title(), m.queue_changed_text())
  if (question?.kind === 'refused')
    return failureWords(failure, m.queue_refused_title(), m.queue_refused_text())
  const tried = line.attempts > 0 ? m.queue_attempts({ count: line.attempts }) : ''
  const text = [whyText(line, before), nextText(line, nowMs), tried].filter(Boolean).join(' ')
  return { title: line.waitsFor === 'turn' ? m.queue_sending_title() : m.queue_waits_title(), text }
}

function failureWords(failure: Failure | null, title: string, text: string): Words {
  if (!failure) return { title, text }
  const { happened, next } = failureText(failure)
  // the general text about a refusal does not name the choices in the queue, so the text of the queue replaces it
  return { title, text: `${happened} ${failure.code === 'api.rejected' ? text : next}` }
}

function confirmWords(line: QueueLine, step: Extract<QueueStep, { kind: 'confirm' }>): Words {
  const title = step.sending === 'go_on' ? m.queue_confirm_second() : m.queue_confirm_again()
  const how = { article: m.queue_confirm_article, shipment: m.queue_confirm_shipment }
  const rescan = writeKind(line.brief.kind).rescan(line.brief)
  const text = rescan === null ? m.queue_confirm_press() : how[rescan]()
  return { title, text: step.other ? `${m.queue_confirm_other()} ${text}` : text }
}

const noticeTitles: Record<QueueNotice['kind'], () => string> = {
  duplicate: m.queue_notice_duplicate,
  late: m.queue_notice_late,
  other_desk: m.queue_notice_other_desk,
  cancelled_elsewhere: m.queue_notice_cancelled,
  approved: m.queue_notice_approved,
  disapproved: m.queue_notice_disapproved,
}
const noticeTexts: Record<QueueNotice['kind'], () => string> = {
  duplicate: m.queue_notice_duplicate_text,
  late: m.queue_notice_late_text,
  other_desk: m.queue_notice_other_desk_text,
  cancelled_elsewhere: m.queue_notice_cancelled_text,
  approved: m.queue_notice_approved_text,
  disapproved: m.queue_notice_disapproved_text,
}

/** Returns the text of a notice, and what the operator can do about it in the warehouse system. */
export function noticeWords({ kind, brief }: QueueNotice): Words {
  const todo = {
    ...writeKind(brief.kind).todo,
    cancelled_elsewhere: m.queue_notice_do_cancelled,
    approved: () => '',
    disapproved: m.queue_notice_do_disapproved,
  }
  return { title: noticeTitles[kind](), text: `${noticeTexts[kind]()} ${todo[kind]()}`.trim() }
}

/** Returns the text of the banner which says that another desk did the same act as this desk. */
export function twiceWords({ at, brief, title, records }: QueueNotice): Words {
  const [other] = records
  const time = formatTime(other?.createdAt ?? at)
  const name = other && writeKind(other.brief.kind).otherName(other.brief, other.reference)
  const { twice } = writeKind(brief.kind)
  return { title: twice.title(brief, title), text: twice.text({ time, other: name ?? '' }) }
}

/**
 * Returns the location of the booking that the notice is about. For a write without a location, returns the title from
 * main.
 */
export function placeOfNotice({ brief, title }: QueueNotice): string {
  return writeKind(brief.kind).place(brief) ?? title
}

/**
 * Returns the subject of a waiting write if a click on the write must open the card of this subject. Returns null if
 * the click must open the queue: the write needs a decision, or no card shows its state.
 */
export function cardSubject({ subject, state, needsOperator }: WaitingWrite): Subject | null {
  const { hasCard, cardTellsRefusal } = writeKind(subject.kind)
  return !hasCard || needsOperator || (state === 'rejected' && !cardTellsRefusal) ? null : subject
}

const echoes: Record<QueueDecision['kind'] | 'dismiss', () => string> = {
  adopt: m.queue_echo_adopt,
  send_again: m.queue_echo_send_again,
  go_on: m.queue_echo_go_on,
  retry: m.queue_echo_retry,
  discard: m.queue_echo_discard,
  later: m.queue_echo_later,
  dismiss: m.queue_echo_dismiss,
}

/** Returns a text about the result of the last decision. */
export function echoText(echo: QueueState['echo']): string {
  return echo === null ? '' : echoes[echo]()
}

/** Returns what a write does: `Book stock`, `Create label`. */
export function actName(brief: WriteBrief, type: string): string {
  return actWords(brief.kind, type).name()
}

/** Returns what a write does, or the problem with it: `Change the sender`, `Label refused`. */
export function writeTitle({ type, subject, state, needsOperator }: WaitingWrite): string {
  const { name, refused } = actWords(subject.kind, type)
  if (state === 'rejected') return refused()
  if (needsOperator) return state === 'unknown' ? m.rail_write_unknown() : m.rail_write_decide()
  return name()
}

/** Returns the subject of a write as one line: `SHP00000000412`, `A-03-2 · −2 × Oat bar hazelnut 12 pcs`. */
export function writeSubject({ brief, title }: WaitingWrite): string {
  if (brief === null) return title
  const name = subjectName(brief, title)
  const place = writeKind(brief.kind).place(brief)
  return place === null || place === name ? name : `${place} · ${name}`
}

/**
 * Returns the name that operators use for the subject of a write. `title`: the title from main, for a subject without
 * such a name.
 */
export function subjectName(brief: WriteBrief, title: string): string {
  return writeKind(brief.kind).name(brief) ?? title
}

/** Whether the name returned by `subjectName` is a code. */
export function isCodeName(brief: WriteBrief): boolean {
  return writeKind(brief.kind).isCodeName(brief)
}

/** Returns further facts of a write beside its name: `Defective · A-03-2`, `J. de Vries, Rotterdam · PNL-STD`. */
export function briefDetail(brief: WriteBrief): string {
  return writeKind(brief.kind).detail(brief)
}

/** Returns which operator made a write, and when: `anna, 14:02`. */
export function madeText(line: Pick<QueueLine, 'madeBy' | 'createdAt'>, nowMs: number): string {
  const time = formatMoment(line.createdAt, nowMs)
  return line.madeBy === null ? m.queue_made({ time }) : m.queue_made_by({ name: line.madeBy, time })
}
