import type { Case, Made } from './case.ts'
import type { Findings } from './findings.ts'
import type { DeskCommand } from '../outbox/truth.ts'
import type { Memory } from './truth.ts'

interface Claim {
  readonly serverId: string
  readonly command: DeskCommand
}

/**
 * Finds two kinds of records: those that two or more desks regard as their own, and those that only one desk regards as
 * its own, although another desk made them. After a lost response a desk cannot distinguish two equal records, e.g. two
 * labels of one shipment. Therefore both kinds are counted but allowed. `judgeSeconds` checks whether the service has
 * second records.
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

/**
 * Returns a text for the report of the suite: the desk of the claim, how often it sent its command, and the ids of the
 * records that the service made from this command.
 */
function tellClaim({ desk, command }: Claim & { readonly desk: number }, made: readonly Made[]): string {
  const own = made.filter(({ commandId }) => commandId === command.id).map(({ serverId }) => serverId)
  return `desk ${desk} (${command.attempts} tries made ${own.join(' ') || 'nothing'})`
}

/** Returns the records that a desk regards as its own without a decision of its operator. */
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
