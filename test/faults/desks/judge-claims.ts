import type { Case, Made } from './case.ts'
import type { Findings } from './findings.ts'
import type { DeskCommand } from '../outbox/truth.ts'
import type { Memory } from './truth.ts'

interface Claim {
  readonly serverId: string
  readonly command: DeskCommand
}

/**
 * Records of the service that two desks take for the one that they made, and those that only a desk claims which did not
 * make them. After a lost answer nothing at the service tells two labels of one shipment apart: counted, and no promise is
 * broken, since it is one label. A second one is judged by judgeSeconds.
 */
export function judgeClaims({ memories }: Case, made: readonly Made[], findings: Findings): void {
  const claims = memories.flatMap((memory, desk) => claimsOf(memory).map((claim) => ({ ...claim, desk })))
  for (const [serverId, desks] of Map.groupBy(claims, ({ serverId: id }) => id)) {
    const maker = made.find((one) => one.serverId === serverId)
    const isTwice = desks.length > 1
    if (!isTwice && desks[0]?.desk === maker?.desk) continue
    const finding = {
      what: maker?.kind ?? 'unknown',
      detail: `${serverId} of desk ${maker?.desk} is claimed by ${desks.map((one) => tellClaim(one, made)).join(', ')}`,
    }
    if (isTwice) findings.claimedTwice.push(finding)
    else findings.misclaimed.push(finding)
  }
}

/** A desk that claims a record, how often it tried to make one, and what the service made of that. */
function tellClaim({ desk, command }: Claim & { readonly desk: number }, made: readonly Made[]): string {
  const own = made.filter(({ commandId }) => commandId === command.id).map(({ serverId }) => serverId)
  return `desk ${desk} (${command.attempts} tries made ${own.join(' ') || 'nothing'})`
}

/** What this desk takes for its own without anybody's decision. */
function claimsOf({ commands, labels, modifications, decisions }: Memory): Claim[] {
  const adopted = new Set(
    decisions.flatMap(({ commandId, adoptedId }) => (adoptedId === null ? [] : [commandId])),
  )
  const own = new Map(
    commands
      .filter(({ id, type, state }) => type.endsWith('.create') && state === 'done' && !adopted.has(id))
      .map((command) => [command.subject_id, command]),
  )
  return [...labels.filter(({ origin }) => origin === 'desk'), ...modifications].flatMap(
    ({ id, server_id: serverId }) => {
      const command = own.get(id)
      return command && serverId !== null ? [{ serverId, command }] : []
    },
  )
}
