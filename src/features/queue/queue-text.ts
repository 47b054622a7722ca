import { m } from '#messages/messages.js'
import type { QueueLine, QueueNotice } from '#shared/bridge/queue-views.ts'
import { failureText } from '#ui/failure-text.ts'
import { formatDuration } from '#ui/format.ts'
import type { Outcome } from '#ui/outcome.ts'
import { asksOperator } from './queue.state.svelte.ts'
import { actName, subjectName } from './write-names.ts'

/** Why a write has not arrived, in one sentence. `before`: the write that has to be through first. */
export function whyText(line: QueueLine, before: QueueLine | null): string {
  const { question, failure, waitsFor } = line
  const happened = failure && failureText(failure).happened
  if (question?.kind === 'outcome')
    return question.records.length > 0
      ? m.queue_why_found({ count: question.records.length })
      : m.queue_why_outcome()
  if (question?.kind === 'exists') return m.queue_why_exists()
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

/** What happens next and when; counts down in steps of ten seconds. */
export function nextText(line: QueueLine, nowMs: number): string {
  if (asksOperator(line)) {
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

function nextByItself({ waitsFor }: QueueLine): string {
  if (waitsFor === 'line') return m.queue_next_line()
  if (waitsFor === 'login') return m.queue_next_login()
  if (waitsFor === 'earlier') return m.queue_next_earlier()
  if (waitsFor === 'quiet_time') return m.queue_next_look_soon()
  return waitsFor === 'turn' ? m.queue_next_turn() : m.queue_next_try_soon()
}

/** What to do about a notice. */
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
