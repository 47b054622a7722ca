import { labelIdOf } from '#support/ids.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { count, seed } from '#support/counts.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { ScriptedService } from '#support/scripted-service.ts'

const childFile = (name: string): string => join(import.meta.dirname, `../support/${name}.ts`)

/**
 * Returns a function that returns pseudo-random numbers from 0 to below 1, computed from the seed `state` (mulberry32).
 */
function randomFrom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Runs a desk in a child process and kills it some time after it was ready. Returns the lines in which the desk
 * confirmed work until then.
 */
async function liveAndDie(
  child: string,
  dataDir: string,
  url: string,
  shipmentIds: readonly string[],
  dieAfterMs: number,
): Promise<string[]> {
  const running = spawn(process.execPath, [childFile(child), dataDir, url, shipmentIds.join(',')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Waits until the process is reaped, because its id counts as a running process until then.
  const gone = once(running, 'exit')
  const promises: string[] = []
  for await (const line of createInterface({ input: running.stdout })) {
    if (line === 'ready') setTimeout(() => running.kill('SIGKILL'), dieAfterMs)
    else promises.push(line)
  }
  // A process that crashed or ended before the kill proves nothing.
  expect(await gone).toEqual([null, 'SIGKILL'])
  return promises
}

/** Waits until the desk has completed all its work. Fails if the desk asks the operator a question. */
async function finish(desk: Desk): Promise<void> {
  await logIn(desk)
  await eventually(
    () => {
      const { unsent } = desk.status()
      expect(unsent.asking).toBe(0)
      return (
        unsent.waiting === 0 &&
        desk.returnLabel.recent().every((label) => label.stored || label.request !== 'done')
      )
    },
    () => JSON.stringify({ status: desk.status(), labels: desk.returnLabel.recent() }),
  )
}

it(
  'a desk loses no label and creates none twice after kills at random moments',
  { timeout: 3_600_000 },
  async () => {
    const random = randomFrom(seed)
    let kept = 0
    for (let life = 0; life < count(4, 150); life++) {
      const bench = await DeskBench.create()
      const service = new ScriptedService()
      service.shipments.push(...Array.from({ length: 9 }, (_, index) => scriptedShipment(index + 4)))
      service.delayMs = 5 + Math.floor(random() * 20)
      await service.start()
      try {
        const ids = service.shipments.map((shipment) => shipment.id)
        const promised = await liveAndDie(
          'desk-child',
          bench.dataDir,
          service.url,
          ids,
          Math.floor(random() * 600),
        )

        const desk = await bench.open(() => service.url)
        expect(desk.status().waitingWrites.filter((write) => write.state === 'sending')).toEqual([])
        const labels = desk.returnLabel.recent()
        const scans = desk.scan.recent()
        for (const line of promised) {
          kept++
          const [what, id] = line.split(' ')
          if (what === 'made') expect(labels.map((label) => label.id)).toContain(id)
          else expect(scans.map((scan) => scan.scanId)).toContain(id)
        }

        await finish(desk)
        expect(service.labels).toHaveLength(labels.length)
        for (const label of desk.returnLabel.recent()) {
          expect(label).toMatchObject({ create: 'done', request: 'done', stored: true })
          expect(service.labelsOf(label.shipmentId ?? '')).toHaveLength(1)
        }
        const papers = await eventually(() => {
          const states = desk.returnLabel.recent().map((label) => label.print?.state)
          return (
            states.every((state) => state === 'confirmed' || state === 'unknown') &&
            readdir(bench.printFolder)
          )
        })
        expect(papers.length).toBeLessThanOrEqual(labels.length)
      } finally {
        await bench.dispose()
        await service.stop()
      }
    }
    expect(kept).toBeGreaterThan(0)
  },
)

/**
 * Returns the work that the desk confirmed before it was killed. For each label id: a map whose keys are the confirmed
 * kinds of work and whose values are the typed cities.
 */
function readPromises(lines: readonly string[]): Map<string, Map<string, string>> {
  const promises = new Map<string, Map<string, string>>()
  for (const line of lines) {
    const [what = '', id = '', city = ''] = line.split(' ')
    promises.set(id, (promises.get(id) ?? new Map<string, string>()).set(what, city))
  }
  return promises
}

it(
  'a desk keeps every change, request and cancellation after kills at random moments',
  { timeout: 3_600_000 },
  async () => {
    const random = randomFrom(seed + 1)
    let kept = 0
    for (let life = 0; life < count(4, 150); life++) {
      const bench = await DeskBench.create()
      const service = new ScriptedService()
      service.shipments.push(...Array.from({ length: 9 }, (_, index) => scriptedShipment(index + 4)))
      service.delayMs = 2 + Math.floor(random() * 10)
      await service.start()
      try {
        const ids = service.shipments.map((shipment) => shipment.id)
        const dieAfterMs = Math.floor(random() * 900)
        const lines = await liveAndDie('desk-changes-child', bench.dataDir, service.url, ids, dieAfterMs)
        const desk = await bench.open(() => service.url, { quietMs: 100 })
        await finish(desk)
        const views = new Map(desk.returnLabel.recent().map((view) => [view.id, view]))
        for (const [id, promised] of readPromises(lines)) {
          kept++
          const view = views.get(labelIdOf(id))
          const label = service.labels.find(({ wire }) => wire.id === view?.serverId)
          if (promised.has('cancelled')) expect(view).toMatchObject({ cancelled: true })
          if (promised.has('requested')) expect(view).toMatchObject({ requested: true })
          // If the desk was killed while it printed, the outcome of the print is unknown, and the label shows this as a
          // failure.
          if (view?.print?.state !== 'unknown') expect(view?.failure).toBeNull()
          expect(label?.requests ?? 0).toBe(view?.requested ? 1 : 0)
          if (label) expect(label.isCancelled).toBe(view?.cancelled)
          if (label && promised.has('patched') && !label.isCancelled)
            expect(label.wire.sender_address?.city).toBe(promised.get('patched'))
        }
        const claimed = [...views.values()].flatMap((view) => view.serverId ?? [])
        expect(service.labels.map(({ wire }) => wire.id).sort()).toEqual(claimed.sort())
      } finally {
        await bench.dispose()
        await service.stop()
      }
    }
    expect(kept).toBeGreaterThan(0)
  },
)
