/**
 * A middleware that does not lock its data folder. Argument: the data folder. Its first output is the same as the first
 * output of the middleware from the command line.
 */
import { join } from 'node:path'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { createMiddleware } from '#middleware/app.ts'
import { makeDemoWorld } from '#middleware/warehouse/demo/world.ts'
import { sandbox } from '#shared/domain/sandbox.ts'

const app = await createMiddleware({
  databaseFile: join(process.argv[2] ?? '', 'middleware.db'),
  world: makeDemoWorld({ seed: 1, now: new Date() }),
  sandbox: true,
  clock: systemClock,
  logger: createLogger('middleware'),
})
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const { wmsCode, customerCode, username, password } = sandbox
const others = { readOnly: null, customer: null, warehouse: null }
process.stdout.write(
  `${JSON.stringify({ url, wms: wmsCode, customer: customerCode, username, password, others })}\n`,
)
