import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DeskBench } from '#support/desk-bench.ts'
import { type WatchedCall, WatchedService } from './session/watched-service.ts'
import { eventually, Promises } from './session/work.ts'
import type { Suite } from './suite-report.ts'

const mostDesks = 20
const mostKills = 10
const patienceMs = 180_000

/**
 * Starts twenty desks (fewer for a small count) at once on one data folder without the lock of Electron. All desks
 * accept work, but only one desk may send writes. `count` times (at most ten times), the suite kills the desk that sent
 * a write, and another desk must take over.
 */
export const leaseSuite: Suite = async ({ count, seed }) => {
  const kills = Math.min(count ?? mostKills, mostKills)
  const desksAtOnce = Math.min(mostDesks, 4 + 2 * kills)
  const service = await WatchedService.start()
  const bench = await DeskBench.create()
  const promises = new Promises()
  const desks = new Map<string, OtherDesk>()
  const figures = {
    desks: 0,
    killed: 0,
    promises: 0,
    tookOver: 0,
    interleaved: 0,
    overlapping: 0,
    waitedInVain: 0,
  }
  try {
    for (let number = 0; number < desksAtOnce; number++) {
      const door = `desk ${number}`
      desks.set(door, new OtherDesk(bench.dataDir, await service.openDoor(door), promises))
    }
    figures.desks = desks.size
    await Promise.all([...desks.values()].map((desk) => desk.heard('ready')))
    for (const desk of desks.values()) desk.work()
    await Promise.all([...desks.values()].map((desk) => desk.heard('worked')))
    for (let kill = 0; kill < kills; kill++) {
      // A write that a desk sent before its kill may still arrive afterwards.
      const sender = (): string | undefined => writesOf(service).findLast(({ door }) => desks.has(door))?.door
      await eventually(() => sender() !== undefined, patienceMs)
      const door = sender() ?? ''
      await desks.get(door)?.kill()
      desks.delete(door)
      figures.killed++
    }
    const isThere = (): boolean => promises.judge(service).lost === 0
    await eventually(isThere, patienceMs).catch(() => figures.waitedInVain++)
    const writes = writesOf(service)
    const turns = writes
      .filter((write, index) => write.door !== writes[index - 1]?.door)
      .map(({ door }) => door)
    figures.tookOver = turns.length - 1
    figures.interleaved = turns.length - new Set(turns).size
    figures.overlapping = overlaps(writes)
    figures.promises = promises.count
  } finally {
    await Promise.all([...desks.values()].map((desk) => desk.kill()))
    await bench.dispose()
  }
  const { lost, duplicated } = promises.judge(service)
  await service.stop()
  const { interleaved, overlapping, tookOver, waitedInVain } = figures
  const passed = tookOver === kills && interleaved + overlapping + waitedInVain + lost + duplicated === 0
  return { suite: 'lease', passed, figures: { ...figures, lost, duplicated, seed } }
}

function writesOf(service: WatchedService): WatchedCall[] {
  return service.calls.filter(
    ({ method, path }) => method === 'POST' && /return-labels|modifications/.test(path),
  )
}

/** Returns the number of writes that began before an earlier write of another desk had ended. */
function overlaps(writes: readonly WatchedCall[]): number {
  return writes.filter((write, index) =>
    writes
      .slice(0, index)
      .some(
        ({ door, endedTicks }) =>
          door !== write.door && (endedTicks === null || endedTicks > write.begunTicks),
      ),
  ).length
}

class OtherDesk {
  readonly #process: ChildProcess
  readonly #said = new Set<string>()

  constructor(dataDir: string, url: string, promises: Promises) {
    const script = new URL('session/lease-desk.ts', import.meta.url).pathname
    this.#process = spawn(process.execPath, [script, dataDir, url, '2'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    if (this.#process.stdout)
      createInterface(this.#process.stdout).on('line', (line) => {
        if (line.startsWith('promised ')) promises.heard(line.slice('promised '.length))
        else this.#said.add(line.split(' ')[0] ?? '')
      })
  }

  heard(word: string): Promise<void> {
    return eventually(() => this.#said.has(word), patienceMs)
  }

  work(): void {
    this.#process.stdin?.write('work\n')
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }
}
