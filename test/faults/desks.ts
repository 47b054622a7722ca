import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom } from '#middleware/warehouse/demo/random.ts'
import { bundleChild } from './bundle.ts'
import { prepareShop, runShift } from './desks/shift.ts'
import { minuteMs } from './desks/shop.ts'
import { Tally } from './desks/tally.ts'
import { FaultCount } from './outbox/fault-proxy.ts'
import { removeWorld } from './outbox/world.ts'
import type { SuiteOptions, SuiteReport } from './suite-report.ts'

/**
 * `blind`: no desk sees the records of another desk, so desks make second labels without a question. The suite must
 * report these labels.
 */
export const desksControls = ['blind'] as const
export type DesksControl = (typeof desksControls)[number]

export interface DesksOptions extends SuiteOptions {
  readonly control: DesksControl | null
  /** The minimum and maximum number of desks at one service. */
  readonly desks?: readonly [least: number, most: number]
  readonly progress?: (text: string) => void
}

const fullCount = 400
/**
 * Maximum number of desk processes (lives) that are killed in one shift. The number is limited, because each process
 * reads all records of the last minutes, and because the number of shipments is limited.
 */
const livesInAShift = 40
/**
 * Maximum number of runs of one shift (a sequence of desk processes on the same data folders). A shift runs again if it
 * broke a guarantee and the service may have applied a write after the quiet time of the desks (`latestMs` is not less
 * than `minuteMs`). The desks guarantee nothing for such a late write, which shows that the machine was too busy. The
 * last run counts in any case. With `--control blind`, where no desk sees the records of another desk, no shift runs
 * again.
 */
const mostTurns = 3

/**
 * Runs several desks at one service, with simultaneous operators, faults, outages and `count` kills. For every label of
 * a shipment after its first, and for every repeated booking, the operators must have seen the earlier record, or must
 * be asked or notified (desks/judge-seconds.ts).
 */
export async function desksSuite(options: DesksOptions): Promise<SuiteReport> {
  const { count, seed, control, desks = [3, 5], progress = () => undefined } = options
  const kills = count ?? fullCount
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-desks-'))
  const child = await bundleChild('desks/desk-child.ts')
  const isBlind = control === 'blind'
  const tally = new Tally({ seed, isBlind })
  let done = 0
  const died = (death: string): void => {
    tally.died(death)
    if (++done % 50 === 0) progress(`${done} of ${kills} kills, ${seconds(startedAt)} s`)
  }
  try {
    const first = join(folder, 'first')
    const shared = { program: child.file }
    const most = { ...shared, desks: desks[1], random: makeRandom(`${seed} first`) }
    await prepareShop(most, first, new FaultCount())
    const runOne = async (shift: number, lives: number, turn: number): Promise<void> => {
      const random = makeRandom(`${seed} ${shift}`)
      const plan = { ...shared, random, desks: random.int(...desks), isBlind, lives, died }
      const end = await runShift(plan, first, join(folder, `shift-${shift}-${turn}`), tally.faults)
      const isVoid = !isBlind && end.findings.areBroken && end.latestMs >= minuteMs
      if (!isVoid || turn === mostTurns) tally.add(shift, end)
      else {
        tally.addLate(shift, end)
        await runOne(shift, lives, turn + 1)
      }
    }
    const shifts = Math.ceil(kills / livesInAShift)
    for (let shift = 0; shift < shifts; shift++)
      await runOne(shift, Math.floor(kills / shifts) + (shift < kills % shifts ? 1 : 0), 1)
    return tally.report(seconds(startedAt))
  } finally {
    child.remove()
    if (process.env['SCANDESK_KEEP'] !== '1') removeWorld(folder)
  }
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000)
}
