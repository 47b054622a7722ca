import { type Case, openStates } from './case.ts'
import { Findings } from './findings.ts'
import { judgeLabels } from './judge-labels.ts'
import { judgeModifications } from './judge-modifications.ts'
import { judgePaper } from './judge-paper.ts'

/**
 * Compares the acknowledgements of the desk with the database of the middleware. The database of the desk proves
 * nothing, but must agree with the database of the middleware.
 */
export function judge(about: Case): Findings {
  const findings = new Findings()
  if (about.desk.integrity !== 'ok')
    findings.wrong.push({ what: 'desk.db', subjectId: '', detail: about.desk.integrity })
  for (const command of about.desk.commands) {
    if (!openStates.includes(command.state)) continue
    const asks = command.needs_operator === 1 ? ', asks' : ''
    const reason = /"code":"([^"]+)"/.exec(command.failure ?? '')?.[1] ?? 'no reason'
    const detail = `${command.state}${asks}: ${reason}`
    findings.unresolved.push({ what: command.type, subjectId: command.subject_id, detail })
  }
  judgeModifications(about, findings)
  judgeLabels(about, findings)
  judgePaper(about, findings)
  return findings
}
