import { describe, expect, it } from 'vitest'
import { count, faultsOfControl, seed } from '#support/counts.ts'
import { type ClusterOptions, clusterSuite } from './cluster.ts'

/** URL of the PostgreSQL server. `npm run test:postgres` starts this server and sets the variable. */
const server = process.env['SCANDESK_TEST_POSTGRES']

async function run(
  options: Pick<ClusterOptions, 'count' | 'control'>,
  ownSeed = seed,
): Promise<Readonly<Record<string, unknown>>> {
  const { figures } = await clusterSuite({
    ...options,
    seed: ownSeed,
    ...(server !== undefined && { server }),
  })
  return figures
}

describe.skipIf(server === undefined)(
  'several processes on one PostgreSQL database',
  { timeout: 3_600_000 },
  () => {
    it('lose no write and do each piece of work exactly once, although processes are killed', async () => {
      const faults = count(8, 200)
      const figures = await run({ count: faults, control: null })
      expect(figures, JSON.stringify(figures['findings'])).toMatchObject({
        faults,
        lost: 0,
        doubled: 0,
        books: 0,
        stuck: 0,
        problems: 0,
      })
      expect(figures['labels']).toBeGreaterThan(0)
      expect(figures['exports']).toBeGreaterThan(0)
      expect(figures['notifications']).toBeGreaterThan(0)
    })

    it('are reported to do work twice if a deliberate fault gives every lease to every process (control)', async () => {
      const found = faultsOfControl(count(1, 20), async (faults, seed) =>
        Number((await run({ count: faults, control: 'without-leases' }, seed))['doubled']),
      )
      expect(await found).toBeGreaterThan(0)
    })
  },
)
