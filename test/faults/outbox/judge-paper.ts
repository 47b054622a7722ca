import { type Case, isOpen } from './case.ts'
import type { Findings } from './findings.ts'

/**
 * Judges the printed labels. A label that was requested at this desk must be printed once, or its interrupted print
 * must have an unknown outcome.
 */
export function judgePaper(about: Case, findings: Findings): void {
  const { desk } = about
  for (const label of desk.labels) {
    const requested = desk.commands.some(
      ({ subject_id, type, state }) =>
        subject_id === label.id && type === 'return_label.request' && state === 'done',
    )
    const jobs = desk.prints.filter(({ label_id }) => label_id === label.id)
    const papers = desk.papers.filter((name) => jobs.some(({ id }) => name.includes(id)))
    const what = 'paper'
    if (jobs.length > 1 || papers.length > 1)
      findings.paper.push({ what, subjectId: label.id, detail: `${papers.length} of ${jobs.length} jobs` })
    if (isOpen(about, label.id) || !requested) continue
    const [job] = jobs
    const isHonest = job?.state === 'unknown' || (job?.state === 'confirmed' && papers.length === 1)
    if (!isHonest)
      findings.paper.push({
        what,
        subjectId: label.id,
        detail: `${job?.state ?? 'no job'}, ${papers.length} papers`,
      })
  }
}
