import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCode, firstLine, type Invitation, spawnCli } from './middleware-children.ts'

/** A real middleware with demo data that can die and come back at the same address with what it had. */
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

  /** Without a word to those who wait for an answer. */
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
