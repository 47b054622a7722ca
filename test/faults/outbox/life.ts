import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface Life {
  /** SIGKILL, now. */
  kill(): void
  /** Writes one line to its stdin; a life that has ended does not hear it. */
  tell(line: string): void
  /** The desk works: signed in, its outbox at work. */
  readonly ready: Promise<void>
  /** How it ended, once every line of it was heard. */
  readonly ended: Promise<LifeEnd>
}

export interface LifeEnd {
  readonly signal: NodeJS.Signals | null
  readonly code: number | null
  /** Killed from outside, rather than by itself at a point. */
  readonly wasKilled: boolean
}

interface Listener<Said> {
  /** What a line of its stdout means; null for a line that its end cut off. */
  readonly hear: (line: string) => Said | null
  readonly listen: (said: Said) => void
}

/** Starts a desk in a process of its own. `order`: its one argument, as JSON; `ready` is what it says once it works. */
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
  // a killed process closes its end of the pipe
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
