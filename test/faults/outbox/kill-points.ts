import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { StorePort } from '#desk/ports/store.ts'

/** Steps of the store directly before or after which a desk process may be killed. */
const storeCalls = [
  'outbox.recover',
  'outbox.begin',
  'outbox.complete',
  'outbox.markUnknown',
  'outbox.requeue',
  'outbox.reject',
  'labels.make',
  'labels.change',
  'labels.documentStored',
  'modifications.book',
  'printJobs.move',
] as const

export const storePoints: readonly string[] = storeCalls.flatMap((call) => [
  `${call} before`,
  `${call} after`,
])

/**
 * The points at which a desk may be killed if several desks work: all of `storePoints`, and directly before or after
 * the store saves a question, a decision or a notice.
 */
export const deskPoints: readonly string[] = [
  ...storePoints,
  ...['outbox.ask', 'queue.decide', 'queue.notice'].flatMap((call) => [`${call} before`, `${call} after`]),
]

/**
 * Moments at which a desk may be killed while it writes to the journal. `before`: a line is written but may not be on
 * the disk yet. `after`: the line is on the disk, and desk.db is not committed yet.
 */
export const journalPoints: readonly string[] = ['journal.append before', 'journal.append after']

/**
 * Returns a store that kills its own process at a point: `outbox.begin after 2` is directly after the commit of the
 * second call of `begin`. As with any SIGKILL, no code runs afterwards.
 */
export function dieAt(store: StorePort, point: string): StorePort {
  const { call, around } = readPoint(point)
  const [room = '', method = ''] = call.split('.')
  return room === 'journal' ? store : replaceCall(store, room, method, around)
}

/**
 * Replaces the system call with which the journal forces a line to the disk, because this step is not a function of the
 * store. Must be called before a desk is opened.
 */
export function dieInJournal(point: string): void {
  const { call, around } = readPoint(point)
  if (!call.startsWith('journal.')) return
  fs.fdatasyncSync = around(fs.fdatasyncSync as Call)
  syncBuiltinESMExports()
}

function readPoint(point: string): { call: string; around: (original: Call) => Call } {
  const [call = '', side = '', times = '1'] = point.split(' ')
  let left = Number(times)
  const passes = (at: string): void => {
    if (at === side && --left <= 0) endNow()
  }
  const around =
    (original: Call): Call =>
    (...args) => {
      passes('before')
      const result = original(...args)
      passes('after')
      return result
    }
  return { call, around }
}

function endNow(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal takes effect at the next system call of this thread, so this thread must do nothing else until then.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
}

type Call = (...args: unknown[]) => unknown

/** Returns a copy of the store in which one method of one part is replaced. */
function replaceCall(
  store: StorePort,
  room: string,
  method: string,
  around: (original: Call) => Call,
): StorePort {
  return new Proxy(store, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key)
      if (key !== room || typeof part !== 'object' || part === null) return part
      const original: unknown = Reflect.get(part, method)
      if (typeof original !== 'function') throw new Error(`the store has no ${room}.${method}`)
      const bound: unknown = original.bind(part)
      return { ...part, [method]: around(bound as Call) }
    },
  })
}
