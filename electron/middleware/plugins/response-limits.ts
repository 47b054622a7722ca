import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Route } from '#shared/wire/routes.ts'
import { readingAtMost, TooMuchToRead } from '../data/engine/reading-limit.ts'
import { Refusal } from '../services/refusal.ts'
import { betweenSteps } from '../services/turns.ts'
import { jsonOf } from './validation.ts'

export interface ResponseLimits {
  /**
   * Maximum characters of the JSON of one response, not counting escape sequences. A change may return twice as much.
   */
  readonly mostCharacters: number
}

export const usualResponseLimits: ResponseLimits = { mostCharacters: 32 * 1024 * 1024 }

/** Milliseconds of work on one list after which other calls have their turns. */
const stepMs = 10

/**
 * Refuses responses that are too large before they are serialized, because schemas copy them and V8 has no string of
 * more than half a gigabyte.
 */
export function limitResponses(app: FastifyInstance, limits: ResponseLimits): void {
  app.addHook('preSerialization', ({ method }, _reply, payload, done) => {
    const isRead = method === 'GET' || method === 'HEAD'
    if (sizeLeft(payload, isRead ? limits.mostCharacters : mostOfChange(limits)) >= 0) done(null, payload)
    else done(isRead ? tooLarge() : changedButTooLarge())
  })
}

function mostOfChange({ mostCharacters }: ResponseLimits): number {
  return 2 * mostCharacters
}

/** Runs calls with a limit on what they read. The limit follows from the maximum size of a response. */
export class LimitedReader {
  readonly #limits: ResponseLimits

  constructor(limits: ResponseLimits) {
    this.#limits = limits
  }

  /** Refused with 400 if the call reads far more rows than a response may contain. */
  async run(read: () => Promise<void>): Promise<void> {
    try {
      // factor 2, because rows have columns that no response shows
      await readingAtMost(2 * this.#limits.mostCharacters, read)
    } catch (error) {
      throw error instanceof TooMuchToRead ? tooLarge() : error
    }
  }

  /**
   * Runs a change and reads its response. Refused with 400 if it reads far more rows than the response may contain:
   * within the transaction, which then changes nothing, or after it.
   */
  async change(work: () => Promise<void>): Promise<void> {
    try {
      await readingAtMost(2 * mostOfChange(this.#limits), work)
    } catch (error) {
      if (!(error instanceof TooMuchToRead)) throw error
      throw error.isAfterCommit ? changedButTooLarge() : readsTooMuch()
    }
  }

  /**
   * Returns the JSON of a list in UTF-8, which a socket sends several times as fast as a string. Refused with 400 if it
   * is too large. Other calls have their turns between the steps, because a list of 32 MB takes more than a second.
   */
  async listAsJson({ method, path, response }: Route<string>, items: readonly unknown[]): Promise<Buffer> {
    if (!(response instanceof z.ZodArray)) throw new TypeError(`${method} ${path} returns no list`)
    const parts: string[] = []
    let left = this.#limits.mostCharacters
    let begunAt = performance.now()
    for (const item of items) {
      const text = jsonOf(response.element as z.ZodType, item, { method, path })
      left -= text.length + 1
      if (left < 0) throw tooLarge()
      parts.push(text)
      if (performance.now() - begunAt < stepMs) continue
      await betweenSteps()
      begunAt = performance.now()
    }
    return Buffer.from(`[${parts.join(',')}]`)
  }

  /**
   * Returns the first records of `keys` that fit in one response, in their order. The next call returns the rest. The
   * first record is always included; if it is too large alone, `shorten` replaces it. Call only within `run`.
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
}

/** Returns null if the work reads more than the call may. */
async function readIfWithin<Item>(read: () => Promise<Item>): Promise<Item | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TooMuchToRead) return null
    throw error
  }
}

function tooLarge(): Refusal {
  return new Refusal('invalid', 'The response would be too large. Request fewer records with limit.')
}

function changedButTooLarge(): Refusal {
  return new Refusal('invalid', 'The change was made, but the response would be too large.')
}

function readsTooMuch(): Refusal {
  return new Refusal(
    'invalid',
    'This change would read more data than one call may read. Nothing was changed.',
  )
}

/**
 * Returns the size that is left after the JSON of a value, approximately. Negative: the value is larger than the size,
 * and its rest was not measured.
 */
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
