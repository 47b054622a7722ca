import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { send } from '#support/middleware-server.ts'
import { firstLine } from '#support/middleware-children.ts'
import { peersFolder } from './peers.ts'

const usage = z.object({ cpuMs: z.number(), memory: z.number(), statements: z.number() })
/**
 * The resources of a server process: CPU time in milliseconds and number of database statements, both since its start,
 * and memory in bytes.
 */
export type Usage = z.output<typeof usage>

const usageModule = new URL('server-usage.ts', import.meta.url).href
const cli = resolve(import.meta.dirname, '../../electron/middleware/entry/cli.ts')

/** A server process whose CPU time and memory can be read. */
export class MeasuredServer {
  readonly #child: ChildProcess
  readonly url: string

  /** Starts the middleware like `npm run middleware`, but its simulated warehouse acts only on calls of `/sandbox/`. */
  static async middleware(...args: string[]): Promise<MeasuredServer> {
    const child = forkMeasured(cli, ['--warehouse', 'manual', '--sandbox', ...args])
    return new MeasuredServer(child, (await firstLine(child)).url)
  }

  /** Starts a server of test/bench/peers. The first message of the server is its port. */
  static async peer(script: string, ...args: string[]): Promise<MeasuredServer> {
    const child = forkMeasured(join(peersFolder, script), args)
    return new MeasuredServer(child, `http://127.0.0.1:${z.number().parse(await messageOf(child))}`)
  }

  constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  usage(): Promise<Usage> {
    return this.#ask('usage')
  }

  /** Returns the number of bytes of JavaScript values and buffers that are in use after a garbage collection. */
  async memory(): Promise<number> {
    return (await this.#ask('memory')).memory
  }

  async #ask(question: 'usage' | 'memory'): Promise<Usage> {
    const reply = messageOf(this.#child)
    this.#child.send(question)
    return usage.parse(await reply)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const late = setTimeout(10_000, 'late', { ref: false })
    if ((await Promise.race([exit, late])) !== 'late') return
    this.#child.kill('SIGKILL')
    await exit
  }
}

function forkMeasured(script: string, args: readonly string[]): ChildProcess {
  return fork(script, args, {
    execArgv: ['--import', usageModule],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    cwd: peersFolder,
  })
}

/** Resolves with the next message of a server. Throws if the server ends before it sends a message. */
function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      child.off('message', arrived)
      reject(new Error(`the server ended with ${code}`))
    }
    const arrived = (message: unknown): void => {
      child.off('exit', ended)
      resolve(message)
    }
    child.once('exit', ended)
    child.once('message', arrived)
  })
}

export interface Request {
  readonly method?: 'POST'
  readonly path: string
  readonly body?: unknown
}

const loaded = z.object({
  elapsedMs: z.number(),
  times: z.array(z.number()),
  statuses: z.record(z.string(), z.number()),
  bytes: z.number(),
  errors: z.number(),
})

export interface Load {
  readonly elapsedMs: number
  /** Milliseconds of each response, in the order of their arrival. */
  readonly times: readonly number[]
  readonly bytes: number
}

/** Sends the requests with autocannon, each once. Throws unless every response has the status 200 or 201. */
export async function load(
  server: Pick<MeasuredServer, 'url'>,
  headers: Readonly<Record<string, string>>,
  { connections, requests }: { readonly connections: number; readonly requests: readonly Request[] },
): Promise<Load> {
  const child = spawn(process.execPath, [join(peersFolder, 'load.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: peersFolder,
  })
  child.stdin.end(JSON.stringify({ url: server.url, headers, connections, requests }))
  const { statuses, errors, ...load } = loaded.parse(await json(child.stdout))
  const failed = Object.keys(statuses).filter((status) => status !== '200' && status !== '201')
  if (errors > 0 || failed.length > 0)
    throw new Error(`some calls failed: ${errors} without a response, ${JSON.stringify(statuses)}`)
  return load
}

/** Logs in as the user of the demo and returns the headers of further calls. */
export async function demoHeaders(url: string): Promise<Record<string, string>> {
  const { wmsCode, customerCode: customer, username, password } = sandbox
  const headers = { 'x-wms-code': wmsCode }
  const { body } = await send(url, '/wms/auth/login/', {
    method: 'POST',
    body: { username, password },
    headers,
    customer,
  })
  const { token } = tokensSchema.parse(body)
  return { ...headers, 'x-customer-code': customer, authorization: `Bearer ${token}` }
}
