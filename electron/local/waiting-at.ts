import type { Database } from 'better-sqlite3'
import { createCommandReads } from './outbox/command-reads.ts'
import { createPrintJobStore } from './labels/print-job-store.ts'
import { guard } from './sqlite-failure.ts'

/** Counts what waits under a scope, also one that no desk is open at. */
export function createWaitingAt(database: Database): (scope: string) => number {
  return guard((scope) => {
    const commands = createCommandReads(database, scope).unsettledHeads()
    return commands.length + createPrintJobStore(database, scope).open().length
  })
}
