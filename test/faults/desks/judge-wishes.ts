import type { Case } from './case.ts'
import type { Findings } from './findings.ts'
import type { Wish } from './diary.ts'

/** Decisions of an operator that end a write without a record of it at the service. */
const drops = ['discard', 'edit']

/**
 * Checks the requests that desks have acknowledged. Each request must have a record at the service or an open question,
 * or its operator must have decided to end it.
 */
export function judgeWishes(about: Case, findings: Findings): void {
  const there = new Set([...about.service.labels, ...about.service.modifications].map(({ id }) => id))
  for (const wish of about.wishes) judgeWish(about, wish, there, findings)
}

function judgeWish(
  { memories }: Case,
  { desk, deed, subjectId }: Wish & { readonly subjectId: string },
  there: ReadonlySet<string>,
  findings: Findings,
): void {
  const memory = memories[desk]
  const subjects = deed.kind === 'label' ? memory?.labels : memory?.modifications
  const kept = subjects?.find(({ id }) => id === subjectId)
  const create = memory?.commands.find(
    ({ subject_id: id, type }) => id === subjectId && type.endsWith('.create'),
  )
  const lose = (detail: string): void =>
    void findings.lost.push({ what: deed.kind, detail: `${subjectId} of desk ${desk}: ${detail}` })
  // No write of this desk is expected: the card showed a label that another desk had made, and the request applied to
  // this label.
  const isTheirs = kept && 'origin' in kept && kept.origin === 'service' && there.has(kept.server_id ?? '')
  if (isTheirs && !create) return
  if (!memory || !kept || !create) {
    lose('not in desk.db')
    return
  }
  switch (create.state) {
    case 'done':
      if (kept.server_id === null || !there.has(kept.server_id))
        lose(`done here, ${String(kept.server_id)} is not at the service`)
      return
    case 'rejected':
      // A write that the service refused is not lost, because the desk shows the refusal and asks for a decision.
      return
    case 'discarded': {
      const isDecided = memory.decisions.some(
        ({ commandId, decision }) => commandId === create.id && drops.includes(decision),
      )
      if (!isDecided) lose('discarded without a decision')
      return
    }
    default: {
      if (create.needs_operator === 1) return
      const reason = /"code":"([^"]+)"/.exec(create.failure ?? '')?.[1] ?? 'no reason'
      findings.unresolved.push({
        what: deed.kind,
        detail: `${subjectId} of desk ${desk}: ${create.state}, ${reason}`,
      })
    }
  }
}
