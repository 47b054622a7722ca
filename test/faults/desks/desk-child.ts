/**
 * One of several desks at one service, as a separate process that can be killed. Its argument is the task of the
 * process (errand.ts). It reads the requests of an operator (wishes) from stdin, and writes acknowledgements to stdout.
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
 * For each task of this process: the share of questions, from 0 to 1, that the operator does not decide. The operator
 * of a later process of the desk can decide them; what the last process (`settle`) leaves undecided stays open.
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

/**
 * Makes the labels and bookings that the messages on stdin name, and decides questions, as an operator does, until the
 * message `close` arrives.
 */
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
