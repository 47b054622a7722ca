/**
 * One of several desks at one service, in its own process so that it can be killed. Its argument is an order
 * (errand.ts). It reads errands from stdin and writes acknowledged wishes to stdout.
 */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { makeRandom } from '#middleware/warehouse/demo/random.ts'
import { fillDesk, logIn, openDesk } from '../outbox/composed-desk.ts'
import { dieAt, dieInJournal } from '../outbox/kill-points.ts'
import { deskOrder, readErrand, type Said } from './errand.ts'
import { markFlights } from './flights.ts'
import { Operator } from './operator.ts'

const given = deskOrder.parse(JSON.parse(process.argv[2] ?? '{}'))
/** The interval at which the operator looks at the queue. */
const lookEveryMs = 40
/** The share of questions that stay open: until a later life after a kill, and permanently at the end. */
const leaves = { work: 0.25, prepare: 0, settle: 0.1 }

function say(what: Said): void {
  writeSync(1, `${JSON.stringify(what)}\n`)
}

const { killAt } = given
if (killAt !== null) dieInJournal(killAt)
const desk = await openDesk(given, {
  wrapStore: (store) => (killAt === null ? markFlights(store) : dieAt(markFlights(store), killAt)),
  onFault: (problem) => say({ say: 'fault', problem }),
  pace: { waitedMs: given.waitedMs },
})
await desk.start()
await logIn(desk, given)
if (given.task === 'prepare') await fillDesk(desk, given)
else await work()
await desk.close()
process.exit(0)

/** Enters wishes and decides until it gets the errand to close. */
async function work(): Promise<void> {
  const operator = new Operator(desk, {
    leaves: leaves[given.task],
    random: makeRandom(given.seed),
    say,
  })
  const closing = new AbortController()
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const errand = readErrand(line)
      if (errand.tell === 'close') closing.abort()
      else void operator.press(errand)
    })
    // A desk ends with the harness.
    .once('close', () => process.exit(1))
  say({ say: 'ready' })
  while (!closing.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    await logIn(desk, given)
    operator.lookAtQueue()
  }
}
