import { m } from '#messages/messages.js'
import type { QueueLine, WriteBrief } from '#shared/bridge/queue-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import type { WaitingWrite } from '#shared/bridge/views.ts'
import type { ModificationReason } from '#shared/domain/modification.ts'
import { formatMoment, formatSigned } from '#ui/format.ts'

export const reasonNames: Record<ModificationReason, () => string> = {
  LOST: m.reason_lost,
  DEFECTIVE: m.reason_defective,
  CORRECTION: m.reason_correction,
}

const acts: Partial<Record<string, () => string>> = {
  [labelCommands.create]: m.rail_write_create,
  [labelCommands.request]: m.rail_write_request,
  [labelCommands.patch]: m.queue_act_patch,
  [labelCommands.cancel]: m.queue_act_cancel,
}

/** What a write does: `Book stock`, `Create label`. */
export function actName(brief: WriteBrief, type: string): string {
  if (brief.kind === 'modification') return m.rail_write_modification()
  return (acts[type] ?? m.rail_write_other)()
}

const refusals: Partial<Record<string, () => string>> = {
  [labelCommands.create]: m.rail_refused_create,
  [labelCommands.request]: m.rail_refused_request,
  [labelCommands.patch]: m.rail_refused_patch,
  [labelCommands.cancel]: m.rail_refused_cancel,
}

/** What a write of the status does, or what is the matter with it: `Change the sender`, `Label refused`. */
export function writeTitle({ type, subject, state, needsOperator }: WaitingWrite): string {
  const isBooking = subject.kind === 'modification'
  if (state === 'rejected') return isBooking ? m.rail_refused() : (refusals[type] ?? m.rail_refused_create)()
  if (needsOperator) return state === 'unknown' ? m.rail_write_unknown() : m.rail_write_decide()
  return isBooking ? m.rail_write_modification() : (acts[type] ?? m.rail_write_other)()
}

/** What a write of the status is about: `SHP00000000412`, `A-03-2 · −2 × Oat bar hazelnut 12 pcs`. */
export function writeSubject({ brief, title }: WaitingWrite): string {
  if (brief === null) return title
  const name = subjectName(brief, title)
  if (brief.kind === 'return_label' || brief.locationCode === null || brief.locationCode === name) return name
  return `${brief.locationCode} · ${name}`
}

/** What a write is about, in the words by which an operator knows it. `title`: main's, where nothing else is known. */
export function subjectName(brief: WriteBrief, title: string): string {
  if (brief.kind === 'return_label')
    return brief.shipmentReference ?? brief.externalReference ?? brief.senderName ?? title
  const [only, second] = brief.lines
  if (!only) return title
  if (!second) return `${formatSigned(only.quantity)} × ${only.name}`
  const pieces = brief.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return m.booking_lines({ count: brief.lines.length, pieces, signed: formatSigned(pieces) })
}

/** Whether `subjectName` is a code, and not words. */
export function isCodeName(brief: WriteBrief): boolean {
  return brief.kind === 'return_label' && (brief.shipmentReference ?? brief.externalReference) !== null
}

/** The facts behind the name: `Defective · A-03-2`, `J. de Vries, Rotterdam · PNL-STD`. */
export function briefDetail(brief: WriteBrief): string {
  if (brief.kind === 'modification')
    return [reasonNames[brief.reason](), brief.locationCode].filter(Boolean).join(' · ')
  const sender = [brief.senderName, brief.senderCity].filter(Boolean).join(', ')
  return [sender, brief.methodCode].filter(Boolean).join(' · ')
}

/** `anna, 14:02`. */
export function madeText(line: Pick<QueueLine, 'madeBy' | 'createdAt'>, nowMs: number): string {
  const time = formatMoment(line.createdAt, nowMs)
  return line.madeBy === null ? m.queue_made({ time }) : m.queue_made_by({ name: line.madeBy, time })
}
