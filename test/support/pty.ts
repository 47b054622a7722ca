import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** A serial port that a test holds the other end of: a pseudo-terminal at `path`, made by socat. */
export interface Pty {
  readonly path: string
  /** Sends bytes as a scanner would; resolves when socat has taken them. */
  send(bytes: string | Uint8Array): Promise<void>
  /** Pulls the plug: the port is gone for whoever has it open. */
  unplug(): Promise<void>
}

/** False where socat is missing: what needs it is left out. */
export const hasSocat = process.platform !== 'win32' && spawnSync('socat', ['-V']).status === 0

/** Plugs a scanner in at `path`, also where one was before. */
export async function plugIn(path: string): Promise<Pty> {
  const child = spawn('socat', ['-u', 'STDIN', `PTY,link=${path},raw,echo=0`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  await once(child, 'spawn')
  while (!existsSync(path)) {
    if (child.exitCode !== null) throw new Error('socat ended before its port was there')
    await wait(10)
  }
  return {
    path,
    send: (bytes) => sendTo(child, bytes),
    unplug: async () => {
      await end(child)
      // a killed socat may leave its link behind
      rmSync(path, { force: true })
    },
  }
}

async function sendTo({ stdin }: ChildProcess, bytes: string | Uint8Array): Promise<void> {
  // as a serial line does: a character is a byte
  const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
  await new Promise<void>((resolve, reject) => {
    stdin?.write(sent, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
