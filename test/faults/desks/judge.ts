import { allMade, type Case } from './case.ts'
import { Findings } from './findings.ts'
import { judgeClaims } from './judge-claims.ts'
import { judgeSeconds } from './judge-seconds.ts'
import { judgeWishes } from './judge-wishes.ts'

/** Holds the service's database and the wire against what each desk.db remembers of asking, deciding and telling. */
export function judge(about: Case): Findings {
  const findings = new Findings()
  const made = allMade(about)
  judgeWishes(about, findings)
  judgeClaims(about, made, findings)
  judgeSeconds(about, made, findings)
  return findings
}
