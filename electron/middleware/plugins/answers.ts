import type { FastifyInstance } from 'fastify'
import { readingAtMost, TooMuchToRead } from '../data/engine/reading-limit.ts'
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

/** Runs GET calls, a few at the same time and in their order. */
export class ReadTurns {
  readonly #limits: AnswerLimits
  readonly #waiting: (() => void)[] = []
  #underWay = 0

  constructor(limits: AnswerLimits) {
    this.#limits = limits
  }

  /** Refused with 400 where it reads far more rows than an answer may hold. */
  async run(read: () => Promise<void>): Promise<void> {
    if (this.#underWay < this.#limits.readsAtOnce) this.#underWay++
    // the turn is handed over, so that a call that arrives in between does not overtake
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      // rows have columns that no answer shows
      await readingAtMost(2 * this.#limits.mostCharacters, read)
    } catch (error) {
      throw error instanceof TooMuchToRead ? tooLarge() : error
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#underWay--
    }
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
