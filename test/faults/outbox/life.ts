import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { hear, type Order, type Said } from './deed.ts'

export interface Life {
  /** SIGKILL, now. */
  kill(): void
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

/** Starts a desk in a process of its own. */
export function startLife(program: string, order: Order, listen: (said: Said) => void): Life {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: `${program}.cache` },
  })
  let becomeReady = (): void => undefined
  const ready = new Promise<void>((resolve) => (becomeReady = resolve))
  const state = { wasKilled: false }
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
    ready,
    ended: follow(),
  }
}
