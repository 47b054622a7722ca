import type { Desk } from '#desk/desk.ts'
import { anySender } from '#support/label-wishes.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'
import type { WatchedService } from './watched-service.ts'

/** The writes that a desk acknowledged to its operator. Each must be at the service exactly once. */
export class Promises {
  readonly #labels: string[] = []
  readonly #notes: string[] = []
  readonly #say: (name: string) => void

  /** Reports each acknowledgement at once: `OUT-…` for a label, `out …` for a booking. */
  constructor(say: (name: string) => void = () => undefined) {
    this.#say = say
  }

  /** Adds the acknowledgement of a desk in another process. */
  heard(name: string): void {
    if (name.startsWith('OUT-')) this.#labels.push(name)
    else this.#notes.push(name)
  }

  /** Makes a label with a unique reference, scans an unknown code, and books an article with a unique note. */
  async work(desk: Desk): Promise<void> {
    const name = crypto.randomUUID().slice(-12).toUpperCase()
    const made = await desk.returnLabel.make({
      mode: {
        by: 'hand',
        shippingMethodId: smallIds.standard,
        sender: anySender,
        externalReference: `OUT-${name}`,
      },
      request: true,
      seen: null,
    })
    if (!made.ok) throw new Error(`a label was refused: ${made.error.code}`)
    this.#promise(`OUT-${name}`)
    await desk.scan.submit({ raw: `unknown ${name}`, expect: 'anything' })
    desk.modification.change({ kind: 'clear' })
    desk.modification.change({ kind: 'location', locationId: smallGoods.shelf })
    desk.modification.change({ kind: 'reason', reason: 'CORRECTION' })
    desk.modification.change({ kind: 'note', note: `out ${name}` })
    const added = desk.modification.change({ kind: 'add', variantId: smallIds.variant })
    if (!added.ok) throw new Error(`an article was refused: ${added.error.code}`)
    // The quantity differs from the previous booking, because equal bookings within minutes lead to a question.
    const quantity = (this.#notes.length % 9_000) + 1
    desk.modification.change({ kind: 'quantity', variantId: smallIds.variant, quantity })
    const booked = desk.modification.book()
    if (!booked.ok) throw new Error(`a booking was refused: ${booked.error.code}`)
    this.#promise(`out ${name}`)
  }

  #promise(name: string): void {
    this.heard(name)
    this.#say(name)
  }

  get count(): number {
    return this.#labels.length + this.#notes.length
  }

  /** Compares the records of the service with the acknowledgements. */
  judge(service: WatchedService): { lost: number; duplicated: number } {
    const labels = service.labelsByReference()
    const notes = [...service.modificationsByNote()]
    const times = [
      ...this.#labels.map((reference) => labels.get(reference) ?? 0),
      // The desk appends its marker to the operator's note.
      ...this.#notes.map((note) =>
        notes.reduce((sum, [all, times]) => sum + (all.startsWith(note) ? times : 0), 0),
      ),
    ]
    return {
      lost: times.filter((one) => one === 0).length,
      duplicated: times.filter((one) => one > 1).length,
    }
  }
}

/** Time limits for a machine that is busy with other suites, because slow responses are not tested here. */
export const patientTimeouts = { connectMs: 5_000, headersMs: 10_000, idleMs: 10_000, totalMs: 30_000 }

/** Adds the data that a desk needs to work without the service: an article and a location. */
export async function prepare(desk: Desk): Promise<void> {
  await eventually(() => desk.status().index.syncedAt !== null)
  // Repeats the scan, because on a busy machine the response may arrive after the time limit of a scan.
  while ((await desk.scan.submit({ raw: 'A-1', expect: 'stock' })).kind !== 'article') await pause()
  await desk.location.import({ found: [{ id: smallGoods.shelf, code: 'A-01' }], skipped: [] })
}

/**
 * Waits until the queue contains no waiting write. Returns false if there is a question or a refusal, or if writes
 * still wait after `patienceMs`.
 */
export async function settled(desk: Desk, patienceMs = 60_000): Promise<boolean> {
  const end = performance.now() + patienceMs
  for (;;) {
    const { waiting, asking } = desk.status().unsent
    if (asking > 0) return false
    if (waiting === 0) return true
    if (performance.now() > end) return false
    await pause()
  }
}

/** Waits for a state of the desk. Throws if the state does not occur within `patienceMs`. */
export async function eventually(probe: () => boolean, patienceMs = 60_000): Promise<void> {
  const end = performance.now() + patienceMs
  while (!probe()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${probe.toString()}`)
    await pause()
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}
