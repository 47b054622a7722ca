import { allMade, type Case } from './case.ts'
import { Findings } from './findings.ts'
import { judgeClaims } from './judge-claims.ts'
import { judgeSeconds } from './judge-seconds.ts'
import { judgeWishes } from './judge-wishes.ts'

/**
 * Compares the database of the service and the wire journal with the questions, decisions and notices in each desk.db.
 */
export function judge(about: Case): Findings {
  const findings = new Findings()
  const made = allMade(about)
  judgeWishes(about, findings)
  judgeClaims(about, made, findings)
  judgeSeconds(about, made, findings)
  return findings
}
