import type { Random } from '#middleware/warehouse/demo/random.ts'

/**
 * The fault of one call. `applied`: whether the service has applied the call before the fault.
 * - answer: another server responds with `status` instead of the service. `page`: with an HTML page, as a captive
 *   portal does.
 * - reset: the connection breaks.
 * - silence: the client gets no response before its time limit.
 * - truncated: the response breaks off in the middle.
 * - late: the connection breaks (`reset`) or the client reaches its time limit (`timeout`). The service applies the
 *   call after that, at most `lateMs` later.
 */
export type Fault =
  | { readonly kind: 'answer'; readonly applied: boolean; readonly status: number; readonly page: boolean }
  | { readonly kind: 'reset' | 'silence'; readonly applied: boolean }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'late'; readonly after: 'reset' | 'timeout' }

const answer = (status: number, applied: boolean, page = false): Fault => ({
  kind: 'answer',
  applied,
  status,
  page,
})

/**
 * Faults of writes with their weights. There is no fault in which the service applies a write and responds with 401,
 * 429 or a redirect. Of the failures of the service, only 417 and 5xx leave open whether the write was applied. A
 * redirect comes from another program (API.md 19).
 */
const writeFaults = {
  'reset, not applied': [10, { kind: 'reset', applied: false }],
  'reset, applied': [14, { kind: 'reset', applied: true }],
  'truncated answer': [10, { kind: 'truncated' }],
  '500, not applied': [5, answer(500, false)],
  '502, applied': [7, answer(502, true)],
  '417, not applied': [4, answer(417, false)],
  '417, applied': [6, answer(417, true)],
  'page, not applied': [4, answer(200, false, true)],
  'page, applied': [4, answer(200, true, true)],
  '302, not applied': [3, answer(302, false, true)],
  '401, not applied': [4, answer(401, false)],
  '429, not applied': [3, answer(429, false)],
  'black hole': [7, { kind: 'silence', applied: false }],
  'answer too late': [7, { kind: 'silence', applied: true }],
  'reset, applied late': [6, { kind: 'late', after: 'reset' }],
  'timeout, applied late': [6, { kind: 'late', after: 'timeout' }],
} as const satisfies Record<string, readonly [number, Fault]>

const readFaults = {
  'read: reset': [4, { kind: 'reset', applied: false }],
  'read: 500': [4, answer(500, false)],
  'read: truncated': [3, { kind: 'truncated' }],
  'read: 401': [2, answer(401, false)],
  'read: page': [1, answer(200, false, true)],
  'read: black hole': [1, { kind: 'silence', applied: false }],
} as const satisfies Record<string, readonly [number, Fault]>

export interface PlannedFault {
  readonly name: string
  readonly fault: Fault
}

export interface FaultRates {
  /** Shares of calls with a fault, from 0 to 1: of writes of the outbox, of reads, and of logins and refreshes. */
  readonly writes: number
  readonly reads: number
  readonly logins: number
}

export type CallKind = 'write' | 'read' | 'login'

export function callKind(method: string, path: string): CallKind {
  if (path.startsWith('/wms/auth/')) return 'login'
  return method === 'GET' ? 'read' : 'write'
}

/** Returns a random fault for this call. Null if the call gets no fault. */
export function planFault(random: Random, kind: CallKind, rates: FaultRates): PlannedFault | null {
  const rate = { write: rates.writes, read: rates.reads, login: rates.logins }[kind]
  if (!random.chance(rate)) return null
  const faults: Readonly<Record<string, readonly [number, Fault]>> =
    kind === 'read' ? readFaults : writeFaults
  const weights = Object.entries(faults).map(([name, [weight, fault]]) => [{ name, fault }, weight] as const)
  const planned = random.weighted(weights)
  return kind === 'login' ? { ...planned, name: `login: ${planned.name}` } : planned
}
