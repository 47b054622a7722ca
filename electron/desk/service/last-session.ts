import { type SessionView, sessionView } from '#shared/bridge/views.ts'
import type { SettingsStore } from '../ports/store.ts'

/** Who was here last: what an offline start shows. No token, no password. */
export interface LastSession {
  readonly username: string
  readonly roles: readonly string[]
  readonly customer: NonNullable<SessionView['customer']>
}

const key = 'last_session'

const stored = sessionView.pick({ username: true, roles: true, customer: true })

/** Null where nobody was, or where the row cannot be read any more. */
export function readLastSession(settings: SettingsStore): LastSession | null {
  const text = settings.read(key)
  if (text === null) return null
  const parsed = stored.safeParse(parse(text))
  if (!parsed.success || parsed.data.username === null || parsed.data.customer === null) return null
  return { username: parsed.data.username, roles: parsed.data.roles, customer: parsed.data.customer }
}

export function writeLastSession(settings: SettingsStore, session: LastSession): void {
  settings.write(key, JSON.stringify(session))
}

export function forgetLastSession(settings: SettingsStore): void {
  settings.remove(key)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
