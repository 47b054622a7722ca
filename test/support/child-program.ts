import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'

/** A program that a test started. The test ends it by its own process id, never by a name. */
export interface ChildProgram {
  /** Returns the output of the program on stdout and stderr, for the report of a failed test. */
  readonly log: () => string
  readonly hasEnded: () => boolean
  /** Sends a signal and waits until the process has ended. */
  readonly end: (signal?: NodeJS.Signals) => Promise<void>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProgram {
  const child = spawn(program, args, {
    env: { ...process.env, ...env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let log = ''
  let hasEnded = false
  const ended = new Promise<void>((done) => {
    const note = (): void => {
      hasEnded = true
      running.delete(child)
      done()
    }
    child.once('exit', note)
    child.once('error', (error) => {
      log += String(error)
      note()
    })
  })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (log = (log + piece.toString()).slice(-100_000)))
  return {
    log: () => log,
    hasEnded: () => hasEnded,
    async end(signal = 'SIGTERM') {
      if (!hasEnded) child.kill(signal)
      // If the program has not ended five seconds after the signal, it is killed.
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Returns a port of the loopback address that no program uses. If two numbers are given, the port is between them. */
export async function freePort(from = 0, to = 0): Promise<number> {
  for (;;) {
    const server = createServer()
    const wanted = from + Math.floor(Math.random() * (to - from))
    const isFree = await new Promise<boolean>((done) => {
      server.on('error', () => done(false))
      server.listen(wanted, '127.0.0.1', () => done(true))
    })
    const address = server.address()
    await new Promise((done) => server.close(done))
    if (isFree && typeof address === 'object' && address) return address.port
  }
}

/**
 * Repeats the check every 20 ms until it returns true, because a program needs some time to start. Throws after 4,500
 * checks.
 */
export async function waitUntil(isReady: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 4_500; tries++) {
    if (await isReady()) return
    await new Promise((done) => setTimeout(done, 20))
  }
  throw new Error(`never became ready: ${what}`)
}
