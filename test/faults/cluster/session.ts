import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import { tokens } from '#shared/wire/auth.ts'
import { type CallOptions, type Reply, send } from '#support/middleware-server.ts'
import type { Diary } from './diary.ts'

/** Milliseconds after which a call counts as a call without a response. */
const longestCallMs = 60_000

/** Error codes of calls that failed before they were sent. */
const notSent = /^(ECONNREFUSED|EADDRNOTAVAIL)$/

/**
 * A client with its login. Each call goes to a random process. A response 503 counts as no response, because the
 * process may have lost its connection to the database after the commit.
 */
export class Session {
  readonly random: Random
  readonly #diary: Diary
  readonly #urls: () => readonly string[]
  #token = ''
  #refreshToken = ''

  constructor({
    random,
    diary,
    urls,
  }: {
    readonly random: Random
    readonly diary: Diary
    readonly urls: () => readonly string[]
  }) {
    this.random = random
    this.#diary = diary
    this.#urls = urls
  }

  /** Returns null if there is no response. Even then the service may have applied the call. */
  async call(path: string, options: CallOptions = {}): Promise<Reply | null> {
    const reply = await this.#send(path, { ...options, token: this.#token })
    if (reply?.status !== 401) return reply
    this.#diary.refusedTokens.push(`access token for ${options.method ?? 'GET'} ${path}`)
    await this.logIn()
    return this.call(path, options)
  }

  /** Repeats a read until it has a response. */
  async read(path: string): Promise<Reply> {
    for (;;) {
      const reply = await this.call(path)
      if (reply !== null) return reply
    }
  }

  async logIn(): Promise<void> {
    const body = { username: 'everything', password: 'everything-secret-word' }
    for (;;) {
      const reply = await this.#send('/wms/auth/login/', { method: 'POST', body, token: null })
      if (reply === null) continue
      this.#keep(reply)
      return
    }
  }

  /**
   * Exchanges the refresh token, sometimes with two simultaneous calls. If all calls get a response, exactly one of
   * them must succeed.
   */
  async refresh(): Promise<void> {
    const body = { refresh_token: this.#refreshToken }
    const calls = Array.from({ length: this.random.chance(0.4) ? 2 : 1 }, () =>
      this.#send('/wms/auth/refresh/', { method: 'POST', body, token: null }),
    )
    const replies = await Promise.all(calls)
    const granted = replies.filter((reply) => reply?.status === 200)
    const [first] = granted
    if (granted.length > 1) this.#diary.refreshedTwice += 1
    if (first !== undefined && first !== null) {
      this.#keep(first)
      this.#diary.acknowledge()
      return
    }
    // if a call got no response, this call may have used the token, so the refusal of the other call is correct
    if (!replies.includes(null))
      this.#diary.refusedTokens.push(`refresh token: ${JSON.stringify(replies.map((each) => each?.body))}`)
    await this.logIn()
  }

  #keep({ body }: Reply): void {
    const { token, refresh_token: refreshToken } = tokens.parse(body)
    this.#token = token
    this.#refreshToken = refreshToken
  }

  async #send(path: string, options: CallOptions): Promise<Reply | null> {
    const what = `${options.method ?? 'GET'} ${path}`
    for (;;) {
      const urls = this.#urls()
      if (urls.length === 0) await sleep(20)
      else {
        const sent = await this.#try(what, () => send(this.random.pick(urls), path, options))
        if (sent !== 'not sent') return sent
        await sleep(10)
      }
    }
  }

  async #try(what: string, call: () => Promise<Reply>): Promise<Reply | null | 'not sent'> {
    const limit = new AbortController()
    const late = sleep(longestCallMs, 'late' as const, { signal: limit.signal }).catch(() => 'late' as const)
    try {
      const reply = await Promise.race([call(), late])
      if (reply === 'late') throw new Error(`no response within ${longestCallMs} ms`)
      if (reply.status !== 503) return reply
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null
      const code = cause !== null && 'code' in cause ? String(cause.code) : ''
      if (notSent.test(code)) return 'not sent'
      // fetch throws a TypeError if a connection breaks
      if (!(error instanceof TypeError)) this.#diary.problems.push(`${what}: ${String(error)}`)
    } finally {
      limit.abort()
    }
    this.#diary.ambiguous += 1
    return null
  }
}
