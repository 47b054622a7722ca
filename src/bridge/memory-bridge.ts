import type { EventName } from '#shared/bridge/channels.ts'
import type { EventPayload, ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  AppInfo,
  ConnectionTest,
  DeskStatus,
  ReturnLabelView,
  ScanEntry,
  ScanOutcome,
  SessionView,
  ShipmentView,
  StationView,
} from '#shared/bridge/views.ts'
import { parseCommand } from '#shared/domain/commands.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { environmentOf } from '#shared/domain/scope.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import {
  ago,
  sampleInfo,
  sampleLabel,
  sampleStatus,
  sandboxStation,
  signedIn,
  signedOut,
} from './sample-views.ts'

/** Everything the fake desk knows; change it at will between calls. */
export interface MemoryWorld {
  nowMs: () => number
  info: AppInfo
  stations: StationView[]
  currentStation: string
  session: SessionView
  /** What a right login answers with. */
  loginAs: SessionView
  status: DeskStatus
  shipments: ShipmentView[]
  labels: ReturnLabelView[]
  recent: ScanEntry[]
  test: ConnectionTest
  /** By `domain:method`: that call fails, until taken out. */
  failures: Partial<Record<string, Failure>>
  /** By `domain:method`: that call never answers. */
  hanging: Set<string>
}

export function memoryWorld(nowMs: () => number = Date.now): MemoryWorld {
  return {
    nowMs,
    info: sampleInfo,
    stations: [sandboxStation],
    currentStation: sandboxStation.id,
    session: signedOut,
    loginAs: signedIn,
    status: sampleStatus(nowMs()),
    shipments: [],
    labels: [],
    recent: [],
    test: {
      reachable: true,
      isService: true,
      wmsKnown: null,
      environment: 'production',
      tookMs: 84,
      failure: null,
    },
    failures: {},
    hanging: new Set(),
  }
}

/** A desk in memory behind the real contract: for the gallery and for tests of state classes. */
export class MemoryDesk {
  readonly world: MemoryWorld
  readonly bridge: ScandeskBridge
  /** Names of the calls made, in order. */
  readonly calls: string[] = []
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>()
  #serial = 0

  constructor(world: MemoryWorld = memoryWorld()) {
    this.world = world
    this.bridge = this.#makeBridge()
  }

