import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { randomFrom } from '#support/random.ts'
import { bundleChild } from './bundle.ts'
import { judge } from './print/judge.ts'
import { openSinks, type Sinks } from './print/sinks.ts'
import type { Given } from './print/site.ts'
import { stockJobs } from './print/stock.ts'
import type { SuiteOptions, SuiteReport } from './suite-report.ts'

const fullCount = 900
/**
 * Maximum milliseconds between the start of a job and a kill. Kills happen while the job is sent or while the next jobs
 * are rasterised.
 */
const longestWaitMs = 600
const patienceMs = 300_000

export interface PrintOptions extends SuiteOptions {
  /**
   * `none`: no kill and no interrupted print. `resend`: labels are printed again if their outcome is unknown.
   */
  readonly control?: 'none' | 'resend' | undefined
}

/**
 * Prints `count` waiting labels on three printers (ZPL and ESC/POS by TCP, a folder). The desk is killed repeatedly,
 * and the TCP printers close connections during labels. Then decodes the printed dots and counts the labels.
 */
export async function printSuite({ count, seed, control }: PrintOptions): Promise<SuiteReport> {
  const random = randomFrom(seed)
  const root = await mkdtemp(join(tmpdir(), 'scandesk-print-'))
  const given = { dataDir: join(root, 'desk'), folder: join(root, 'paper'), control: control === 'resend' }
  const child = await bundleChild('print/print-child.ts')
  const sinks = await openSinks(given.folder)
  try {
    const jobs = await stockJobs(given.dataDir, count ?? fullCount)
    const start = (): Life =>
      new Life(child.file, { ...given, zplPort: sinks.zpl.port, escposPort: sinks.escpos.port })
    const lived = control === 'none' ? { kills: 0, disturbed: 0 } : await disturbedLives(start, sinks, random)
    sinks.calm()
    const last = start()
    await last.idle()
    await last.kill()
    const { lost, twice, claimed, unknown, through } = await judge(given.dataDir, jobs, await sinks.papers())
    const heldAtMost = control === 'none' ? 0 : jobs.length / 4
    const isKept = lost.length + twice.length + claimed.length === 0 && unknown.length <= heldAtMost
    const passed = control === 'resend' ? twice.length > 0 : isKept
    const figures = {
      jobs: jobs.length,
      ...lived,
      through,
      lost: lost.length,
      printedTwice: twice.length,
      falselyClaimed: claimed.length,
      unknown: unknown.length,
      control: control ?? null,
      seed,
      ...(passed ? {} : { findings: { lost, twice, claimed } }),
    }
    return { suite: 'print', passed, figures }
  } finally {
    await sinks.close()
    child.remove()
    await rm(root, { recursive: true, force: true })
  }
}

/** Starts desk processes and kills each at a random moment, until a process has nothing left to print. */
async function disturbedLives(
  start: () => Life,
  sinks: Sinks,
  random: () => number,
): Promise<{ kills: number; disturbed: number }> {
  const lived = { kills: 0, disturbed: 0 }
  for (;;) {
    if (sinks.disturb(random)) lived.disturbed++
    const life = start()
    const isIdle = await life.begun(3 + Math.floor(random() * 12))
    if (!isIdle) await new Promise((resolve) => setTimeout(resolve, random() * longestWaitMs))
    await life.kill()
    if (isIdle) return lived
    lived.kills++
  }
}

class Life {
  readonly #process: ChildProcess
  #begun = 0
  #isIdle = false
  #onWord = (): void => undefined

  constructor(file: string, given: Given) {
    this.#process = spawn(process.execPath, [file, JSON.stringify(given)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (!this.#process.stdout) throw new Error('no output')
    createInterface(this.#process.stdout).on('line', (line) => {
      if (line === 'begun') this.#begun++
      else if (line === 'idle') this.#isIdle = true
      else process.stderr.write(`${line}\n`)
      this.#onWord()
    })
  }

  /**
   * Waits until this number of jobs was begun or no job waits any more. Returns whether no job waits any more. Rejects
   * after `patienceMs`.
   */
  begun(jobs: number): Promise<boolean> {
    return this.#until(() => this.#isIdle || this.#begun >= jobs)
  }

  idle(): Promise<boolean> {
    return this.#until(() => this.#isIdle)
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }

  #until(isSo: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('a life that does nothing')), patienceMs)
      this.#onWord = () => {
        if (!isSo()) return
        clearTimeout(timer)
        resolve(this.#isIdle)
      }
      this.#onWord()
    })
  }
}
