import { afterAll, afterEach } from 'vitest'
import type { World } from '#middleware/warehouse/world.ts'
import { type CallOptions, type Reply, startTestServer, type TestServer } from './middleware-server.ts'

/** A test server that tests share. After a test that changes data, the next test gets a new server. */
export function lastingServer(makeWorld: () => World): Pick<TestServer, 'call' | 'logIn'> {
  let running: Promise<TestServer> | null = null
  let isTouched = false

  const server = (): Promise<TestServer> => (running ??= startTestServer({ world: makeWorld() }))
  const stop = async (): Promise<void> => {
    const old = await running
    running = null
    isTouched = false
    await old?.close()
  }
  afterEach(async () => {
    if (isTouched) await stop()
  })
  afterAll(stop)

  return {
    async call(path: string, options: CallOptions = {}): Promise<Reply> {
      const reply = await (await server()).call(path, options)
      isTouched ||= (options.method ?? 'GET') !== 'GET' && reply.status < 400
      return reply
    },
    logIn: async (username) => (await server()).logIn(username),
  }
}
