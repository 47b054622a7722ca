import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import type { Given } from './site.ts'

/** `kill`: SIGKILL. `stop`: SIGTERM. `cut`: the server ends all database connections of the process. */
export const faultKinds = ['kill', 'stop', 'cut'] as const
export type FaultKind = (typeof faultKinds)[number]

/** A fault that was applied to one process. */
export interface Fault {
  readonly kind: FaultKind
  readonly name: string
  /** Time of the fault in milliseconds since 1970. */
  readonly at: number
}

interface Member {
  readonly name: string
  readonly url: string
  readonly process: ChildProcess
}

/**
 * Maximum milliseconds until a process stops after SIGTERM. The limit is longer than the time that a stopping process
 * gives its connections (5 s) and its delivery attempts (1 s).
 */
const stopLimitMs = 30_000
const ended = 'ended'
/** Number of log lines, from the end of the log, in the report of a failed process. */
const mostLogLines = 20

export interface FleetOptions {
  /** Path of the bundled program that each middleware process runs. */
  readonly program: string
  /** Folder for the logs of the processes. */
  readonly folder: string
  readonly size: number
  readonly given: Omit<Given, 'name'>
  /** A connection to the PostgreSQL server. It is used to end the database connections of processes. */
  readonly database: pg.Client
}

/** The middleware processes that use one database. If a process ends, another process with a new name replaces it. */
export class Fleet {
  readonly faults: Fault[] = []
  /**
   * Descriptions of processes that did not start, did not stop in time, stopped with an error, or ended although the
   * suite did not end them.
   */
  readonly problems: string[] = []
  /** Names of processes that have ended. */
  readonly dead: string[] = []
  readonly #options: FleetOptions
  readonly #members = new Set<Member>()
  readonly #starting = new Set<Promise<void>>()
  #started = 0
  #isEnding = false

  constructor(options: FleetOptions) {
    this.#options = options
  }

  /**
   * Starts all processes at the same time, so that they also compete to create the tables and the initial content of
   * the database.
   */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#startOne()))
  }

  /** Returns the addresses of the running processes. */
  get urls(): string[] {
    return [...this.#members].map(({ url }) => url)
  }

  get names(): string[] {
    return [...this.#members].map(({ name }) => name)
  }

  /** Applies a fault to one running process. If the process ends, a new process replaces it. */
  async strike(kind: FaultKind, random: Random): Promise<void> {
    while (this.#members.size === 0) await sleep(20)
    const member = random.pick([...this.#members])
    this.faults.push({ kind, name: member.name, at: Date.now() })
    if (kind === 'cut') {
      await this.#cut(member)
      return
    }
    this.#members.delete(member)
    const replaced = (kind === 'kill' ? this.#kill(member) : this.#stop(member)).then(() => this.#startOne())
    this.#starting.add(replaced)
    void replaced.then(() => this.#starting.delete(replaced))
  }

  /** Resolves when no replacement of a process is in progress. */
  async recover(): Promise<void> {
    await Promise.all(this.#starting)
  }

  /** Waits for the replacements in progress, tells all processes to stop, and waits until they have stopped. */
  async stop(): Promise<void> {
    this.#isEnding = true
    await this.recover()
    const members = [...this.#members]
    this.#members.clear()
    await Promise.all(members.map((member) => this.#stop(member)))
  }

  async kill(): Promise<void> {
    this.#isEnding = true
    await this.recover()
    const members = [...this.#members]
    this.#members.clear()
    await Promise.all(members.map((member) => this.#kill(member)))
  }

  async #startOne(): Promise<void> {
    if (this.#isEnding) return
    const { program, folder, given } = this.#options
    const name = `cluster-${(this.#started += 1)}`
    const databaseUrl = new URL(given.databaseUrl)
    databaseUrl.searchParams.set('application_name', name)
    const log = openSync(join(folder, `${name}.log`), 'a')
    const argument: Given = { ...given, name, databaseUrl: databaseUrl.href }
    const child = spawn(process.execPath, [program, JSON.stringify(argument)], {
      stdio: ['ignore', 'pipe', log],
    })
    closeSync(log)
    const exit = once(child, 'exit').then(() => ended)
    if (child.stdout === null) throw new Error('The child has a stdout')
    const line = await Promise.race([once(createInterface(child.stdout), 'line'), exit])
    if (line === ended) {
      this.problems.push(`${name} did not start: ${this.#log(name)}`)
      return this.#startOne()
    }
    const member = { name, url: String(line[0]), process: child }
    this.#members.add(member)
    void exit.then(() => {
      this.dead.push(name)
      if (!this.#members.delete(member)) return
      this.problems.push(`${name} ended without a kill of the suite: ${this.#log(name)}`)
      const replaced = this.#startOne()
      this.#starting.add(replaced)
      void replaced.then(() => this.#starting.delete(replaced))
    })
  }

  async #kill({ process: child }: Member): Promise<void> {
    const exit = once(child, 'exit')
    if (child.kill('SIGKILL')) await exit
  }

  async #stop({ name, process: child }: Member): Promise<void> {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    const limit = new AbortController()
    const late = sleep(stopLimitMs, null, { signal: limit.signal }).catch(() => null)
    const end = await Promise.race([exit, late])
    limit.abort()
    if (end === null) {
      this.problems.push(`${name} did not stop in time: ${this.#log(name)}`)
      child.kill('SIGKILL')
      await exit
    } else if (end[0] !== 0) {
      this.problems.push(`${name} stopped with ${String(end[0] ?? end[1])}: ${this.#log(name)}`)
    }
  }

  async #cut({ name }: Member): Promise<void> {
    await this.#options.database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [name],
    )
  }

  /** Returns the last lines of the log of a process. */
  #log(name: string): string {
    return readFileSync(join(this.#options.folder, `${name}.log`), 'utf8')
      .trim()
      .split('\n')
      .slice(-mostLogLines)
      .join('\n')
  }
}
