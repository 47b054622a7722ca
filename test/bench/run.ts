import { benchCatalogue } from './catalogue.ts'
import { benchDesk } from './desk.ts'
import { benchLogins } from './logins.ts'
import { benchOutbox } from './outbox.ts'
import { benchPrint } from './print.ts'
import { benchScan } from './scan.ts'
import { benchStalls } from './stalls.ts'
import { benchWebhooks } from './webhooks.ts'

/** `npm run bench [-- NAME …]`: one JSON line a figure, each with its peer and ratio from the same run. */
const benches: Record<string, () => Promise<void>> = {
  catalogue: benchCatalogue,
  outbox: benchOutbox,
  desk: benchDesk,
  print: benchPrint,
  scan: benchScan,
  logins: benchLogins,
  stalls: benchStalls,
  webhooks: benchWebhooks,
}

const wanted = process.argv.slice(2)
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  const bench = benches[name]
  if (!bench) throw new Error(`no bench is called ${name}; there are ${Object.keys(benches).join(', ')}`)
  await bench()
}
