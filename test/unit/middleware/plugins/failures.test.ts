import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createLogger } from '#kit/logger.ts'
import { answerFailures } from '#middleware/plugins/failures.ts'

const line = z.object({
  msg: z.string(),
  kind: z.string().optional(),
  failures: z.number().optional(),
  err: z.object({ stack: z.string() }).optional(),
})

let lines: z.infer<typeof line>[]
let app: FastifyInstance
/**
 * The log counts storage failures in periods of this length. No period ends during a test, even on a slow machine, so
 * all failures of a test are in one period, which ends when the app is closed.
 */
const longPeriodMs = 600_000

function create(periodMs: number): void {
  const destination = { write: (text: string) => void lines.push(line.parse(JSON.parse(text))) }
  const loggerInstance: FastifyBaseLogger = createLogger('test', { level: 'warn', destination })
  app = Fastify({ loggerInstance, logController: new LogController({ disableRequestLogging: true }) })
  answerFailures(app, periodMs)
  app.get('/refused', () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  })
  app.get('/ended', () => {
    throw new Error('Connection terminated unexpectedly')
  })
  app.get('/broken', () => {
    throw new Error('broken')
  })
}

async function call(url: string, times: number): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let at = 0; at < times; at++) statuses.add((await app.inject({ url })).statusCode)
  return statuses
}

const stacks = (of: string): string[] =>
  lines
    .filter(({ msg }) => msg === 'unexpected failure')
    .flatMap(({ err }) => (err?.stack.includes(of) ? err.stack : []))
const further = (): unknown[] =>
  lines
    .filter(({ msg }) => msg === 'further failures of the database')
    .map(({ kind, failures }) => [kind, failures])

beforeEach(() => {
  lines = []
})
afterEach(async () => {
  vi.useRealTimers()
  await app.close()
})

describe('the log of failures', () => {
  it('has in each period the stacks of the first three storage failures of each kind, and the number of the other storage failures', async () => {
    create(longPeriodMs)
    expect(await call('/refused', 1)).toEqual(new Set([503]))
    expect(stacks('ECONNREFUSED')).toHaveLength(1)
    await call('/refused', 499)
    expect(stacks('ECONNREFUSED')).toHaveLength(3)
    expect(await call('/ended', 100)).toEqual(new Set([503]))
    expect(stacks('Connection terminated')).toHaveLength(3)
    expect(further()).toEqual([])
    await app.close()
    expect(further()).toEqual([
      ['ECONNREFUSED', 497],
      ['Error: Connection terminated unexpectedly', 97],
    ])
    expect(lines).toHaveLength(8)
  })

  it('has the number of omitted storage failures at the end of a period, and the stack of the first storage failure of the next period', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    create(1000)
    await call('/refused', 200)
    vi.advanceTimersByTime(1000)
    expect(further()).toEqual([['ECONNREFUSED', 197]])
    await call('/refused', 1)
    expect(stacks('ECONNREFUSED')).toHaveLength(4)
    vi.advanceTimersByTime(1000)
    expect(further()).toHaveLength(1)
  })

  it('has the stack of each failure that is not a storage failure', async () => {
    create(longPeriodMs)
    expect(await call('/broken', 100)).toEqual(new Set([500]))
    expect(stacks('Error: broken')).toHaveLength(100)
  })
})
