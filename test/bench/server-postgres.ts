import { availableParallelism } from 'node:os'
import { startPostgres } from '#support/postgres-server.ts'
import { bulkVariant } from '#support/bulk-goods.ts'
import { shareOf } from './bench-share.ts'
import { printFigure } from './figure.ts'
import { demoHeaders, load, MeasuredServer, type Request } from './measured-server.ts'
import { say } from './progress.ts'
import { copyToPostgres, variantCount } from './server-data.ts'
import { benchSearch } from './server-lists.ts'

/** Measures the search on PostgreSQL. Then compares two middleware processes on one database with a single process. */
export async function benchPostgres(): Promise<void> {
  const postgres = await startPostgres({ isDurable: true })
  if (postgres === null) throw new Error('there is no PostgreSQL server for this platform')
  try {
    await copyToPostgres(postgres.url)
    const place = ['--database', postgres.url]
    await benchSearch('PostgreSQL', place)
    await benchProcesses(place)
  } finally {
    await postgres.stop()
  }
}

const rounds = 7
const connections = 8

async function benchProcesses(place: readonly string[]): Promise<void> {
  const servers = [await MeasuredServer.middleware(...place)]
  try {
    servers.push(await MeasuredServer.middleware(...place))
    const headers = await demoHeaders(servers[0]?.url ?? '')
    const count = shareOf(1_000, 50)
    say(`sending ${count} requests to one process and to two, in turn …`)
    const [one, two] = [emptyRates(), emptyRates()]
    await runRound(servers, headers, { count, round: -1 })
    for (let round = 0; round < rounds; round++) {
      add(one, await runRound(servers.slice(0, 1), headers, { count, round: 2 * round }))
      add(two, await runRound(servers, headers, { count, round: 2 * round + 1 }))
    }
    printFigure(
      { name: 'two processes on one PostgreSQL', values: two.perCpuSecond },
      { name: 'one process', values: one.perCpuSecond },
      { unit: 'requests/CPU-s', goal: { of: 'ratio', atLeast: 0.9 } },
    )
    printFigure(
      {
        name: `two processes, the load and PostgreSQL on ${availableParallelism()} cores`,
        values: two.perSecond,
      },
      { name: 'one process', values: one.perSecond },
      { unit: 'requests/s' },
    )
  } finally {
    for (const server of servers) await server.stop()
  }
}

interface Rates {
  readonly perSecond: number[]
  readonly perCpuSecond: number[]
}

function emptyRates(): Rates {
  return { perSecond: [], perCpuSecond: [] }
}

function add(rates: Rates, round: { perSecond: number; perCpuSecond: number }): void {
  rates.perSecond.push(round.perSecond)
  rates.perCpuSecond.push(round.perCpuSecond)
}

/**
 * Sends requests to all servers at the same time, an equal part to each server. Returns the requests per second, and
 * the requests per second of CPU time of the middleware's processes.
 */
async function runRound(
  servers: readonly MeasuredServer[],
  headers: Readonly<Record<string, string>>,
  { count, round }: { count: number; round: number },
): Promise<{ perSecond: number; perCpuSecond: number }> {
  const cpuMs = async (): Promise<number> => {
    const usages = await Promise.all(servers.map((server) => server.usage()))
    return usages.reduce((sum, usage) => sum + usage.cpuMs, 0)
  }
  const requests = Array.from({ length: count }, (_, number) => mixedRequest(number, round))
  const before = await cpuMs()
  const loads = await Promise.all(
    servers.map((server, index) =>
      load(server, headers, {
        connections: connections / servers.length,
        requests: requests.filter((_, number) => number % servers.length === index),
      }),
    ),
  )
  return {
    perSecond: count / (Math.max(...loads.map(({ elapsedMs }) => elapsedMs)) / 1000),
    perCpuSecond: count / (((await cpuMs()) - before) / 1000),
  }
}

/**
 * Returns the request with this number. Of every ten requests, two read a list of 50 variants, seven read a single
 * variant and one creates an article.
 */
function mixedRequest(number: number, round: number): Request {
  const kind = Math.floor(number / 2) % 10
  if (kind < 2) return { path: '/wms/variants/?limit=50' }
  if (kind < 9) return { path: `/wms/variants/${bulkVariant((number * 7_919) % variantCount).id}/` }
  const code = `PROCESS-${round}-${number}`
  return { method: 'POST', path: '/wms/articles/', body: { name: code, variants: [{ article_code: code }] } }
}
