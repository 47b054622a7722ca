import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const root = new URL('../../', import.meta.url)
const entry = (name: string): string => new URL(`electron/middleware/entry/${name}.ts`, root).pathname

/** The schema of the first line that the middleware writes to stdout. */
export const invitation = z.object({
  url: z.string(),
  wms: z.string(),
  customer: z.string(),
  username: z.string(),
  password: z.string().nullable(),
  others: z.object({
    readOnly: z.object({ username: z.string(), password: z.string().nullable() }).nullable(),
    customer: z.string().nullable(),
    warehouse: z.object({ username: z.string(), password: z.string().nullable() }).nullable().default(null),
  }),
})
export type Invitation = z.output<typeof invitation>

/** If SCANDESK_QUIRKS=1 is set, each middleware that `spawnCli` starts sends all unusual forms of responses. */
export const isQuirky: boolean = process.env['SCANDESK_QUIRKS'] === '1'
const quirks = isQuirky ? ['--quirks'] : []

/**
 * Starts the middleware like `npm run middleware`. By default the simulated warehouse processes no work. The caller
 * ends the process.
 */
export function spawnCli(...args: string[]): ChildProcess {
  return spawnCliWith({}, ...args)
}

/** Starts the middleware with further environment variables. */
export function spawnCliWith(environment: Readonly<Record<string, string>>, ...args: string[]): ChildProcess {
  const isAboutWarehouse = args.includes('--warehouse') || args.includes('--pace')
  const still = isAboutWarehouse ? [] : ['--warehouse', 'manual']
  return spawn(process.execPath, [entry('cli'), ...still, ...args, ...quirks], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
}

/** Starts the middleware with demo data in a folder that other processes may use at the same time. */
export function forkUnlocked(folder: string): ChildProcess {
  const child = new URL('test/support/unlocked-middleware-child.ts', root).pathname
  return spawn(process.execPath, [child, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Starts the middleware like Electron's utility process, with a stand-in for its parent port. */
export function forkUtility(): ChildProcess {
  const port = new URL('test/support/parent-port.ts', root).href
  const env = { ...process.env, SCANDESK_WAREHOUSE: 'manual' }
  return fork(entry('utility'), [], { execArgv: ['--import', port], silent: true, env })
}

export async function firstLine(child: ChildProcess): Promise<Invitation> {
  if (child.stdout === null) throw new Error('The child has a stdout')
  for await (const line of createInterface(child.stdout)) return invitation.parse(JSON.parse(line))
  throw new Error('The child said nothing')
}

export async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/** A real middleware with demo data that can be killed and restarted at the same address with its data. */
export class KillableMiddleware {
  readonly #data: string
  #process: ChildProcess
  readonly invitation: Invitation

  static async start(): Promise<KillableMiddleware> {
    const data = mkdtempSync(join(tmpdir(), 'scandesk-killable-'))
    const child = spawnCli('--port', '0', '--data', data, '--seed', 'demo', '--sandbox')
    return new KillableMiddleware(data, child, await firstLine(child))
  }

  private constructor(data: string, child: ChildProcess, invitation: Invitation) {
    this.#data = data
    this.#process = child
    this.invitation = invitation
  }

  /** Kills the middleware, so that waiting clients receive no response. */
  async die(): Promise<void> {
    this.#process.kill('SIGKILL')
    await exitCode(this.#process)
  }

  async comeBack(): Promise<void> {
    const { port } = new URL(this.invitation.url)
    this.#process = spawnCli('--port', port, '--data', this.#data, '--seed', 'demo', '--sandbox')
    await firstLine(this.#process)
  }

  async stop(): Promise<void> {
    this.#process.kill()
    await exitCode(this.#process)
    rmSync(this.#data, { recursive: true, force: true })
  }
}