  emit<E extends EventName>(event: E, payload: EventPayload<E>): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      const call = listener as (payload: EventPayload<E>) => void
      call(payload)
    }
  }

  /** Changes a label as the desk would, and says so. */
  putLabel(label: ReturnLabelView): void {
    this.world.labels = [label, ...this.world.labels.filter((known) => known.id !== label.id)]
    this.emit('returnLabel', label)
  }

  putSession(session: SessionView): SessionView {
    this.world.session = session
    this.emit('session', session)
    return session
  }

  #call<T>(name: string, answer: () => Result<T>): Promise<Result<T>> {
    this.calls.push(name)
    if (this.world.hanging.has(name)) return new Promise(() => undefined)
    const failure = this.world.failures[name]
    return Promise.resolve(failure ? fail<T>(failure.code, failure.params) : answer())
  }

  #makeBridge(): ScandeskBridge {
    return {
      app: this.#app(),
      station: this.#station(),
      session: this.#session(),
      scan: this.#scans(),
      returnLabel: this.#returnLabel(),
      desk: {
        status: () => this.#call('desk:status', () => ok(this.world.status)),
        resolveUnknown: ({ commandId, decision }) =>
          this.#call('desk:resolveUnknown', () => this.#resolve(commandId, decision)),
      },
      on: (event, listener) => {
        const set = this.#listeners.get(event) ?? new Set()
        this.#listeners.set(event, set.add(listener))
        return () => {
          set.delete(listener)
        }
      },
    }
  }

  #app(): ScandeskBridge['app'] {
    const { world } = this
    return {
      info: () => this.#call('app:info', () => ok(world.info)),
      setLanguage: ({ language }) =>
        this.#call('app:setLanguage', () => ok((world.info = { ...world.info, language }))),
    }
  }

  #station(): ScandeskBridge['station'] {
    const { world } = this
    const current = (): Result<StationView> => {
      const found = world.stations.find(({ id }) => id === world.currentStation)
      return found ? ok(found) : fail('station.none')
    }
    return {
      list: () => this.#call('station:list', () => ok(world.stations)),
      current: () => this.#call('station:current', current),
      test: () => this.#call('station:test', () => ok(world.test)),
      save: (draft) =>
        this.#call('station:save', () => {
          const saved = { ...draft, id: this.#id('st'), environment: environmentOf(draft), demoLogin: null }
          world.stations = [...world.stations, saved]
          return ok(saved)
        }),
      use: ({ id }) =>
        this.#call('station:use', () => {
          world.currentStation = id
          this.putSession(signedOut)
          return current()
        }),
      remove: ({ id }) =>
        this.#call('station:remove', () => ok((world.stations = world.stations.filter((s) => s.id !== id)))),
    }
  }

  #session(): ScandeskBridge['session'] {
    const { world } = this
    return {
      state: () => this.#call('session:state', () => ok(world.session)),
      login: ({ username }) =>
        this.#call('session:login', () => ok(this.putSession({ ...world.loginAs, username }))),
      logout: () => this.#call('session:logout', () => ok(this.putSession(signedOut))),
    }
  }

  #scans(): ScandeskBridge['scan'] {
    return {
      submit: ({ raw }) => this.#call('scan:submit', () => ok(this.#scan(raw))),
      recent: () => this.#call('scan:recent', () => ok(this.world.recent)),
    }
  }

  #returnLabel(): ScandeskBridge['returnLabel'] {
    const { world } = this
    const label = (id: string): Result<ReturnLabelView> => {
      const found = world.labels.find((known) => known.id === id)
      return found ? ok(found) : fail('return_label.unknown')
    }
    return {
      make: ({ shipmentId }) =>
        this.#call('returnLabel:make', () => {
          const shipment = world.shipments.find(({ id }) => id === shipmentId)
          const made = {
            ...sampleLabel(world.nowMs()),
            id: this.#id('lb'),
            shipmentId,
            shipmentReference: shipment?.reference ?? shipmentId,
          }
          this.putLabel(made)
          return ok(made)
        }),
      get: ({ id }) => this.#call('returnLabel:get', () => label(id)),
      recent: () => this.#call('returnLabel:recent', () => ok(world.labels)),
      reprint: ({ id }) => this.#call('returnLabel:reprint', () => label(id)),
    }
  }

  #id(prefix: string): string {
    this.#serial += 1
    return `${prefix}-memory-${String(this.#serial)}`
  }

  #resolve(commandId: string, decision: 'send_again' | 'discard'): Result<ReturnLabelView> {
    const write = this.world.status.waitingWrites.find((waiting) => waiting.commandId === commandId)
    const found = this.world.labels.find(({ id }) => id === write?.labelId)
    if (!found) return fail('return_label.unknown')
    const state = decision === 'send_again' ? ('queued' as const) : ('discarded' as const)
    const decided = { ...found, create: found.create === 'unknown' ? state : found.create, failure: null }
    this.putLabel(found.request === 'unknown' ? { ...decided, request: state } : decided)
    return ok(decided)
  }

  #scan(raw: string): ScanOutcome {
    const outcome = this.#look(raw)
    const title = outcome.kind === 'shipment' ? outcome.shipment.reference : null
    const { scanId, at, kind } = outcome
    this.world.recent = [{ scanId, raw, at, kind, title }, ...this.world.recent]
    return outcome
  }

  #look(raw: string): ScanOutcome {
    const scanned = { scanId: this.#id('sc'), raw, at: ago(this.world.nowMs(), 0) }
    const command = parseCommand(raw)
    if (command) return { ...scanned, kind: 'command', command }
    const code = normaliseCode(raw)
    const shipment = this.world.shipments.find(({ reference, orderReference, trackingCodes }) =>
      [reference, orderReference, ...trackingCodes].some(
        (known) => known !== null && normaliseCode(known) === code,
      ),
    )
    const labelOf = (id: string): ReturnLabelView | null =>
      this.world.labels.find(({ shipmentId }) => shipmentId === id) ?? null
    if (shipment) return { ...scanned, kind: 'shipment', shipment, label: labelOf(shipment.id) }
    const label = this.world.labels.find(({ trackingCode }) => trackingCode === code)
    if (label) return { ...scanned, kind: 'return_label', label }
    const { reachesBackTo } = this.world.status.index
    return { ...scanned, kind: 'unknown', indexReachesBackTo: reachesBackTo, askedService: true }
  }
}
