/**
 * A desk's store in a process of its own, at work under strace: does deed after deed and says so on stdout once each is
 * durable, copies desk.db halfway, and is killed by itself. Arguments: data folder, number of deeds, `full` or `normal`.
 */
import { writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { openStore } from '#local/open-store.ts'
import { doDeed } from './deeds.ts'

const [dataDir = '', deeds = '', synchronous = ''] = process.argv.slice(2)

/** The control's only difference; and checkpoints come often enough to lie between the deeds. */
const prototype: {
  pragma: (this: Database.Database, source: string, options?: Database.PragmaOptions) => unknown
} = Database.prototype
const { pragma } = prototype
prototype.pragma = function (source, options) {
  const answer =
    source === 'synchronous = FULL' && synchronous === 'normal'
      ? pragma.call(this, 'synchronous = NORMAL', options)
      : pragma.call(this, source, options)
  if (source.startsWith('synchronous =')) pragma.call(this, 'wal_autocheckpoint = 30')
  return answer
}

const store = await openStore(dataDir, 'scope', () => undefined)
writeSync(1, 'ACK 0\n')
for (let deed = 1; deed <= Number(deeds); deed++) {
  await doDeed(store, deed)
  writeSync(1, `ACK ${deed}\n`)
  if (deed % Math.ceil(Number(deeds) / 3) === 0) await store.storage.backUp(2_000_000 + deed)
}
process.kill(process.pid, 'SIGKILL')
