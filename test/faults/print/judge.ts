import { openStore } from '#local/open-store.ts'
import type { PrintState } from '#shared/domain/print-job.ts'
import { scopeKey } from '#shared/domain/scope.ts'
import { scope } from './site.ts'
import type { StockedJob } from './stock.ts'

export interface Judged {
  /**
   * Labels whose print job is missing or has another state than `unknown`, `sent`, `spooled`, `confirmed` or
   * `scan_confirmed`.
   */
  readonly lost: string[]
  /** Labels that were printed several times although no operator reprinted them. */
  readonly twice: string[]
  /**
   * Labels that were not printed although the state of their print job is one of `through`: `sent`, `spooled`,
   * `confirmed` or `scan_confirmed`.
   */
  readonly claimed: string[]
  /** Labels that are held because the outcome of their print is unknown. */
  readonly unknown: string[]
  /** Number of labels that were printed and whose print job is `sent`, `spooled`, `confirmed` or `scan_confirmed`. */
  readonly through: number
}

const through: readonly PrintState[] = ['sent', 'spooled', 'confirmed', 'scan_confirmed']

/** Compares the state of each job on the desk with the printed labels. */
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
