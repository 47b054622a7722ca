/**
 * A middleware process that uses the data folder in its argument. Writes its address, then serves until it is killed.
 */
import { join } from 'node:path'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { createMiddleware, type MiddlewareOptions } from '#middleware/app.ts'
import { eventBodies } from '#middleware/routes/event-bodies.ts'
import { Unit, writeEvents } from '#middleware/services/unit.ts'
import type { WebhookAction, WebhookGroup } from '#shared/domain/webhook-topics.ts'
import { makeSmallWorld } from '#support/small-world.ts'
import { databaseName, given } from './site.ts'

/**
 * In a run with the deliberate fault (`control`), the event of a change is written this number of milliseconds after
 * the commit of the change. This is about the time between two calls of a client.
 */
const lateMs = 5

const { folder, webhookCa, control } = given.parse(JSON.parse(process.argv[2] ?? ''))

const tellAfterCommit: MiddlewareOptions['tellBy'] = (context) => {
  const body = eventBodies(context)
  return ({ changes, now }) => {
    setTimeout(() => {
      const written = context.database.transaction().execute(async (connection) => {
        const late = new Unit(connection, now)
        for (const { group, action, subject } of changes)
          late.changed(group, action as WebhookAction<WebhookGroup>, subject)
        await writeEvents({ ...context, eventBody: body }, late)
      })
      void written.then(() => context.deliveries.wake())
    }, lateMs)
    return Promise.resolve(false)
  }
}

const app = await createMiddleware({
  databaseFile: join(folder, databaseName),
  world: makeSmallWorld(),
  sandbox: true,
  passwordCost: { N: 16, r: 1, p: 1 },
  clock: systemClock,
  logger: createLogger('middleware'),
  webhookCa,
  deliveries: { resolve: () => Promise.resolve(['127.0.0.1']), retryMs: 100 },
  ...(control === 'after-commit' && { tellBy: tellAfterCommit }),
})
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
