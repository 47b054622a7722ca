/**
 * The store of a desk in its own process, which the suite `power-loss` runs under strace. Performs one action after the
 * other. Writes the number of each action to stdout once the effect of the action is durable. Makes a backup of desk.db
 * after each third of the actions, and kills itself at the end. Arguments: data folder, number of actions, `full` or
 * `normal`.
 */
import { writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { openStore } from '#local/open-store.ts'
import { doDeed } from './deeds.ts'
import { scopeKeyOf } from '../../support/ids.ts'

const [dataDir = '', deeds = '', synchronous = ''] = process.argv.slice(2)

/**
 * The control (`normal`) differs from the run `full` only in synchronous=NORMAL. In both runs, checkpoints are so
 * frequent that they happen between the actions.
 */
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

const store = await openStore(dataDir, scopeKeyOf('scope'), () => undefined)
writeSync(1, 'ACK 0\n')
for (let deed = 1; deed <= Number(deeds); deed++) {
  await doDeed(store, deed)
  writeSync(1, `ACK ${deed}\n`)
  if (deed % Math.ceil(Number(deeds) / 3) === 0) await store.storage.backUp(2_000_000 + deed)
}
process.kill(process.pid, 'SIGKILL')
