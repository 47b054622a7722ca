import { openStore } from '#local/open-store.ts'
import type { PrintState } from '#shared/domain/print-job.ts'
import { scopeKey } from '#shared/domain/scope.ts'
import { scope } from './site.ts'
import type { StockedJob } from './stock.ts'

export interface Judged {
  /** Neither on paper nor held: nobody will print it and nobody is told. */
  readonly lost: string[]
  /** More than one paper of a job that was never printed again by somebody's word. */
  readonly twice: string[]
  /** Called sent, spooled or confirmed, and no paper came out. */
  readonly claimed: string[]
  /** Held because nobody knows. */
  readonly unknown: string[]
  /** Sent or better. */
  readonly through: number
}

const through: readonly PrintState[] = ['sent', 'spooled', 'confirmed', 'scan_confirmed']

/** What the desk says of each job beside the papers that came out. */
export async function judge(
  dataDir: string,
  jobs: readonly StockedJob[],
  papers: ReadonlyMap<string, number>,
): Promise<Judged> {
  const store = await openStore(dataDir, scopeKey(scope), () => undefined)
  const judged = {
    lost: [] as string[],
    twice: [] as string[],
    claimed: [] as string[],
    unknown: [] as string[],
  }
  let done = 0
  try {
    for (const { jobId, code } of jobs) {
      const row = store.printJobs.get(jobId)
      const count = papers.get(code) ?? 0
      if (count > 1) judged.twice.push(jobId)
      if (row?.state === 'unknown') judged.unknown.push(jobId)
      else if (!row || !through.includes(row.state)) judged.lost.push(`${jobId} ${row?.state ?? 'gone'}`)
      else if (count === 0) judged.claimed.push(jobId)
      else done++
    }
  } finally {
    store.close()
  }
  return { ...judged, through: done }
}
