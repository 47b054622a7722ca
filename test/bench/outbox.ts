import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { StorePort } from '#desk/ports/store.ts'
import { openStore } from '#local/open-store.ts'
import { bulkEan, bulkVariant } from '#support/bulk-goods.ts'
import { type BesideRawWrites, besideRawWrites } from './beside-raw-writes.ts'
import { workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import { benchBooking } from './outbox-app.ts'
import { attempt, say } from './progress.ts'
import { commandIdOf } from '#support/ids.ts'
import { scopeKeyOf } from '../support/ids.ts'

const commits = 1_500
const linesOfOne = 3

/**
 * Measures the time until a booking or a scan is stored durably, compared with a raw write to the disk. Then measures a
 * booking in the running app.
 */
export async function benchOutbox(): Promise<void> {
  say(`booking ${commits} modifications and noting ${commits} scans on this disk …`)
  await attempt('commits', async () => {
    await benchStore('commit of a booking (its lines, its command, the journal)', book)
    await benchStore('append of a scan', noteScan)
  })
  await attempt('bookings in the app', benchBooking)
}

async function benchStore(name: string, act: (store: StorePort, turn: number) => void): Promise<void> {
  const dataDir = workFolder('outbox')
  const store = await openStore(dataDir, scopeKeyOf('bench'), () => undefined)
  try {
    print(name, await besideRawWrites(dataDir, commits, (turn) => act(store, turn)))
  } finally {
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function print(name: string, { own, raw, bytes }: BesideRawWrites): void {
  const peer = { name: `write and fdatasync of ${bytes} bytes in the same folder, in turn`, values: raw }
  printFigure({ name, values: own }, peer, { goal: { of: 'p99Ratio', atMost: 3 } })
}

function noteScan(store: StorePort, turn: number): void {
  store.scans.append({ id: randomUUID(), raw: bulkEan(turn + commits), at: Date.now() })
}

function book(store: StorePort, turn: number): void {
  const lines = Array.from({ length: linesOfOne }, (_, index) => {
    const { id, name, article_code: articleCode, ean } = bulkVariant((turn + commits) * linesOfOne + index)
    return { variant: { id, name, articleCode, ean }, quantity: index + 1 }
  })
  store.modifications.book({
    id: randomUUID(),
    reason: 'CORRECTION',
    locationId: randomUUID(),
    lines,
    note: 'Found behind the rack',
    bookedBy: 'bench',
    at: Date.now(),
    command: { id: commandIdOf(randomUUID()), type: 'modification.create' },
  })
}
