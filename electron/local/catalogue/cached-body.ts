import type { z } from 'zod'
import { UnusableCache } from '../recent/recent-database.ts'

/** The record a cache keeps as JSON. Throws UnusableCache when it is no longer what was written. */
export function parseBody<T>(schema: z.ZodType<T>, body: string): T {
  try {
    return schema.parse(JSON.parse(body))
  } catch (error) {
    throw new UnusableCache('a row is no longer what was written', { cause: error })
  }
}
