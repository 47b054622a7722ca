import { type Case, isOpen } from './case.ts'
import type { Deed } from './deed.ts'
import type { Findings } from './findings.ts'
import type { ServiceModification } from './truth.ts'

type ModificationDeed = Extract<Deed, { kind: 'modification' }>

/**
 * Compares the operator's bookings with the modifications in the database of the desk and at the service, and adds the
 * errors to `findings`. A booking's records are found by its unique note.
 */
export function judgeModifications(about: Case, findings: Findings): void {
  for (const { deed, subjectId } of about.diary.entries)
    if (deed.kind === 'modification') judgeOne(about, findings, deed, subjectId)
}

function judgeOne(about: Case, findings: Findings, deed: ModificationDeed, promisedId: string | null): void {
  const what = 'modification.create'
  const arrived = about.service.modifications.filter(({ note }) => note.includes(deed.note))
  const kept = about.desk.modifications.find(({ note }) => note === deed.note)
  const subjectId = kept?.id ?? promisedId ?? ''
  if (arrived.length > 1)
    findings.duplicated.push({ what, subjectId, detail: `${arrived.length} times ${deed.note}` })
  if (!kept) {
    // If the desk has no record, the action must not have been acknowledged and must not have arrived: the desk process
    // then ended before it stored the action.
    if (promisedId !== null) findings.lost.push({ what, subjectId, detail: 'not in desk.db' })
    else if (arrived.length > 0) findings.wrong.push({ what, subjectId, detail: 'sent and not written down' })
    return
  }
  if (isOpen(about, kept.id)) return
  const [found] = arrived
  const state = about.desk.commands.find((one) => one.subject_id === kept.id)?.state ?? 'none'
  if (!found) findings.lost.push({ what, subjectId, detail: `${state} here, not at the service` })
  else if (state !== 'done')
    findings.wrong.push({ what, subjectId, detail: `${state} here, ${found.id} at the service` })
  else if (!arrived.some(({ id }) => id === kept.server_id))
    findings.wrong.push({ what, subjectId, detail: `named ${String(kept.server_id)}, is ${found.id}` })
  else if (!isMeant(deed, found))
    findings.wrong.push({ what, subjectId, detail: `is ${JSON.stringify(found)}` })
}

function isMeant({ reason, locationId, lines }: ModificationDeed, found: ServiceModification): boolean {
  const meant = lines.map(({ variantId, quantity }) => `${variantId} ${locationId} ${quantity}`)
  const arrived = found.lines.map((line) => `${line.variant_id} ${line.location_id} ${line.quantity}`)
  return found.reason === reason && meant.toSorted().join() === arrived.toSorted().join()
}
