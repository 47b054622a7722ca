import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Route } from '#shared/wire/routes.ts'
import { readingAtMost, TooMuchToRead } from '../data/engine/reading-limit.ts'
import { Refusal } from '../services/refusal.ts'
import { betweenSteps } from '../services/turns.ts'
import { jsonOf } from './validation.ts'

export interface ResponseLimits {
  /**
   * Maximum characters of the JSON of one response, without escape characters. The response to a change may have twice
   * as many.
   */
  readonly mostCharacters: number
}

export const usualResponseLimits: ResponseLimits = { mostCharacters: 32 * 1024 * 1024 }

/** Milliseconds of work on one list after which other calls may run. */
const stepMs = 10

/**
 * Checks the size of a response before its serialization, and refuses a response that is too large: serialization
 * copies the response, and V8 allows no string of more than half a gigabyte.
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

/** Runs calls with a limit on the data that they read. The limit follows from the maximum size of a response. */
export class LimitedReader {
  readonly #limits: ResponseLimits

  constructor(limits: ResponseLimits) {
    this.#limits = limits
  }

  /**
   * Runs a call that reads. Refuses it with 400 if all rows that it reads together are larger than twice the maximum
   * response.
   */
  async run(read: () => Promise<void>): Promise<void> {
    try {
      // the reading limit is twice the size of a response, because rows have columns that no response shows
      await readingAtMost(2 * this.#limits.mostCharacters, read)
    } catch (error) {
      throw error instanceof TooMuchToRead ? tooLarge() : error
    }
  }

  /**
   * Runs a change and reads its response. Refuses the call with 400 if all rows that it reads together are larger than
   * twice the maximum response to a change. If the call exceeds this limit within the transaction, nothing is changed;
   * if it exceeds the limit after the transaction, the change is kept.
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
   * Returns the JSON of a list as UTF-8 bytes, which a socket sends several times as fast as a string. Refuses the call
   * with 400 if the JSON is too large. Serializes and encodes in steps, between which other calls run, because a list
   * of 32 MB takes more than a second.
   */
  async listAsJson({ method, path, response }: Route<string>, items: readonly unknown[]): Promise<Buffer> {
    if (!(response instanceof z.ZodArray)) throw new TypeError(`${method} ${path} returns no list`)
    const parts: Buffer[] = []
    let left = this.#limits.mostCharacters
    const step = createSteps()
    for (const item of items) {
      const text = jsonOf(response.element as z.ZodType, item, { method, path })
      left -= text.length + 1
      if (left < 0) throw tooLarge()
      parts.push(Buffer.from(`${parts.length === 0 ? '[' : ','}${text}`))
      await step()
    }
    parts.push(Buffer.from(parts.length === 0 ? '[]' : ']'))
    return Buffer.concat(parts)
  }

  /**
   * Returns the first records of `keys`, in their order and as many as fit in one response. The client requests the
   * other records with its next call. The first record is always included; if it alone is too large, `shorten` replaces
   * it. Other calls run between the reads. Call this only within `run`, and not inside a transaction.
   */
  async fill<Key, Item>(
    keys: readonly Key[],
    read: (key: Key) => Promise<Item>,
    shorten: (key: Key) => Item,
  ): Promise<Item[]> {
    const items: Item[] = []
    let left = this.#limits.mostCharacters - 2
    const step = createSteps()
    for (const key of keys) {
      await step()
      const item = await readIfWithin(() => read(key))
      left = item === null ? -1 : sizeLeft(item, left - 1)
      if (item !== null && left >= 0) items.push(item)
      else if (items.length > 0) break
      else return [shorten(key)]
    }
    return items
  }
}

/**
 * Returns a function that lets other calls run, but only if at least `stepMs` have passed since it last let them run,
 * or since the function was created.
 */
function createSteps(): () => Promise<void> {
  let begunAt = performance.now()
  return async () => {
    if (performance.now() - begunAt < stepMs) return
    await betweenSteps()
    begunAt = performance.now()
  }
}

/** Returns the result of a read. Null: the read exceeds the number of bytes that the call may read. */
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
 * Returns approximately how many of `size` characters are left after the JSON of a value. Negative: the value is larger
 * than `size`, and only a part of it was measured.
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
