import { benchCatalogue } from './catalogue.ts'
import { benchDesk } from './desk.ts'
import { benchDesks } from './desks-200.ts'
import { benchLogins } from './logins.ts'
import { benchOutbox } from './outbox.ts'
import { benchPrint } from './print.ts'
import { benchScan } from './scan.ts'
import { benchServer } from './server.ts'
import { benchStalls } from './stalls.ts'
import { benchWebhooks } from './webhooks.ts'

/**
 * `npm run bench [-- NAME …]` prints one JSON line for each figure, with the figure of its peer (another way to do the
 * same work) and the ratio of both.
 */
const benches: Record<string, () => Promise<void>> = {
  catalogue: benchCatalogue,
  outbox: benchOutbox,
  desk: benchDesk,
  print: benchPrint,
  scan: benchScan,
  logins: benchLogins,
  stalls: benchStalls,
  webhooks: benchWebhooks,
  server: benchServer,
  'desks-200': benchDesks,
}

const given = process.argv.slice(2)
const unknown = given.find((name) => !Object.hasOwn(benches, name))
if (unknown === undefined) {
  for (const name of given.length > 0 ? given : Object.keys(benches)) await benches[name]?.()
} else {
  console.error(`no bench is called ${unknown}; there are ${Object.keys(benches).join(', ')}`)
  process.exitCode = 1
}
