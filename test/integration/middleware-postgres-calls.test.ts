import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { waitUntil } from '#support/child-program.ts'
import { startTestServer, type TestServer } from '#support/middleware-server.ts'
import { freshUrl, isOnPostgres } from '#support/test-database.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Opens a connection to a database, in addition to the connections of the servers. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  ends.push(() => client.end())
  return client
}

describe.skipIf(!isOnPostgres)('refreshes of many logins of one user', () => {
  /** Starts servers on one database, and logs a user in many times. Returns the refresh tokens. */
  async function startWithLogins(
    servers: number,
    logins: number,
  ): Promise<{ url: string; running: readonly TestServer[]; tokens: readonly string[] }> {
    const url = await freshUrl(ends)
    const running: TestServer[] = []
    for (let index = 0; index < servers; index++) running.push(await startTestServer({ databaseUrl: url }))
    ends.push(() => Promise.all(running.map((server) => server.close())))
    const tokens: string[] = []
    for (let index = 0; index < logins; index++) {
      const body = { username: 'everything', password: 'everything-secret-word' }
      const reply = await running[0]?.call('/wms/auth/login/', { method: 'POST', body, token: null })
      tokens.push((reply?.body as { refresh_token: string }).refresh_token)
    }
    return { url, running, tokens }
  }

  async function refresh(server: TestServer | undefined, refresh_token: string): Promise<number | undefined> {
    const call = { method: 'POST', body: { refresh_token }, token: null } as const
    return (await server?.call('/wms/auth/refresh/', call))?.status
  }

  it('leave connections for other calls while they wait for the database', async () => {
    const { url, running, tokens } = await startWithLogins(1, 24)
    const [server] = running
    await server?.logIn()
    const holder = await connect(url)
    await holder.query('begin; lock table refresh_tokens, logins in exclusive mode')
    const refreshes = tokens.map((token) => refresh(server, token))
    await waitUntil(async () => (await waiting(holder)) > 0, 'a refresh that waits')
    expect((await server?.call('/wms/customers/'))?.status).toBe(200)
    expect(await waiting(holder)).toBe(1)
    await holder.query('rollback')
    expect(new Set(await Promise.all(refreshes))).toEqual(new Set([200]))
  })

  it('are never refused because of each other, even if two processes handle them', async () => {
    const { url, running, tokens } = await startWithLogins(2, 60)
    const client = await connect(url)
    for (const statement of [
      // The tries are counted with a sequence, because a rollback does not reset a sequence.
      'create sequence tries',
      `create function count_tries() returns trigger language plpgsql as $$ begin
        perform nextval('tries');
        return new;
      end $$`,
      'create trigger count_tries before insert on refresh_tokens for each row execute function count_tries()',
    ])
      await client.query(statement)
    const statuses = await Promise.all(tokens.map((token, index) => refresh(running[index % 2], token)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    const { rows } = await client.query<{ tries: string }>('select last_value as tries from tries')
    expect(Number(rows[0]?.tries)).toBe(tokens.length)
  })
})

/** Returns the number of statements in this database that wait for a lock. */
async function waiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return Number(rows[0]?.count)
}

describe.skipIf(!isOnPostgres)('look-ups before the user of a call is known', () => {
  it('leave database connections free for other calls while many logins and refreshes wait for the database', async () => {
    const url = await freshUrl(ends)
    const server = await startTestServer({ databaseUrl: url, sandbox: false })
    ends.push(() => server.close())
    await server.logIn()
    const holder = await connect(url)
    await holder.query('begin; lock table refresh_tokens, refused_logins in access exclusive mode')
    const post = (path: string, body: object) => server.call(path, { method: 'POST', body, token: null })
    const calls = Array.from({ length: 24 }, (_, index) =>
      index % 2 === 0
        ? post('/wms/auth/refresh/', { refresh_token: 'a'.repeat(128) })
        : post('/wms/auth/login/', { username: `user ${index}`, password: 'wrong' }),
    )
    await waitUntil(async () => (await waiting(holder)) > 0, 'a look-up that waits')
    // At most four look-ups of logins and refreshes run at the same time. At most three of them are for one user or,
    // while the user is not known, for one network of clients. All logins and refreshes of this test come from one
    // network. The next call has a known user, so its look-up does not wait.
    expect((await server.call('/wms/customers/', { customer: 'NONE' })).status).toBe(403)
    for (let time = 0; time < 20; time++) expect(await waiting(holder)).toBeLessThanOrEqual(3)
    await holder.query('rollback')
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([401]))
  })
})

describe.skipIf(!isOnPostgres)('refused logins at a process whose clock is an hour ahead', () => {
  it('do not keep the user from logging in at another process', async () => {
    const url = await freshUrl(ends)
    const servers = [
      await startTestServer({ databaseUrl: url, sandbox: false }),
      await startTestServer({ databaseUrl: url, sandbox: false }),
    ] as const
    for (const server of servers) ends.push(() => server.close())
    const [ahead, right] = servers
    ahead.clock.advance(3_600_000)
    const logIn = async (server: TestServer, password: string): Promise<number> => {
      const body = { username: 'everything', password }
      return (await server.call('/wms/auth/login/', { method: 'POST', body, token: null })).status
    }
    for (let time = 0; time < 10; time++) expect(await logIn(ahead, 'wrong')).toBe(401)
    expect(await logIn(ahead, 'everything-secret-word')).toBe(429)
    expect(await logIn(right, 'everything-secret-word')).toBe(200)
  })
})
