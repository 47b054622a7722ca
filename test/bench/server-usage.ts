/**
 * Loaded with `--import` into a measured server. Reports the CPU time, the memory and the number of statements of the
 * server to the bench that started it.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'

let statements = 0

type Method = (this: unknown, ...args: unknown[]) => unknown

function counted(prototype: object, names: readonly string[]): void {
  for (const name of names) {
    const original = Reflect.get(prototype, name) as Method
    Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
      statements++
      return Reflect.apply(original, this, args)
    })
  }
}

const database = new BetterSqlite(':memory:')
counted(Object.getPrototypeOf(database.prepare('select 1')) as object, ['all', 'get', 'run', 'iterate'])
database.close()
counted(pg.Client.prototype, ['query'])

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('message', (question) => {
  if (question === 'memory') collectGarbage()
  const { user, system } = process.cpuUsage()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.({ cpuMs: (user + system) / 1000, memory: heapUsed + external, statements })
})
// an open channel to the bench must not keep the server from ending
process.channel?.unref()
