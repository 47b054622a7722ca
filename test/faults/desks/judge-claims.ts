import type { Case, Made } from './case.ts'
import type { Findings } from './findings.ts'
import type { Memory } from './truth.ts'

interface Claim {
  readonly desk: number
  readonly serverId: string
}

/** No two desks take the same record of the service for the one that they made, unless an operator said so. */
export function judgeClaims({ memories }: Case, made: readonly Made[], findings: Findings): void {
  const claims = memories.flatMap((memory, desk) => claimsOf(memory).map((serverId) => ({ desk, serverId })))
  for (const [serverId, desks] of Map.groupBy(claims, (claim: Claim) => claim.serverId)) {
    if (desks.length < 2) continue
    const maker = made.find((one) => one.serverId === serverId)
    const finding = {
      what: maker?.kind ?? 'unknown',
      detail: `${serverId} of desk ${maker?.desk} is claimed by desks ${desks.map(({ desk }) => desk).join(', ')}`,
    }
    findings.claimedTwice.push(finding)
    findings.doubled.push(finding)
  }
}

/** The service's ids of what this desk takes for its own without anybody's decision. */
function claimsOf({ commands, labels, modifications, decisions }: Memory): string[] {
  const adopted = new Set(
    decisions.flatMap(({ commandId, adoptedId }) => (adoptedId === null ? [] : [commandId])),
  )
  const own = new Set(
    commands
      .filter(({ id, type, state }) => type.endsWith('.create') && state === 'done' && !adopted.has(id))
      .map(({ subject_id: subjectId }) => subjectId),
  )
  return [...labels.filter(({ origin }) => origin === 'desk'), ...modifications].flatMap(
    ({ id, server_id: serverId }) => (own.has(id) && serverId !== null ? [serverId] : []),
  )
}
