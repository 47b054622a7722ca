import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import type { Logger } from '#kit/logger.ts'
import { isFromReader } from './conflicts.ts'
import {
  type Coordination,
  type Lease,
  LeaseLost,
  type Leases,
  LeaseWaiters,
  type News,
  takeWhenFree,
} from './coordination.ts'
import type { Connection } from './database.ts'
import { connectionTo, type DatabaseLimits } from './postgres.ts'

/**
 * The channel of PostgreSQL's NOTIFY. The payload is JSON: the id of the sending process, and either the name of a
 * released lease or a message to the other processes (`News`).
 */
const channel = 'scandesk'

const message = z.object({
  from: z.string(),
  released: z.string().optional(),
  news: z
    .discriminatedUnion('topic', [
      z.object({ topic: z.literal('deliveries') }),
      z.object({
        topic: z.literal('replayed'),
        webhookId: z.string(),
        customerId: z.string(),
        entityId: z.string().nullable(),
      }),
      z.object({ topic: z.literal('removed'), webhookId: z.string() }),
      z.object({ topic: z.literal('abandoned') }),
    ])
    .optional(),
})

/** Fraction of the lifetime of a lease after which the lease is renewed. */
const renewedAfter = 1 / 3
/** Milliseconds before the first attempt to reconnect, and the maximum pause between two attempts. */
const reconnectMs = 250
const longestReconnectMs = 5000

/**
 * SQL expression for the end of a lease that is taken or renewed now. $3: the lifetime of the lease in milliseconds.
 */
const lifeFromNow = `now() + $3 * interval '1 millisecond'`

interface Held {
  readonly lost: AbortController
  /** Time until which no other process can take the lease, in milliseconds of a monotonic clock of this process. */
  validUntil: number
}

interface Options {
  readonly leaseMs: number
  readonly logger: Logger
  readonly limits: DatabaseLimits
}

/** Thrown while the connection is broken. The code is one of SQL's connection exceptions, so that callers get 503. */
class Disconnected extends Error {
  readonly code = '08006'
}

/**
 * Leases in the table `leases`, and news by NOTIFY, over one connection. The clock of the database server measures the
 * lifetime of a lease. This process regards a lease as lost slightly earlier, by its own monotonic clock. If this
 * process is suspended, a lease may end unnoticed, so important changes confirm their lease. Each process also has a
 * lease with the name of the process, so that other processes notice its death even if it has no other lease.
 */
export class PostgresCoordination implements Coordination {
  readonly #url: string
  readonly #leaseMs: number
  readonly #logger: Logger
  readonly #limits: DatabaseLimits
  readonly #owner = randomUUID()
  readonly #held = new Map<string, Held>()
  readonly #waiters = new LeaseWaiters()
  readonly #listeners: ((news: News) => void)[] = []
  readonly #stopping = new AbortController()
  #client: pg.Client | null = null
  /**
   * Settles when the last statement has ended. The next statement waits for this, because a connection runs one
   * statement at a time.
   */
  #last: Promise<unknown> = Promise.resolve()
  #unsent = new Set<string>()
  #sending: Promise<void> | null = null
  #reconnecting: Promise<void> | null = null
  #renewing: NodeJS.Timeout | null = null
  /** The timer that ends the lease with the earliest end. A renewal restarts the timer. */
  #ending: NodeJS.Timeout | null = null

  private constructor(url: string, { leaseMs, logger, limits }: Options) {
    this.#url = url
    this.#leaseMs = leaseMs
    this.#logger = logger
    this.#limits = limits
  }

  static async open(url: string, options: Options): Promise<PostgresCoordination> {
    const coordination = new PostgresCoordination(url, options)
    try {
      await coordination.#connect()
    } catch (error) {
      // a connection that breaks during its first statements starts a reconnection, which must be stopped
      await coordination.stop()
      throw error
    }
    coordination.#renewLater()
    return coordination
  }

