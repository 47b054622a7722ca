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

/** Short waits everywhere: a test waits for a state, never for a time. */
export const quickOptions = {
  timeouts: { connectMs: 500, headersMs: 400, idleMs: 400, totalMs: 2_000 },
  index: { pageLength: 50, everyMs: 60_000, offlineEveryMs: 100 },
  // Only tests of the thread start a thread for each desk.
  catalogue: { fills: false },
  quietMs: 300,
  closeMs: 2_000,
} as const satisfies Partial<DeskOptions>

/** Desks over one temporary folder. `dispose` closes the open ones and removes the folder. */
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
    await desk.start()
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

/** Waits until the probe returns a value. A state that never occurs ends in the timeout of the test. */
export async function eventually<T>(probe: () => T | null | undefined | false): Promise<T> {
  for (;;) {
    const value = probe()
    if (value !== null && value !== undefined && value !== false) return value
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
