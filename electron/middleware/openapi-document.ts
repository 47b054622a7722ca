import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { createMiddleware } from './app.ts'
import { describeApi } from './plugins/api-description.ts'

/** The OpenAPI 3.1 document of the server as it is, as text that is the same on every machine. */
export async function openApiDocument(): Promise<string> {
  const app = await createMiddleware({
    databaseFile: ':memory:',
    world: null,
    sandbox: true,
    clock: systemClock,
    logger: createLogger('openapi'),
    beforeRoutes: describeApi,
  })
  try {
    return `${JSON.stringify(app.swagger(), withoutInputs, 2)}\n`
  } finally {
    await app.close()
  }
}

/** The named schemas are answers; the library lists each a second time as an input, which nothing refers to. */
function withoutInputs(key: string, value: unknown): unknown {
  return key.endsWith('Input') ? undefined : value
}
