import type { ApiPort } from '#desk/ports/api.ts'
import type { ClockPort } from '#desk/ports/clock.ts'
import type { PrinterPort, PrintersPort } from '#desk/ports/printers.ts'
import type { LabelIndexStore } from '#desk/ports/recent-store.ts'
import type { ScopeValues } from '#desk/ports/store.ts'
import type { SessionStore } from '#desk/service/session.ts'
import { type Scope, type ScopeKey, scopeKey } from '#shared/domain/scope.ts'

export interface FakeClock extends ClockPort {
  /** Advances the wall clock and the monotonic clock by the given time, and runs the due timers in order. */
  advance(ms: number): void
  /** Sets the wall clock, as an operator or a time server does. */
  setWall(ms: number): void
}

export function fakeClock(): FakeClock {
  let wall = Date.parse('2026-03-01T12:00:00Z')
  let ticks = 1_000
  let timers: { due: number; action: () => void }[] = []
  return {
    now: () => wall,
    ticks: () => ticks,
    after(delayMs, action) {
      const timer = { due: ticks + delayMs, action }
      timers.push(timer)
      return () => void (timers = timers.filter((one) => one !== timer))
    },
    advance(ms) {
      const end = ticks + ms
      for (;;) {
        const next = timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0]
        if (!next) break
        timers = timers.filter((one) => one !== next)
        wall += Math.max(0, next.due - ticks)
        ticks = Math.max(ticks, next.due)
        next.action()
      }
      wall += end - ticks
      ticks = end
    },
    setWall: (ms) => void (wall = ms),
  }
}

export function memoryValues(rows = new Map<string, string>()): ScopeValues {
  return {
    read: (key) => rows.get(key) ?? null,
    write: (key, value) => void rows.set(key, value),
    remove: (key) => void rows.delete(key),
  }
}

/**
 * Returns a store in memory for the session of a desk with this scope. `rows` contains the stored values of all scopes
 * of the PC.
 */
export function memorySessionStore(
  scope: Scope = { baseUrl: 'https://service.example', wmsCode: 'DEV', customerCode: 'ALDER' },
  rows = new Map<ScopeKey, ScopeValues>(),
): SessionStore {
  const valuesOf = (key: ScopeKey): ScopeValues => {
    const values = rows.get(key) ?? memoryValues()
    rows.set(key, values)
    return values
  }
  return {
    values: valuesOf(scopeKey(scope)),
    valuesOf,
    scopesWith: (key) => [...rows].filter(([, values]) => values.read(key) !== null).map(([scope]) => scope),
  }
}

const never = (): Promise<never> => Promise.reject(new Error('this call was not expected'))

/** A copy of the service's list of labels that contains no label. */
export const emptyLabelIndex: Pick<LabelIndexStore, 'search'> = {
  search: () => Promise.resolve({ labels: [], isPartial: false }),
}

/** A service whose calls all fail. A test replaces the calls that it expects. */
export const unusedApi: ApiPort = {
  login: never,
  refresh: never,
  listCustomers: never,
  greet: never,
  getShipment: never,
  listShipments: never,
  shipmentsOfOrder: never,
  listReturnLabels: never,
  getReturnLabel: never,
  getShipmentReturnLabel: never,
  getVariant: never,
  listVariants: never,
  listArticles: never,
  listAllBatches: never,
  listBatches: never,
  listStock: never,
  listShippingMethods: never,
  listLocationTypes: never,
  listModifications: never,
  getModification: never,
  write: never,
  downloadDocument: never,
}

/** Printers without routes: every print uses the first one. */
export function printersOf(all: () => readonly PrinterPort[]): PrintersPort {
  const first = (): PrinterPort => {
    const [printer] = all()
    if (!printer) throw new Error('no printer')
    return printer
  }
  return {
    all,
    named: (name) => all().find((one) => one.name === name) ?? null,
    usual: first,
    forPaper: () => Promise.resolve(first()),
  }
}
