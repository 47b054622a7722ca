/**
 * One of several desks at one service, in its own process so that it can be killed. Its argument is the task of the
 * process (errand.ts). It reads the wishes of an operator from stdin, and writes the acknowledged wishes to stdout.
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
/** Milliseconds between two checks of the queue by the operator. */
const lookEveryMs = 40
/**
 * Share of questions, from 0 to 1, that the operator leaves open. After a kill a later process of the desk may decide
 * them; at the end they stay open.
 */
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

/** Enters the operator's wishes and decides questions until it receives the task to close. */
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
    // The desk ends when the test process ends.
    .once('close', () => process.exit(1))
  say({ say: 'ready' })
  while (!closing.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    await logIn(desk, given)
    operator.lookAtQueue()
  }
}
