import { drawLabel } from '#labels/draw/draw-label.ts'
import { openStore } from '#local/open-store.ts'
import { scopeKey } from '#shared/domain/scope.ts'
import { labelSpec } from '#support/label-specs.ts'
import { printerNames, scope } from './site.ts'
import { labelIdOf } from '#support/ids.ts'
import { describedLabel } from '#support/described-label.ts'

/** A label that waits for its printer. */
export interface StockedJob {
  readonly jobId: string
  readonly code: string
}

/**
 * Fills a data folder with labels, the PDF of each label, and a first print job for each label. The jobs are
 * distributed among all printers in turn.
 */
export async function stockJobs(dataDir: string, count: number): Promise<StockedJob[]> {
  const store = await openStore(dataDir, scopeKey(scope), () => undefined)
  const names = Object.values(printerNames)
  const jobs: StockedJob[] = []
  try {
    for (let number = 0; number < count; number++) {
      const code = `TB${String(100_000_000 + number)}NL`
      const pdf = await drawLabel(
        labelSpec({
          trackingCode: code,
          trackingText: code,
          trackingUrl: `https://track.testbode.example/${code}`,
        }),
      )
      const label = store.labels.adopt(
        labelIdOf(crypto.randomUUID()),
        describedLabel(`server-${String(number)}`, {
          externalReference: `REF-${String(number)}.R`,
          trackingCode: code,
          codes: [code],
          requested: true,
        }),
        number,
        number,
      )
      const job = {
        id: `job-${String(number)}`,
        printer: names[number % names.length] ?? printerNames.folder,
        isReprint: false,
        reason: null,
        at: number,
      }
      store.labels.documentStored(label.id, await store.vault.put(pdf), job)
      jobs.push({ jobId: job.id, code })
    }
  } finally {
    store.close()
  }
  return jobs
}
