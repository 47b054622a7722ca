import type { DeskStatus } from '#shared/bridge/views.ts'
import type { ApiOutcome } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import { isoTime } from './iso-time.ts'

export interface Line {
  view(): DeskStatus['line']
  isOffline(): boolean
  /** Judges by what a call met: only a real answer of the service makes the line good. */
  observe(outcome: ApiOutcome<unknown>): void
  /** Calls back whenever the line turns from offline or unknown to online. */
  onBack(listener: () => void): void
  /** Calls back whenever the line turns offline, whoever met it. */
  onLost(listener: () => void): void
}

/** Whether the service can be reached, judged by real answers alone. */
export function createLine(clock: ClockPort, changed: () => void): Line {
  let state: DeskStatus['line']['state'] = 'unknown'
  let since = clock.now()
  const listeners: Record<'online' | 'offline', (() => void)[]> = { online: [], offline: [] }
  return {
    view: () => ({ state, since: isoTime(since) }),
    isOffline: () => state === 'offline',
    observe(outcome) {
      const met = meeting(outcome)
      if (met === state || met === null) return
      state = met
      since = clock.now()
      changed()
      for (const listener of listeners[met]) listener()
    },
    onBack: (listener) => void listeners.online.push(listener),
    onLost: (listener) => void listeners.offline.push(listener),
  }
}

function meeting(outcome: ApiOutcome<unknown>): 'online' | 'offline' | null {
  if (outcome.kind === 'answer' || outcome.kind === 'refused') return 'online'
  const { code } = outcome.failure
  if (code.startsWith('network.') || code.startsWith('station.')) return 'offline'
  // 5xx, 417, an unreadable answer: somebody is there, but not whom we need
  return null
}
