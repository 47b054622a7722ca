/**
 * A desk in its own process so that it can be killed. Its one argument is the task of the process (deed.ts). It writes
 * the operator's actions and the desk's acknowledgements to stdout, one JSON line each, before the next step.
 */
import { writeSync } from 'node:fs'
import type { Desk } from '#desk/desk.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { makeRandom } from '#middleware/warehouse/demo/random.ts'
import { fillDesk, logIn, openDesk } from './composed-desk.ts'
import { spoil } from './controls.ts'
import { type Order, order, type Said } from './deed.ts'
import { dieAt, dieInJournal } from './kill-points.ts'
import { Operator } from './operator.ts'

const given = order.parse(JSON.parse(process.argv[2] ?? '{}'))

function say(what: Said): void {
  writeSync(1, `${JSON.stringify(what)}\n`)
}

function wrapped(store: StorePort): StorePort {
  const spoiled = given.control === null ? store : spoil(store, given.control)
  return given.killAt === null ? spoiled : dieAt(spoiled, given.killAt)
}

/**
 * Runs until no work waits. Also ends if the waiting work has not changed for a long time, because then only a decision
 * of an operator can change it.
 */
async function settle(desk: Desk): Promise<void> {
  const patienceMs = Math.max(6 * given.quietMs, 6_000)
  let seen = ''
  let movedAt = Date.now()
  const isSettled = (): boolean => {
    const { waitingWrites, waitingPrints } = desk.status()
    const fetched = desk.returnLabel.recent().every((label) => label.stored || label.request !== 'done')
    return waitingWrites.length === 0 && fetched && waitingPrints.every((print) => print.state === 'unknown')
  }
  while (!isSettled() && Date.now() - movedAt < patienceMs) {
    await logIn(desk, given)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const { waitingWrites, waitingPrints } = desk.status()
    const now = JSON.stringify([waitingWrites, waitingPrints])
    if (now !== seen) movedAt = Date.now()
    seen = now
  }
  say({ say: 'settled', waiting: desk.status().waitingWrites.length })
}

async function run(task: Order['task']): Promise<void> {
  if (given.killAt !== null) dieInJournal(given.killAt)
  const desk = await openDesk(given, {
    wrapStore: wrapped,
    onFault: (problem) => say({ say: 'fault', problem }),
  })
  await desk.start()
  await logIn(desk, given)
  say({ say: 'ready' })
  if (task === 'work') {
    await new Operator(desk, given, makeRandom(given.seed), say).work()
    // After the operator's last action the desk continues to run until it is killed.
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      await logIn(desk, given)
    }
  }
  await (task === 'prepare'
    ? fillDesk(desk, { ...given, shipments: given.shipmentIds.length })
    : settle(desk))
  await desk.close()
}

// This process ends when the process that started it ends.
process.stdin.resume().once('end', () => process.exit(1))
await run(given.task)
process.exit(0)
