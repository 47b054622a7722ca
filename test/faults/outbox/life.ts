import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface Life {
  /** Sends SIGKILL now. */
  kill(): void
  /** Writes one line to the stdin of the process. A process that has ended does not receive it. */
  tell(line: string): void
  /** Resolves when the desk is signed in and its outbox works, or when the process has ended. */
  readonly ready: Promise<void>
  /** Resolves with the kind of end when the process has ended and all its lines were read. */
  readonly ended: Promise<LifeEnd>
}

export interface LifeEnd {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  /** True: `kill()` ended the process. False: the process ended at its planned point or in a crash. */
  readonly wasKilled: boolean
}

interface Listener<Said> {
  /** Parses a line of the stdout of the process. Returns null for a line that the end of the process cut off. */
  readonly hear: (line: string) => Said | null
  readonly listen: (said: Said) => void
}

/**
 * Starts a desk in its own process. `order`: the only argument of the process, as JSON. `ready`: the message of the
 * process when the desk works.
 */
export function startLife<Said extends { readonly say: string }>(
  program: string,
  order: object,
  { hear, listen }: Listener<Said>,
): Life {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: `${program}.cache` },
  })
  let becomeReady = (): void => undefined
  const ready = new Promise<void>((resolve) => (becomeReady = resolve))
  const state = { wasKilled: false }
  // Ignores errors, because a killed process closes its end of the pipe.
  child.stdin.on('error', () => undefined)
  const follow = async (): Promise<LifeEnd> => {
    const gone = once(child, 'exit')
    for await (const line of createInterface({ input: child.stdout })) {
      const said = hear(line)
      if (said?.say === 'ready') becomeReady()
      else if (said) listen(said)
    }
    await gone
    becomeReady()
    return { signal: child.signalCode, code: child.exitCode, wasKilled: state.wasKilled }
  }
  return {
    kill() {
      if (child.exitCode === null && child.signalCode === null) state.wasKilled = true
      child.kill('SIGKILL')
    },
    tell: (line) => void child.stdin.write(`${line}\n`),
    ready,
    ended: follow(),
  }
}
