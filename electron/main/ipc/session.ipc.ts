import type { Logger } from '#kit/logger.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { OutwardLimit } from '../setup-tests.ts'
import { sandboxStation, type Stations } from '../stations.ts'
import { bindDomain } from './bind.ts'

/** A page that was taken over could log in at a station of its own, with what it knows as name and password. */
export function bindSession(host: DeskHost, stations: Pick<Stations, 'current'>, logger: Logger): void {
  const logins = new OutwardLimit((seconds) => failure('session.too_many_logins', { waitSeconds: seconds }))
  bindDomain(
    'session',
    {
      state: async () => ok((await host.desk()).session.state()),
      login: (credentials) => {
        const login = async (): Promise<Result<SessionView>> => (await host.desk()).session.login(credentials)
        // the sandbox is a process of this PC
        return stations.current().id === sandboxStation.id ? login() : logins.run(login)
      },
      logout: async () => ok(await (await host.desk()).session.logout()),
    },
    logger,
  )
}
