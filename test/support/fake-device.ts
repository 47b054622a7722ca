import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'

/** A terminal of its own whose other end is this program: a device file that behaves as it is told. */
export interface FakeDevice {
  readonly path: string
  /** What was written to it. */
  readonly received: () => Buffer
  /** Says something to whoever has it open. */
  answer(bytes: Uint8Array): void
  onBytes(listener: (bytes: Buffer) => void): void
  /** Takes nothing any more: a printer without paper. */
  stall(): void
  /** Is gone while it is open: a pulled cable. */
  vanish(): Promise<void>
}

/** util-linux' `script` makes the terminal; a test that needs it skips with a notice where there is none. */
export const canFakeDevices: boolean = existsSync('/usr/bin/script') && process.platform === 'linux'

export async function startFakeDevice(): Promise<FakeDevice> {
  // its own shell holds the terminal open, raw, and says where it is
  const shell = 'stty raw -echo; tty; exec sleep 600'
  const child = spawn('/usr/bin/script', ['-qfec', shell, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
  let bytes = Buffer.alloc(0)
  const listeners: ((bytes: Buffer) => void)[] = []
  const path = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error('script ended')))
    let isKnown = false
    child.stdout.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece])
      const line = isKnown ? null : /^(\/dev\/\S+)\r?\n/.exec(bytes.toString('latin1'))
      if (line) {
        isKnown = true
        bytes = bytes.subarray(line[0].length)
        resolve(line[1] ?? '')
      } else if (isKnown) for (const listener of listeners) listener(piece)
    })
  })
  return {
    path,
    received: () => bytes,
    answer: (said) => void child.stdin.write(said),
    onBytes: (listener) => void listeners.push(listener),
    stall: () => void child.kill('SIGSTOP'),
    async vanish() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
