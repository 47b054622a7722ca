import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as tls from 'node:tls'
import { composeDesk } from '#compose-desk'
import type { Desk } from '#desk/desk.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import type { StorePort } from '#desk/ports/store.ts'
import type { Pace } from '#desk/outbox/command-waits.ts'
import { createLogger } from '#kit/logger.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { unreadPages } from '#support/unread-pages.ts'
import type { Order } from './deed.ts'

/** Short waits for a desk, because each process of the desk runs for about a second. */
const quick = {
  index: {
    days: 400,
    mostDays: 400,
    pageLength: 200,
    everyMs: 60_000,
    offlineEveryMs: 200,
    rereadRowsAtStart: 50,
    rereadRows: 0,
  },
  catalogue: { fills: false },
  freshMs: 100,
  askMs: 600,
  closeMs: 2_000,
} as const
const quickPace: Partial<Pace> = { firstRetryMs: 20, slowestRetryMs: 200 }

/** The data folder of a desk and its connection to the service. */
export type Composition = Pick<
  Order,
  | 'dataDir'
  | 'embeddedUrl'
  | 'baseUrl'
  | 'wmsCode'
  | 'customerCode'
  | 'proxy'
  | 'authority'
  | 'headersMs'
  | 'quietMs'
>

export interface ComposedParts {
  readonly wrapStore: (store: StorePort) => StorePort
  /** Called with each fault that the desk logs. */
  readonly onFault: (problem: string) => void
  /** Pauses of the outbox in addition to the short pauses of `quickPace`, or in place of them. */
  readonly pace?: Partial<Pace>
}

/**
 * Opens a desk from the product's own code, with waits that are short enough for a process that runs for about a
 * second.
 */
export function openDesk(given: Composition, { wrapStore, onFault, pace }: ComposedParts): Promise<Desk> {
  const { baseUrl, wmsCode, customerCode, headersMs } = given
  if (given.authority !== null)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), given.authority])
  return composeDesk({
    dataDir: given.dataDir,
    scope: { baseUrl, wmsCode, customerCode },
    embedded: () => given.embeddedUrl,
    proxyOf: () => given.proxy,
    secrets: fileSecrets(given.dataDir),
    printers: createPrinterBoard([
      createFolderPrinter('folder', join(given.dataDir, 'paper'), { look: unreadPages }),
    ]),
    logger: createLogger('desk', { level: 'error', destination: { write: onFault } }),
    timeouts: { connectMs: headersMs, headersMs, idleMs: headersMs, totalMs: headersMs * 4 },
    quietMs: given.quietMs,
    pace: { ...quickPace, ...pace },
    wrapStore,
    ...quick,
  })
}

function fileSecrets(dataDir: string): SecretsPort {
  const fileOf = (key: string): string => join(dataDir, `secret-${key.replaceAll(/\W+/g, '-')}`)
  return {
    canProtect: () => Promise.resolve(true),
    read: (key) => readFile(fileOf(key), 'utf8').catch(() => null),
    async write(key, value) {
      await writeFile(`${fileOf(key)}.new`, value)
      await rename(`${fileOf(key)}.new`, fileOf(key))
    },
    remove: (key) => rm(fileOf(key), { force: true }),
  }
}

/** Repeats the login until the service accepts it, as an operator does each time the desk requires a login. */
export async function logIn(
  desk: Desk,
  { username, password }: Pick<Order, 'username' | 'password'>,
): Promise<void> {
  for (let pauseMs = 20; desk.session.state().state !== 'signed_in'; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    const result = await desk.session.login({ username, password })
    if (!result.ok) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Fills a desk with the data of its first minutes: shipments, articles and locations for bookings. */
export async function fillDesk(
  desk: Desk,
  {
    variants,
    locationIds,
    shipments,
  }: Pick<Order, 'variants' | 'locationIds'> & { readonly shipments: number },
): Promise<void> {
  for (const { code } of variants) await desk.scan.submit({ raw: code, expect: 'stock' })
  for (const id of locationIds) await desk.scan.submit({ raw: `LOC ${id}`, expect: 'stock' })
  while (desk.status().index.shipments < shipments || desk.status().index.syncing)
    await new Promise((resolve) => setTimeout(resolve, 20))
}
