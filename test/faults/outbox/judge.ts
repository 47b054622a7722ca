import type { Diary } from './diary.ts'
import { Findings } from './findings.ts'
import { judgeLabels } from './judge-labels.ts'
import { judgeModifications } from './judge-modifications.ts'
import { judgePaper } from './judge-paper.ts'
import type { DeskTruth, ServiceTruth } from './truth.ts'

export interface Case {
  readonly diary: Diary
  readonly desk: DeskTruth
  readonly service: ServiceTruth
}

const openStates = ['queued', 'sending', 'unknown']

/** Whether a subject still has a write under way: then nothing can be said of it yet. */
export function isOpen({ desk }: Case, subjectId: string): boolean {
  return desk.commands.some((one) => one.subject_id === subjectId && openStates.includes(one.state))
}

/** Holds what was promised against what the middleware's database has; the desk's own word only has to agree. */
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