  readonly leases: Leases = {
    take: (name) => this.#take(name),
    wait: (...wanted) => takeWhenFree(this.leases, this.#waiters, wanted),
  }

  announce(news: News): void {
    this.#send({ news })
  }

  listen(listener: (news: News) => void): void {
    this.#listeners.push(listener)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#renewing !== null) clearTimeout(this.#renewing)
    if (this.#ending !== null) clearTimeout(this.#ending)
    await this.#reconnecting
    await this.#sending
    this.#held.clear()
    const left = JSON.stringify({ from: this.#owner, news: { topic: 'abandoned' } })
    await this.#query('delete from leases where owner = $1', [this.#owner])
      .then(() => this.#query('select pg_notify($1, $2)', [channel, left]))
      // if the leases cannot be released now, they end after their lifetime
      .catch(() => null)
    await this.#client?.end().catch(() => null)
  }

  async #take(name: string): Promise<Lease | null> {
    const sentAt = performance.now()
    // `skip locked`: this statement must not wait for a transaction that confirms the lease, because the renewals of
    // other leases would then wait for this statement
    const { rowCount } = await this.#query(
      `with ended as (select name from leases where name = $1 and expires_at <= now() for update skip locked),
      taken as (update leases set owner = $2, expires_at = ${lifeFromNow} where name in (select name from ended)
        returning name),
      added as (insert into leases (name, owner, expires_at) values ($1, $2, ${lifeFromNow})
        on conflict do nothing returning name)
      select name from taken union all select name from added`,
      [name, this.#owner, this.#leaseMs],
    )
    if (rowCount !== 1) return null
    // If `#held` still contains an older lease with this name, that lease ended unnoticed. `#lose` now informs the work
    // that uses it. The work cannot detect the loss itself, because the row in the table `leases` names the same owner
    // for the old and the new lease.
    const ended = this.#held.get(name)
    if (ended !== undefined) this.#lose(name, ended)
    const held = { lost: new AbortController(), validUntil: sentAt + this.#leaseMs }
    this.#held.set(name, held)
    this.#loseExpired()
    return this.#leaseOf(name, held)
  }

  #leaseOf(name: string, held: Held): Lease {
    return {
      name,
      lost: held.lost.signal,
      confirm: async (connection) => {
        if (held.lost.signal.aborted || !(await isHeldBy(connection, name, this.#owner)))
          throw new LeaseLost(name)
      },
      release: async () => {
        if (this.#held.get(name) !== held) return
        this.#held.delete(name)
        try {
          await this.#query('delete from leases where name = $1 and owner = $2', [name, this.#owner])
        } catch (error) {
          this.#logger.warn({ err: error, lease: name }, 'a lease was not released, and ends later')
          return
        }
        this.#waiters.wake(name)
        this.#send({ released: name })
      },
    }
  }

  /** Sends messages in the order of the calls. If equal messages wait to be sent, only one of them is sent. */
  #send(content: { readonly news?: News; readonly released?: string }): void {
    if (this.#stopping.signal.aborted) return
    this.#unsent.add(JSON.stringify({ from: this.#owner, ...content }))
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = null))
  }

  async #sendAll(): Promise<void> {
    while (this.#unsent.size > 0 && this.#client !== null) {
      const texts = [...this.#unsent]
      this.#unsent.clear()
      try {
        await this.#query('select pg_notify($1, text) from unnest($2::text[]) as text', [channel, texts])
      } catch (error) {
        // lost messages do no harm: when this process has connected again, every process checks all work
        this.#logger.warn({ err: error }, 'news for the other processes were lost')
      }
    }
    this.#unsent.clear()
  }

  #query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const done = this.#last.then(() => this.#run(text, values))
    this.#last = done.catch(() => null)
    return done
  }

  async #run(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const client = this.#client
    if (client === null) throw new Disconnected('The connection for leases is broken')
    try {
      return await client.query(text, [...values])
    } catch (error) {
      const isOfServer = error instanceof pg.DatabaseError
      // A connection that does not respond is ended too, so that later statements need not wait for it. So is one to a
      // server that only reads, because a new one may reach a server that writes.
      if (!isOfServer || isFromReader(error)) this.#breakOff(client, error)
      throw isOfServer ? error : new Disconnected('The connection for leases broke', { cause: error })
    }
  }

  async #names(text: string, values: readonly unknown[]): Promise<Set<unknown>> {
    const { rows } = await this.#query(text, values)
    return new Set((rows as { name: unknown }[]).map(({ name }) => name))
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...connectionTo(this.#url, 'read committed', this.#limits),
      connectionTimeoutMillis: this.#leaseMs,
      query_timeout: this.#leaseMs * renewedAfter,
    })
    client.on('notification', ({ payload }) => {
      this.#receive(payload ?? '')
    })
    client.on('error', (error: Error) => {
      this.#breakOff(client, error)
    })
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      if (this.#stopping.signal.aborted) throw new Disconnected('The process is stopping')
      this.#client = client
      await this.#renew()
    } catch (error) {
      if (this.#client === client) this.#client = null
      void client.end().catch(() => null)
      throw error
    }
  }

  /** Ends a broken connection and opens another one. */
  #breakOff(client: pg.Client, error: unknown): void {
    if (client !== this.#client) return
    this.#client = null
    void client.end().catch(() => null)
    if (this.#stopping.signal.aborted) return
    this.#logger.warn({ err: error }, 'the connection for leases broke, and is opened again')
    this.#reconnecting ??= this.#connectAgain().finally(() => (this.#reconnecting = null))
  }

  async #connectAgain(): Promise<void> {
    const { signal } = this.#stopping
    for (let pauseMs = reconnectMs; ; pauseMs = Math.min(2 * pauseMs, longestReconnectMs)) {
      await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => null)
      if (signal.aborted) return
      this.#loseExpired()
      try {
        await this.#connect()
      } catch (error) {
        this.#logger.warn({ err: error }, 'the connection for leases cannot be opened; trying again')
        continue
      }
      this.#renewLater()
      // all processes check all work, because this process may have missed news, and any process may have lost leases
      this.announce({ topic: 'abandoned' })
      this.#found({ topic: 'abandoned' })
      return
    }
  }

  /**
   * Renews the leases of this process, and removes the leases of dead processes. Throws if the database cannot be
   * reached.
   */
  async #renew(): Promise<void> {
    const renewed = [...this.#held]
    const sentAt = performance.now()
    // renews only the leases that this process still holds; a lease that it has lost must become free for other
    // processes
    const names = renewed.map(([name]) => name)
    const isOurs = `owner = $2 and expires_at > now() and name = any ($1)`
    const extended = await this.#names(
      `update leases set expires_at = ${lifeFromNow} where name in
      (select name from leases where ${isOurs} for no key update skip locked) returning name`,
      [names, this.#owner, this.#leaseMs],
    )
    // a lease whose row was locked by another transaction is kept, and is renewed the next time
    const kept = await this.#names(`select name from leases where ${isOurs}`, [names, this.#owner])
    for (const [name, held] of renewed) {
      if (extended.has(name)) held.validUntil = sentAt + this.#leaseMs
      else if (!kept.has(name)) this.#lose(name, held)
    }
    this.#loseExpired()
    // each process has a lease with the name of the process, by which other processes notice its death. A process that
    // is stopping does not renew this lease
    if (this.#stopping.signal.aborted) return
    await this.#query(
      `insert into leases (name, owner, expires_at) values ($1, $2, ${lifeFromNow})
      on conflict (name) do update set expires_at = excluded.expires_at`,
      [`process ${this.#owner}`, this.#owner, this.#leaseMs],
    )
    const dead = await this.#query(
      `delete from leases where name in
      (select name from leases where expires_at <= now() for update skip locked)`,
      [],
    )
    if ((dead.rowCount ?? 0) === 0) return
    this.#logger.info({ leases: dead.rowCount }, 'a process ended without a release of its leases')
    this.announce({ topic: 'abandoned' })
    this.#found({ topic: 'abandoned' })
  }

  #renewLater(): void {
    if (this.#renewing !== null) clearTimeout(this.#renewing)
    if (this.#stopping.signal.aborted) return
    this.#renewing = setTimeout(() => {
      void this.#renew()
        .catch((error: unknown) => {
          if (!this.#stopping.signal.aborted) this.#logger.warn({ err: error }, 'leases were not renewed')
        })
        .then(() => {
          this.#loseExpired()
          this.#renewLater()
        })
    }, this.#leaseMs * renewedAfter).unref()
  }

  #loseExpired(): void {
    const now = performance.now()
    for (const [name, held] of this.#held) if (held.validUntil <= now) this.#lose(name, held)
    if (this.#ending !== null) clearTimeout(this.#ending)
    const firstEnd = Math.min(...[...this.#held.values()].map(({ validUntil }) => validUntil))
    this.#ending =
      firstEnd === Infinity ? null : setTimeout(() => this.#loseExpired(), firstEnd - now).unref()
  }

  #lose(name: string, held: Held): void {
    if (this.#held.get(name) !== held) return
    this.#held.delete(name)
    held.lost.abort()
    this.#logger.warn({ lease: name }, 'a lease was lost')
  }

  #receive(payload: string): void {
    let content: unknown = null
    try {
      content = JSON.parse(payload)
    } catch {
      // ignores a payload that does not come from a process of the middleware
    }
    const { data } = message.safeParse(content)
    if (data === undefined || data.from === this.#owner) return
    if (data.released !== undefined) this.#waiters.wake(data.released)
    if (data.news !== undefined) this.#found(data.news)
  }

  #found(news: News): void {
    if (this.#stopping.signal.aborted) return
    if (news.topic === 'abandoned') this.#waiters.wakeAll()
    for (const listener of this.#listeners) listener(news)
  }
}

/**
 * Whether the process has the lease. Locks the row of the lease until the end of the transaction, so that no other
 * process can take the lease meanwhile. This process can still renew the lease.
 */
async function isHeldBy(connection: Connection, name: string, owner: string): Promise<boolean> {
  const row = await connection
    .selectFrom('leases')
    .select('name')
    .where('name', '=', name)
    .where('owner', '=', owner)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}
