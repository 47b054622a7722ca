import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'

/** Returns the values that a killed desk had stored, by key. Empty if the file does not exist. */
export function readKept(file: string): Map<string, string> {
  if (!existsSync(file)) return new Map()
  return new Map(
    Object.entries(z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8')))),
  )
}
