import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom } from '#middleware/warehouse/demo/random.ts'
import { bundleChild } from './bundle.ts'
import { makeCertificate } from '#support/certificate.ts'
import type { Control } from './outbox/controls.ts'
import { FaultCount } from './outbox/fault-proxy.ts'
import { prepareWorld, runShift } from './outbox/shift.ts'
import { hostName, type Way } from './outbox/site.ts'
import { Tally } from './outbox/tally.ts'
import { removeWorld } from './outbox/world.ts'
import type { SuiteReport } from './suite-report.ts'

export interface OutboxOptions {
  readonly kills: number
  readonly seed: number
  readonly way: Way
  readonly control: Control | null
  /**
   * Quiet time in milliseconds. A busy machine needs a longer quiet time, otherwise delays of the test process make
   * writes late.
   */
  readonly quietMs?: number
  /**
   * The number of shifts that run at the same time. A shift is a sequence of desk processes with its own service and
   * data folder.
   */
  readonly lanes?: number
  readonly progress?: (text: string) => void
}

/**
 * Maximum number of desk processes that are started and killed in one shift. The number is limited, because each
 * process reads all records of the last minutes and uses new shipments.
 */
const livesInAShift = 40
/**
 * Maximum number of runs of a shift. A shift runs again if it broke a guarantee and the longest delay of a write
 * (`ShiftEnd.latestMs`) reaches the quiet time of the desk. The findings of such a run prove nothing, because the
 * machine was too busy. The last run counts in any case. With a deliberate fault of the desk (`control`) no shift runs
 * again.
 */
const mostTurns = 3

interface Plan {
  readonly shift: number
  readonly lives: number
}

/**
 * Runs real desks and a real middleware with faults of every kind. Each desk is killed and restarted many times on the
 * same data folder. Afterwards the database of the middleware is compared with the acknowledgements of the desks.
 */
export async function outboxSuite(options: OutboxOptions): Promise<SuiteReport> {
  const { kills, seed, way, control, quietMs = 600, lanes = 2, progress = () => undefined } = options
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-faults-'))
  const child = await bundleChild('outbox/desk-child.ts')
  const tally = new Tally(options)
  const shared = {
    program: child.file,
    way,
    control,
    quietMs,
    certificate: makeCertificate(hostName),
  }
  try {
    const first = join(folder, 'first')
    await prepareWorld({ ...shared, random: makeRandom(`${seed} first`) }, first, new FaultCount())
    const plans = splitKills(kills, lanes)
    let done = 0
    const died = (death: string): void => {
      tally.died(death)
      if (++done % 50 === 0) progress(`${done} of ${kills} kills, ${seconds(startedAt)} s`)
    }
    const runOne = async ({ shift, lives }: Plan, turn: number): Promise<void> => {
      const name = turn === 1 ? `${shift}` : `${shift}-${turn}`
      const plan = { ...shared, random: makeRandom(`${seed} ${way} ${shift}`), lives, died }
      const end = await runShift(plan, first, join(folder, `shift-${name}`), tally.faults)
      // A write that the service applies after the quiet time can cause findings although the desk works correctly.
      // Therefore a shift with findings and such a write is repeated. A shift with a deliberate fault (`control`,
      // outbox/controls.ts) is not repeated, because with this fault the desk does not wait for the quiet time.
      const isVoid = control === null && end.findings.areBroken && end.latestMs >= quietMs
      if (!isVoid || turn === mostTurns) tally.add(shift, end)
      else {
        tally.addLate(shift, end)
        await runOne({ shift, lives }, turn + 1)
      }
    }
    const lane = async (): Promise<void> => {
      for (let next = plans.shift(); next; next = plans.shift()) await runOne(next, 1)
    }
    await Promise.all(Array.from({ length: Math.min(lanes, plans.length) }, lane))
    return tally.report(seconds(startedAt))
  } finally {
    child.remove()
    if (process.env['SCANDESK_KEEP'] !== '1') removeWorld(folder)
  }
}

/**
 * Divides the kills of desk processes among shifts. A shift is a sequence of desk processes with its own service and
 * data folder. The sizes of the shifts differ by at most one kill. Their number is a multiple of `lanes` (unless one
 * shift is enough), so that all parallel shifts end at about the same time.
 */
function splitKills(kills: number, lanes: number): Plan[] {
  const needed = Math.ceil(kills / livesInAShift)
  const shifts = needed === 1 ? 1 : Math.ceil(needed / lanes) * lanes
  return Array.from({ length: shifts }, (_, shift) => ({
    shift,
    lives: Math.floor(kills / shifts) + (shift < kills % shifts ? 1 : 0),
  }))
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000)
}
