import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** A serial port whose other end belongs to the test: a pseudo-terminal at `path`, created by socat. */
export interface Pty {
  readonly path: string
  /** Sends bytes like a scanner. Resolves when socat has accepted them. */
  send(bytes: string | Uint8Array): Promise<void>
  /** Removes the port, also for programs that have opened it. */
  unplug(): Promise<void>
}

/** Whether socat is installed. Otherwise the tests that need it are skipped. */
export const hasSocat = process.platform !== 'win32' && spawnSync('socat', ['-V']).status === 0

/** Connects a scanner at `path`, also if another scanner was connected there before. */
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
      // Removes the link that a killed socat may have left behind.
      rmSync(path, { force: true })
    },
  }
}

async function sendTo({ stdin }: ChildProcess, bytes: string | Uint8Array): Promise<void> {
  // Latin-1, because on a serial line one character is one byte.
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
