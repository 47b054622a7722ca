import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { z } from 'zod'
import type { Scope } from '#shared/domain/scope.ts'

const hello = z.object({ port: z.number() })

/** A simulated service in another process. The number of articles of a customer can be chosen. */
export interface PageService {
  readonly url: string
  /** Returns the scope of a customer with this number of articles. */
  scopeOf(rows: number): Scope
  /** True: the service accepts connections but does not respond. False: it responds again. */
  silence(isSilent: boolean): void
  stop(): Promise<void>
}

export async function startPageService(): Promise<PageService> {
  const child = fork(join(import.meta.dirname, 'page-service-child.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ port }] = z
    .tuple([hello])
    .rest(z.unknown())
    .parse(await once(child, 'message'))
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    scopeOf: (rows) => ({ baseUrl: url, wmsCode: 'DEV', customerCode: `ROWS-${rows}` }),
    silence: (isSilent) => void child.send({ isSilent }),
    async stop() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
