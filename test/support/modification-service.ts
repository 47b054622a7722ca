import type { ApiOutcome, ApiPort, RecentQuery, RowPage } from '#desk/ports/api.ts'
import type { ClockPort } from '#desk/ports/clock.ts'
import { createLine } from '#desk/service/line.ts'
import { Session } from '#desk/service/session.ts'
import { refusalCode } from '#remote/judge.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Modification, ModificationCreate } from '#shared/wire/modification.ts'
import { memorySessionStore, unusedApi } from './desk-fakes.ts'
import { smallId } from './small-world.ts'
import { serverIdOf } from './ids.ts'

interface NewBooking {
  readonly body: ModificationCreate
}

/**
 * The modifications of a simulated service in memory. Its list has the newest first, is filtered by whole days, and has
 * pages of any length.
 */
export class ModificationService {
  readonly rows: Modification[] = []
  readonly calls: string[] = []
  /** Maximum number of rows of a page, whatever limit is requested. */
  pageCap = 1_000
  /** Maximum number of rows that may be requested; a longer page is refused. */
  longestPage = Infinity
  /** Whether the list ignores the page number and returns its first page each time. */
  ignoresPage = false
  /** Number of the next list calls to which the service responds with an empty page. */
  emptyPages = 0
  /** Ids of rows that the service lists in an unreadable form. */
  readonly unreadable = new Set<string>()
  /** Ids for which a read of the single record fails. */
  readonly failing = new Set<string>()
  /** If set, every call has this outcome instead of a response. */
  trouble: Exclude<ApiOutcome<never>, { kind: 'answer' }> | null = null
  readonly #clock: ClockPort
  /** Milliseconds by which the clock of the service is ahead of the desk's clock. */
  aheadMs = 0

  constructor(clock: ClockPort) {
    this.#clock = clock
  }

  add(note: string, createdAt: number, lines: Modification['modification_lines'] = []): Modification {
    const number = this.rows.length + 1
    const at = new Date(createdAt).toISOString()
    const row: Modification = {
      id: serverIdOf(smallId(5_000 + number)),
      reference: `MOD${String(number).padStart(11, '0')}`,
      reason: 'LOST',
      status: 'created',
      note,
      created_at: at,
      modified_at: at,
      modification_lines: lines,
    }
    this.rows.push(row)
    return row
  }

  get api(): ApiPort {
    return {
      ...unusedApi,
      login: () =>
        Promise.resolve(this.#answer({ token: 'token', iat: 0, exp: 1_000_000, refresh_token: 'refresh' })),
      listCustomers: () => Promise.resolve(this.#answer([])),
      listModifications: (_, query) => Promise.resolve(this.#list(query)),
      getModification: (_, id) => Promise.resolve(this.#get(id)),
      // Every write is the creation of a modification, because these tests make no other write.
      write: (_, __, call) => Promise.resolve(this.#create((call as NewBooking).body) as never),
    }
  }

  async session(): Promise<Session> {
    const session = new Session({
      api: this.api,
      secrets: {
        canProtect: () => Promise.resolve(false),
        read: () => Promise.resolve(null),
        write: () => Promise.resolve(),
        remove: () => Promise.resolve(),
      },
      store: memorySessionStore(),
      clock: this.#clock,
      line: createLine(this.#clock, () => undefined),
      scope: { baseUrl: 'https://service.example', wmsCode: 'DEV', customerCode: 'ALDER' },
      changed: () => undefined,
      onFault: (error) => {
        throw error
      },
    })
    await session.login({ username: 'sam', password: 'right' })
    return session
  }

  #answer<T>(value: T): ApiOutcome<T> {
    return { kind: 'answer', status: 200, value, serverDate: this.#clock.now() + this.aheadMs }
  }

  #list({ from = '', to = '9999', page, limit }: RecentQuery): ApiOutcome<RowPage<Modification>> {
    this.calls.push(`list ${page}`)
    if (this.trouble) return this.trouble
    if (limit > this.longestPage) return refused(400)
    if (this.emptyPages-- > 0) return this.#answer({ rows: [], skipped: [] })
    const length = Math.min(limit, this.pageCap)
    const first = this.ignoresPage ? 0 : (page - 1) * length
    const day = (row: Modification): string => row.created_at.slice(0, 10)
    const wanted = this.rows
      .filter((row) => day(row) >= from && day(row) <= to)
      .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
      .slice(first, first + length)
    return this.#answer({
      rows: wanted
        .filter(({ id }) => !this.unreadable.has(id))
        .map((row) => ({ ...row, modification_lines: undefined })),
      skipped: wanted.filter(({ id }) => this.unreadable.has(id)).map(({ id }) => ({ id, problem: 'shape' })),
    })
  }

  #get(id: string): ApiOutcome<Modification> {
    this.calls.push(`get ${id}`)
    if (this.trouble) return this.trouble
    if (this.failing.has(id)) return unavailable
    const row = this.rows.find((one) => one.id === id)
    return row ? this.#answer(row) : refused(404)
  }

  #create(body: ModificationCreate): ApiOutcome<Modification> {
    this.calls.push('create')
    if (this.trouble) return this.trouble
    const lines = body.modification_lines.map(({ variant, location, quantity }) => ({
      variant: { id: variant },
      location: { id: location },
      quantity,
    }))
    return this.#answer(this.add(body.note, this.#clock.now() + this.aheadMs, lines))
  }
}

/** The outcome of a call to which the service responds with status 503. */
export const unavailable: Extract<ApiOutcome<never>, { kind: 'ambiguous' }> = {
  kind: 'ambiguous',
  status: 503,
  failure: failure('api.unavailable'),
}

/** Returns the outcome that the API client reports for a call that the service refuses with this status. */
export function refused(status: number): Extract<ApiOutcome<never>, { kind: 'refused' }> {
  return {
    kind: 'refused',
    status,
    failure: failure(refusalCode(status, 'other'), { status }),
    serverDate: null,
  }
}
