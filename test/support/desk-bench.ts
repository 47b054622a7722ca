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

/** Short waits everywhere: what a test waits for is a state, never a time. */
export const quickOptions = {
  timeouts: { connectMs: 500, headersMs: 400, idleMs: 400, totalMs: 2_000 },
  index: { pageLength: 50, everyMs: 60_000, offlineEveryMs: 100 },
  // a thread for each desk is for the tests that look at it
  catalogue: { fills: false },
  quietMs: 300,
  closeMs: 2_000,
} as const satisfies Partial<DeskOptions>

/** Desks over one temporary folder; `dispose` closes what is open and removes it. */
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

/** Waits until the probe gives something; a state that never comes ends in the test's own time limit. */
export async function eventually<T>(probe: () => T | null | undefined | false): Promise<T> {
  for (;;) {
    const value = probe()
    if (value !== null && value !== undefined && value !== false) return value
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
