import { serverLabelIdOf } from '#support/ids.ts'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Desk } from '#desk/desk.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createIppPrinter } from '#printing/ipp-printer.ts'
import { createAgents } from '#remote/agents.ts'
import { createApiClient } from '#remote/api-client.ts'
import { standardTimeouts } from '#remote/exchange.ts'
import { readLocationFileInThread } from '../../electron/main/location-file.ts'
import { benchScope, DeskBench } from '#support/desk-bench.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { printFigure } from './figure.ts'
import { attempt, say } from './progress.ts'

const rounds = 7
/**
 * The median of the longest stalls of the rounds must be at most this number of milliseconds. An operator does not
 * notice a shorter stall.
 */
const goal = { of: 'p50', atMost: 100 } as const

type Act = () => Promise<unknown>

/** A hostile input, and a harmless input with which it is compared. */
interface Attack {
  readonly name: string
  readonly peer: string
  /** Prepares the input. Resolves with the action to measure. */
  readonly hostile: () => Promise<Act>
  readonly harmless: () => Promise<Act>
}

/**
 * Measures the longest stall of this thread while hostile input passes through a whole desk. This thread does the work
 * of the main process.
 */
export async function benchStalls(): Promise<void> {
  const service = new Worker(new URL('./hostile-service.ts', import.meta.url))
  const [port] = (await once(service, 'message')) as [number]
  const bench = await DeskBench.create()
  const set = async (answer: string): Promise<void> => {
    service.postMessage(answer)
    await once(service, 'message')
  }
  try {
    const desk = await bench.open(() => `http://127.0.0.1:${port}`, { timeouts: standardTimeouts })
    await desk.session.login({ username: 'sam', password: 'right' })
    for (const attack of attacks(desk, port, set)) await attempt(attack.name, () => measure(attack))
  } finally {
    await bench.dispose()
    await service.terminate()
  }
}

function attacks(desk: Desk, port: number, set: (answer: string) => Promise<void>): Attack[] {
  const agents = createAgents()
  const api = createApiClient({
    ...{ scope: benchScope, embedded: () => `http://127.0.0.1:${port}`, agents },
    ...{ timeouts: standardTimeouts, documentHosts: [] },
  })
  const { id } = scriptedShipment(1)
  const printer = createIppPrinter({
    ...{
      name: 'p',
      uri: `ipp://127.0.0.1:${port}/ipp/print`,
      media: { widthMm: 100, heightMm: 150 },
      dpi: 203,
    },
  })
  const acts = {
    label: () => desk.returnLabel.open({ serverId: serverLabelIdOf(id) }),
    list: () => api.listShipments('t', { page: 1, limit: 200 }),
    scan: () => desk.scan.submit({ raw: '8712345678906', expect: 'anything' }),
    printer: () => printer.status(),
  }
  const answered = (answer: string, kind: keyof typeof acts, harmless: string): Attack => ({
    name: `${kind}: ${answer}`,
    peer: `${kind}: ${harmless}`,
    hostile: async () => {
      await set(answer)
      return acts[kind]
    },
    harmless: async () => {
      await set(harmless)
      return acts[kind]
    },
  })
  const file =
    (text: string): Act =>
    async () => {
      const read = await readLocationFileInThread(text)
      return read.kind === 'table' ? desk.location.import(read.table) : read
    }
  const folder = createFolderPrinter('folder', join(tmpdir(), 'scandesk-bench-no-folder'))
  const print =
    (externalReference: string): Act =>
    () =>
      folder.lookFor([{ jobId: id, externalReference, createdAt: 0, isReprint: false }])
  const row = `A-1;${id}\n`
  return [
    answered('label with a reference of 1 MB', 'label', 'label'),
    answered('label with a reference of 2000 dashes', 'label', 'label'),
    answered('label with 600,000 wrong parcels', 'label', 'label'),
    answered('label with 5000 wrong parcels', 'label', 'label'),
    ...(['list', 'scan'] as const).flatMap((kind) => [
      answered('9 million rows as gzip', kind, 'list'),
      answered('600,000 rows', kind, 'list'),
      answered('1200 wrong rows', kind, 'list'),
      answered('1 million nested lists', kind, 'list'),
      answered('600,000 nested lists', kind, 'list'),
      answered('a body of 32 MB', kind, 'list'),
      answered('a body of 5 MB', kind, 'list'),
    ]),
    ...[
      'one row of 250,000 names',
      '1000 rows of 100 shuffled names',
      '150 rows of 600 wrong lines',
      '20 rows of 1000 lines with a wrong variant',
      'one row of which every tenth of 4000 lines is wrong',
      'a number of 5 million digits',
    ].map((answer) => answered(answer, 'list', 'list')),
    ...[
      '200 shipments of 800 serial numbers',
      'a shipment of 5000 serial numbers',
      '200 shipments of 240 orders',
      // The desk reads lists of shipments when an unknown code is scanned, and stores their rows in recent.db.
    ].map((answer) => answered(answer, 'scan', 'list')),
    answered('a printer that says 2 MB', 'printer', 'printer'),
    answered('a printer that says 1 MB', 'printer', 'printer'),
    answered('a printer that says 19,000 values', 'printer', 'printer'),
    {
      ...{ name: 'a location file of 4 MB of commas', peer: 'a location file of one line' },
      hostile: () => Promise.resolve(file(','.repeat(3_900_000))),
      harmless: () => Promise.resolve(file(row)),
    },
    {
      ...{ name: 'a location file of 4 MB of lines', peer: 'a location file of one line' },
      hostile: () => Promise.resolve(file('A;B;C;D\n'.repeat(490_000))),
      harmless: () => Promise.resolve(file(row)),
    },
    {
      ...{ name: 'a printed label with a reference of 1 MB', peer: 'a printed label' },
      hostile: () => Promise.resolve(print(`x${'-'.repeat(1_000_000)}x`)),
      harmless: () => Promise.resolve(print('WEB-1')),
    },
    {
      ...{ name: 'a scan of 1 MB', peer: 'a scan of 13 digits' },
      hostile: async () => {
        await set('nothing')
        return () => desk.scan.submit({ raw: `]C1${'10A\u001D'.repeat(250_000)}`, expect: 'anything' })
      },
      harmless: () => Promise.resolve(() => desk.scan.submit({ raw: '8712345678906', expect: 'anything' })),
    },
  ]
}

async function measure({ name, peer, hostile, harmless }: Attack): Promise<void> {
  say(name)
  const [own, other] = [await stallsOf(hostile), await stallsOf(harmless)]
  printFigure(
    { name: `longest stall, ${name}`, values: own },
    { name: `longest stall, ${peer}`, values: other },
    { goal },
  )
}

/** Returns the longest stall of each round in milliseconds. The preparation is not measured. */
async function stallsOf(prepare: () => Promise<Act>): Promise<number[]> {
  const stalls: number[] = []
  for (let round = -1; round < rounds; round++) {
    const act = await prepare()
    await sleep(20)
    const stall = await stallOf(act)
    // The first round is not counted, because the engine compiles the code during this round.
    if (round >= 0) stalls.push(stall)
  }
  return stalls
}

/**
 * Returns the longest time, in milliseconds, for which a timer with an interval of 1 ms did not run on this thread
 * during the action.
 */
async function stallOf(act: Act): Promise<number> {
  let longest = 0
  let last = performance.now()
  const tick = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(tick, 1)
  try {
    await act()
    await sleep(20)
    tick()
  } finally {
    clearInterval(timer)
  }
  return longest
}
