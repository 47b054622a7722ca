import type { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { readingAtMost, TooMuchToRead } from '../data/engine/reading-limit.ts'
import { FairQueue } from '../services/fair-queue.ts'
import { Refusal } from '../services/refusal.ts'

export interface AnswerLimits {
  /** Of the JSON of one answer, without what escapes add; changes may answer with twice as much. */
  readonly mostCharacters: number
  /** GET calls that are worked on at the same time; the others wait, and hold no rows meanwhile. */
  readonly readsAtOnce: number
}

export const usualAnswerLimits: AnswerLimits = { mostCharacters: 32 * 1024 * 1024, readsAtOnce: 2 }

/**
 * Refuses answers that are too large before they are serialized: schemas copy them, and the engine has no text of more than
 * half a gigabyte.
 */
export function limitAnswers(app: FastifyInstance, { mostCharacters }: AnswerLimits): void {
  app.addHook('preSerialization', ({ method }, _reply, payload, done) => {
    const isRead = method === 'GET' || method === 'HEAD'
    if (sizeLeft(payload, isRead ? mostCharacters : 2 * mostCharacters) >= 0) done(null, payload)
    else
      done(
        isRead ? tooLarge() : new Refusal('invalid', 'This was changed, but the answer would be too large.'),
      )
  })
}

/** A call that waits for its turn to read. */
interface Reader {
  /** Calls of one owner wait behind each other and not before those of others: the customer's id. */
  readonly owner: string
  /** Closes when it was sent or its client has left. */
  readonly response: Pick<Writable, 'closed' | 'once' | 'off'>
}

/** How long new connections are taken before a read, in milliseconds: several hundred, unless the server is at work on others. */
const usualLookMs = 20

/** Runs GET calls, a few at the same time: those of each owner in their order, the owners in turn. */
export class ReadTurns {
  readonly #limits: AnswerLimits
  readonly #waiting = new FairQueue<() => void>()
  #underWay = 0
  readonly #lookMs: number
  #arrivals = 0

  constructor(limits: AnswerLimits, lookMs = usualLookMs) {
    this.#limits = limits
    this.#lookMs = lookMs
  }

  /**
   * Refused with 400 where it reads far more rows than an answer may hold. False: the client left before the call had its
   * turn, and nothing was read.
   */
  async run(reader: Reader, read: () => Promise<void>): Promise<boolean> {
    if (hasLeft(reader)) return false
    if (this.#underWay < this.#limits.readsAtOnce) this.#underWay++
    // the turn is handed over, so that a call that arrives in between does not overtake
    else if (!(await this.#waitForTurn(reader))) return false
    try {
      await this.#lookAround()
      if (hasLeft(reader)) return false
      // rows have columns that no answer shows
      await readingAtMost(2 * this.#limits.mostCharacters, read)
      return true
    } catch (error) {
      throw error instanceof TooMuchToRead ? tooLarge() : error
    } finally {
      const next = this.#waiting.take()
      if (next) next()
      else this.#underWay--
    }
  }

  /** A client has connected. */
  readonly arrived = (): void => {
    this.#arrivals++
  }

  /**
   * Lets the loop see who left and who came: the engine returns rows without a pause, and the loop takes one new connection a
   * round. Otherwise each of those that wait to be taken, whose clients may have left long ago, would wait for a read.
   */
  async #lookAround(): Promise<void> {
    const until = performance.now() + this.#lookMs
    for (let before = -1; before !== this.#arrivals && performance.now() < until;) {
      before = this.#arrivals
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /**
   * The records of `keys` that fit one answer together, in their order; the rest is left for the next call. The first is
   * always among them: one that does not fit alone comes as `shorten` makes it. Only within `run`.
   */
  async fill<Key, Item>(
    keys: readonly Key[],
    read: (key: Key) => Promise<Item>,
    shorten: (key: Key) => Item,
  ): Promise<Item[]> {
    const items: Item[] = []
    let left = this.#limits.mostCharacters - 2
    for (const key of keys) {
      const item = await readIfWithin(() => read(key))
      left = item === null ? -1 : sizeLeft(item, left - 1)
      if (item !== null && left >= 0) items.push(item)
      else if (items.length > 0) break
      else return [shorten(key)]
    }
    return items
  }

  async #waitForTurn({ owner, response }: Reader): Promise<boolean> {
    const turn = Promise.withResolvers<boolean>()
    const go = (): void => {
      turn.resolve(true)
    }
    const leave = (): void => {
      this.#waiting.remove(owner, go)
      turn.resolve(false)
    }
    this.#waiting.add(owner, go)
    response.once('close', leave)
    const hasTurn = await turn.promise
    response.off('close', leave)
    return hasTurn
  }
}

function hasLeft({ response }: Reader): boolean {
  return response.closed
}

/** Null: it reads more than the call may. */
async function readIfWithin<Item>(read: () => Promise<Item>): Promise<Item | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TooMuchToRead) return null
    throw error
  }
}

function tooLarge(): Refusal {
  return new Refusal('invalid', 'The answer would be too large. Ask for fewer records by limit.')
}

/** What is left of a size after the JSON of a value, roughly; below zero: the value is larger, by what is not looked at. */
function sizeLeft(value: unknown, size: number): number {
  if (typeof value === 'string') return size - value.length - 2
  if (typeof value !== 'object' || value === null) return size - 8
  let left = size - 2
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = sizeLeft(value[at], left - 1)
    return left
  }
  for (const [name, field] of Object.entries(value)) {
    left = sizeLeft(field, left - name.length - 4)
    if (left < 0) return left
  }
  return left
}
