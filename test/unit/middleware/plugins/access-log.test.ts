import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createLogger } from '#kit/logger.ts'
import { logAccess } from '#middleware/plugins/access-log.ts'

const line = z.object({
  msg: z.string(),
  status: z.number().optional(),
  calls: z.number().optional(),
  err: z.object({ stack: z.string() }).optional(),
})

let lines: z.infer<typeof line>[]
let app: FastifyInstance
/** This period ends only when the app is closed, so that a slow machine counts all calls in one period. */
const longPeriodMs = 600_000

function create(periodMs: number): void {
  const destination = { write: (text: string) => void lines.push(line.parse(JSON.parse(text))) }
  const loggerInstance: FastifyBaseLogger = createLogger('test', { level: 'info', destination })
  app = Fastify({ loggerInstance, logController: new LogController({ disableRequestLogging: true }) })
  logAccess(app, periodMs)
  app.decorateRequest('owner', null)
  app.get('/known', (request, reply) => {
    request.owner = 'customer'
    return reply.code(400).send()
  })
  app.get('/open', (_, reply) => reply.send('x'))
  app.get('/broken', () => {
    throw new Error('broken')
  })
  app.setErrorHandler((error, request, reply) => {
    request.log.error({ err: error }, 'unexpected failure')
    return reply.code(500).send()
  })
}

async function call(url: string, times: number): Promise<void> {
  for (let at = 0; at < times; at++) await app.inject({ url })
}

const named = (name: string): z.infer<typeof line>[] => lines.filter(({ msg }) => msg === name)

beforeEach(() => {
  lines = []
})
afterEach(() => app.close())

describe('the log of calls', () => {
  it.each(['/unknown', '/open'])(
    'has in each period the first twenty calls of %s that were made without a login, and the number of the other calls',
    async (url) => {
      create(longPeriodMs)
      await call(url, 500)
      expect(named('request completed')).toHaveLength(20)
      await app.close()
      expect(lines).toHaveLength(21)
      expect(lines.at(-1)).toMatchObject({ msg: 'further calls without a login', calls: 480 })
    },
  )

  it('has the number of the omitted calls when a period has ended, and has the first call of the next period', async () => {
    create(300)
    await call('/unknown', 200)
    await vi.waitFor(() => {
      expect(named('further calls without a login')).toHaveLength(1)
    }, 10_000)
    const before = named('request completed').length
    await call('/unknown', 1)
    expect(named('request completed')).toHaveLength(before + 1)
  })

  it('has every call of a client that is logged in, and the stack trace of every failure', async () => {
    create(longPeriodMs)
    await call('/unknown', 100)
    lines = []
    await call('/known', 100)
    expect(named('request completed')).toHaveLength(100)
    await call('/broken', 100)
    const failures = named('unexpected failure')
    expect(failures).toHaveLength(100)
    for (const { err } of failures) expect(err?.stack).toContain('Error: broken')
  })
})
