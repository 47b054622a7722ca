import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { randomFrom } from '#support/random.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { type Fault, ScriptedService } from '#support/scripted-service.ts'
import { bundleChild } from './bundle.ts'
import { type Handed, judge, type Verdict } from './scan/judge.ts'
import { type Given, moments, type ScanControl, shipmentsThere } from './scan/site.ts'
import type { SuiteOptions, SuiteReport } from './suite-report.ts'

const fullCount = 500
/** Maximum milliseconds between a sound and the kill after it. */
const longestWaitMs = 20
const mostBeeps = 20
const patienceMs = 300_000

/** Faults of the desk's calls to the service. None may lose a scan. */
const troubles: readonly Fault[] = [
  'reset_before',
  'server_error_before',
  'silence_before',
  'silence_before',
  'too_many',
  'portal_page',
  'truncated_after',
]

export interface ScanOptions extends SuiteOptions {
  readonly control: ScanControl | null
}

/**
 * A sound means that the scan is saved. One to four operators scan at a desk almost without a pause, at a service that
 * is slow, silent or failing. The desk is killed `count` times. In turn, the kill happens while the desk starts, while
 * it reads lists, and while it purges old scans and copies desk.db. Each kill follows a sound by at most 20 ms; a kill
 * during a purge may also follow the end of a purge. After each kill, desk.db must contain every confirmed scan once,
 * unchanged and in order.
 */
export async function scanSuite({ count, seed, control }: ScanOptions): Promise<SuiteReport> {
  const kills = count ?? fullCount
  const random = randomFrom(seed)
  const dataDir = await mkdtemp(join(tmpdir(), 'scandesk-scan-'))
  const child = await bundleChild('scan/scan-child.ts')
  const service = await troubledService(random)
  const handed: Handed[] = []
  const figures = { kills: 0, beeped: 0, start: 0, sync: 0, retention: 0, purges: 0, faultedCalls: 0 }
  const problems: string[] = []
  let verdict: Verdict | null = null
  try {
    for (let number = 0; number < kills; number++) {
      const moment = moments[number % moments.length] ?? 'sync'
      service.delayMs = Math.floor(random() * 60)
      const life = new Life(
        child.file,
        {
          dataDir,
          url: service.url,
          moment,
          lanes: 1 + Math.floor(random() * 4),
          first: handed.length,
          seed: Math.floor(random() * 2 ** 31),
          control,
        },
        handed,
      )
      const beeps = moment === 'start' ? 1 + Math.floor(random() * 4) : 1 + Math.floor(random() * mostBeeps)
      await life.killAfter(beeps, random() < 0.5 ? 0 : random() * longestWaitMs)
      figures[moment]++
      figures.kills++
      figures.purges += life.purges
      problems.push(...life.problems)
      verdict = judge(dataDir, handed)
      // The suite stops at the first broken guarantee, because later desk processes cannot repair it. A run with a
      // deliberate fault (`control`) continues, to show how often the guarantee is broken.
      if (control === null && isBroken(verdict)) break
    }
    figures.beeped = handed.filter(({ beeped }) => beeped).length
    figures.faultedCalls = service.faulted
  } finally {
    await service.stop()
    child.remove()
    await rm(dataDir, { recursive: true, force: true })
  }
  return report(figures, verdict, problems, { kills, seed, control })
}

function isBroken({ lost, twice, disordered, changed }: Verdict): boolean {
  return lost.length + twice.length + disordered.length + changed.length > 0
}

function report(
  figures: Readonly<Record<string, number>>,
  verdict: Verdict | null,
  problems: readonly string[],
  { kills, seed, control }: { kills: number; seed: number; control: ScanControl | null },
): SuiteReport {
  const { lost = [], twice = [], disordered = [], changed = [] } = verdict ?? {}
  const isKept = verdict !== null && !isBroken(verdict) && problems.length === 0 && figures['kills'] === kills
  // A kill before the first sound of a desk process tests nothing, so at least one sound for each kill is required.
  const isEnough = (figures['beeped'] ?? 0) >= kills
  const passed = control === null ? isKept && isEnough : lost.length > 0
  return {
    suite: 'scan',
    passed,
    figures: {
      ...figures,
      kept: verdict?.kept ?? 0,
      unheardKept: verdict?.unheard ?? 0,
      lost: lost.length,
      twice: twice.length,
      disordered: disordered.length,
      changed: changed.length,
      control,
      seed,
      ...(passed ? {} : { findings: { lost, twice, disordered, changed, problems } }),
    },
  }
}

type TroubledService = ScriptedService & { faulted: number }

/** Accepts every login. Each other call fails with a probability of one third. */
async function troubledService(random: () => number): Promise<TroubledService> {
  const service = Object.assign(new ScriptedService(), { faulted: 0 })
  for (let number = service.shipments.length + 1; number <= shipmentsThere; number++)
    service.shipments.push(scriptedShipment(number))
  service.script = ({ path }) => {
    if (path.startsWith('/wms/auth/') || random() < 2 / 3) return null
    service.faulted++
    return troubles[Math.floor(random() * troubles.length)] ?? null
  }
  await service.start()
  return service
}

/** One desk process. Adds the scans from its messages to `handed`, in the order of the scans. */
class Life {
  readonly problems: string[] = []
  purges = 0
  readonly #process: ChildProcess
  readonly #isRetention: boolean
  #beeps = 0
  #onWord = (): void => undefined

  constructor(file: string, given: Given, handed: Handed[]) {
    this.#isRetention = given.moment === 'retention'
    this.#process = spawn(process.execPath, [file, JSON.stringify(given)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    if (!this.#process.stdout) throw new Error('no output')
    createInterface(this.#process.stdout).on('line', (line) => {
      const [word = '', number = ''] = line.split(' ')
      if (word === 'scan') handed.push({ number: Number(number), beeped: false })
      else if (word === 'beep') this.#beep(handed[Number(number)])
      else if (word === 'kept') this.purges++
      else this.problems.push(line)
      this.#onWord()
    })
  }

  /**
   * Kills the desk the given milliseconds after the given number of sounds, and reads all lines that it wrote until
   * then.
   */
  async killAfter(beeps: number, waitMs: number): Promise<void> {
    const closed = once(this.#process, 'close')
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('a desk that makes no sound')), patienceMs)
      const end = (): void => {
        clearTimeout(timer)
        this.#process.kill('SIGKILL')
        resolve()
      }
      this.#onWord = () => {
        // At least one purge must have ended before the kill interrupts another purge.
        if (this.#beeps < beeps || (this.#isRetention && this.purges === 0)) return
        this.#onWord = () => undefined
        if (waitMs === 0) end()
        else setTimeout(end, waitMs)
      }
      this.#process.once('exit', (code) => {
        if (code !== null) this.problems.push(`it ended unexpectedly with ${code}`)
        end()
      })
    })
    await closed
  }

  #beep(scan: Handed | undefined): void {
    if (!scan) throw new Error('a sound without a scan')
    scan.beeped = true
    this.#beeps++
  }
}
