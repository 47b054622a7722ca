import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Desk } from '#desk/desk.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { createLogger } from '#kit/logger.ts'
import { embeddedBaseUrl, type Scope } from '#shared/domain/scope.ts'
import { composeDesk, type DeskOptions } from '../../electron/compose-desk.ts'

export function memorySecrets(kept = new Map<string, string>(), protects = true): SecretsPort {
  return {
    canProtect: () => Promise.resolve(protects),
    read: (key) => Promise.resolve(kept.get(key) ?? null),
    write: (key, value) => Promise.resolve(void kept.set(key, value)),
    remove: (key) => Promise.resolve(void kept.delete(key)),
  }
}

export const benchScope: Scope = { baseUrl: embeddedBaseUrl, wmsCode: 'DEV', customerCode: 'ALDER' }

/**
 * Options with short time limits, so that a test of a failure is fast. A test waits for a state of the desk and never
 * for a fixed time.
 */
export const quickOptions = {
  timeouts: { connectMs: 500, headersMs: 400, idleMs: 400, totalMs: 2_000 },
  index: { pageLength: 50, everyMs: 60_000, offlineEveryMs: 100 },
  // The catalogue is not filled, except in the tests of the thread that fills it.
  catalogue: { fills: false },
  quietMs: 300,
  closeMs: 2_000,
} as const satisfies Partial<DeskOptions>

/** Desks with one temporary data folder. `dispose` closes the open desks and removes the folder. */
export class DeskBench {
  readonly dataDir: string
  readonly secrets = new Map<string, string>()
  readonly log: string[] = []
  #open: Desk[] = []

  private constructor(dataDir: string) {
    this.dataDir = dataDir
  }

  static async create(): Promise<DeskBench> {
    return new DeskBench(await mkdtemp(join(tmpdir(), 'scandesk-desk-')))
  }

  get printFolder(): string {
    return join(this.dataDir, 'paper')
  }

  async open(url: () => string | null, options: Partial<DeskOptions> = {}): Promise<Desk> {
    const desk = await composeDesk({
      dataDir: this.dataDir,
      scope: benchScope,
      embedded: url,
      secrets: memorySecrets(this.secrets),
      printers: createPrinterBoard([createFolderPrinter('folder', this.printFolder)]),
      logger: createLogger('test', {
        level: 'debug',
        destination: { write: (line) => void this.log.push(line) },
      }),
      ...quickOptions,
      ...options,
    })
    this.#open.push(desk)
    try {
      await desk.start()
    } catch (error) {
      // as DeskHost does
      await this.close(desk)
      throw error
    }
    return desk
  }

  async close(desk: Desk): Promise<void> {
    this.#open = this.#open.filter((one) => one !== desk)
    await desk.close()
  }

  async dispose(): Promise<void> {
    for (const desk of this.#open.splice(0)) await desk.close()
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

/**
 * Logs `sam` in at the scripted service. Repeats a login that fails with `network.offline` or `network.timeout`,
 * because a busy machine may exceed the short time limits of `quickOptions`. Throws the error code of any other
 * failure; after 30 seconds also throws these two codes.
 */
export async function logIn(desk: Desk): Promise<void> {
  const end = performance.now() + 30_000
  for (;;) {
    const login = await desk.session.login({ username: 'sam', password: 'right' })
    if (login.ok) return
    const isSlow = ['network.timeout', 'network.offline'].includes(login.error.code)
    if (!isSlow || performance.now() > end) throw new Error(login.error.code)
  }
}

/**
 * Maximum milliseconds of a wait: more than any expected state needs, even on a busy machine. It has an effect only
 * with full counts (SCANDESK_LONG=1), because the default time limit of a test is shorter.
 */
const longestWaitMs = 5 * 60_000

/**
 * Waits until `probe` returns a value. Throws after 5 minutes with the text of `describe`, which describes the state at
 * that time. Without this limit, a test of a long run (SCANDESK_LONG=1) would wait for an hour, and its failure would
 * not show the cause.
 */
export async function eventually<T>(
  probe: () => T | null | undefined | false,
  describe: () => string = () => probe.toString(),
): Promise<T> {
  const end = performance.now() + longestWaitMs
  for (;;) {
    const value = probe()
    if (value !== null && value !== undefined && value !== false) return value
    if (performance.now() > end) throw new Error(`This state did not occur in 5 minutes: ${describe()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
