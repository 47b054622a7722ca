import type { PassingCall } from '../outbox/fault-proxy.ts'
import type { Forwarded } from '../outbox/forward.ts'
import { hideRecords } from './blindfold.ts'
import { flightHeader } from './flights.ts'

export type RecordKind = 'label' | 'booking'

/** A read of the service's list that a desk made for one of its writes. */
interface Look {
  readonly kind: RecordKind
  readonly desk: number
  readonly commandId: string | null
  readonly beganTicks: number
  /** The time when the response to the read was complete. */
  readonly endedTicks: number
  readonly path: string
  /** The ids of all records in the response. */
  readonly shownIds: ReadonlySet<string>
}

/** A record that the service created for a desk. This process observed the times as values of performance.now(). */
export interface Creation {
  readonly kind: RecordKind
  readonly serverId: string
  readonly desk: number
  /** The id of the desk's command from which the service made the record. Null if the call did not contain it. */
  readonly commandId: string | null
  /** The time when the write arrived at the proxy of the desk. */
  readonly cameTicks: number
  /**
   * A time directly after the proxy received the response to the write. The service applied the write before this time.
   */
  readonly appliedTicks: number
}

const collections: Readonly<Record<string, RecordKind>> = {
  '/wms/return-labels': 'label',
  '/wms/modifications': 'booking',
}

/** All reads of the type `Look` and all creations of records by all desks, in their order. */
export class WireJournal {
  /**
   * Number of records that were created by a call without the id of a command in its headers (`flightHeader`). The
   * journal finds the reads that belong to a creation by this id, so it finds none for these records.
   */
  unmarked = 0
  readonly #isBlind: boolean
  readonly #looks: Look[] = []
  readonly #creations = new Map<string, Creation>()

  /** `isBlind`: no desk sees the records of another desk. */
  constructor(isBlind: boolean) {
    this.#isBlind = isBlind
  }

  creation(serverId: string): Creation | null {
    return this.#creations.get(serverId) ?? null
  }

  /**
   * Returns the start of the last `Look` that was made for the write of this record and that began before the write
   * arrived at the proxy. Null if there was no such `Look`.
   */
  lookBefore({ kind, desk, commandId, cameTicks }: Creation): number | null {
    return this.#lookBefore({ kind, desk, commandId, cameTicks })?.beganTicks ?? null
  }

  /**
   * Describes the last `Look` that began before a write arrived: its path, the time of its end in milliseconds after
   * `start`, and how many of `ids` it returned. The text is part of a finding.
   */
  tellLookBefore(made: Creation, start: number, ids: readonly string[]): string {
    const look = this.#lookBefore(made)
    if (!look) return 'no look'
    const shown = ids.filter((id) => look.shownIds.has(id))
    return `last look ${look.path} ended ${Math.round(look.endedTicks - start)} and showed ${shown.length} of ${ids.length}`
  }

  #lookBefore({
    kind,
    desk,
    commandId,
    cameTicks,
  }: Pick<Creation, 'kind' | 'desk' | 'commandId' | 'cameTicks'>): Look | null {
    const look = this.#looks.findLast(
      (one) =>
        one.kind === kind && one.desk === desk && one.commandId === commandId && one.beganTicks < cameTicks,
    )
    return look ?? null
  }

  /**
   * Returns a function with which the proxy of a desk passes a call on to the service. The function records the call if
   * it is a `Look` or creates a record. In a blind journal it also hides the records of other desks from reads.
   */
  through(desk: number): (call: PassingCall, go: () => Promise<Forwarded>) => Promise<Forwarded> {
    return async (call, go) => {
      const beganTicks = performance.now()
      const answer = await go()
      const commandId = call.headers[flightHeader]?.toString() ?? null
      const endedTicks = performance.now()
      if (isLook(call, answer)) {
        const shownIds = idsIn(answer.body.toString())
        this.#noteLook(call, { desk, commandId, beganTicks, endedTicks, shownIds })
      }
      if (call.method === 'POST') this.#noteCreation(call, answer, { desk, commandId })
      if (!this.#isBlind || call.method !== 'GET') return answer
      return hideRecords(answer, (id) => (this.#creations.get(id)?.desk ?? desk) !== desk)
    }
  }

  #noteLook({ path }: PassingCall, look: Omit<Look, 'kind' | 'path'>): void {
    const kind = collectionOf(path)
    if (kind) this.#looks.push({ kind, path, ...look })
  }

  #noteCreation(
    { path, cameTicks }: PassingCall,
    { status, body }: Forwarded,
    { desk, commandId }: Pick<Creation, 'desk' | 'commandId'>,
  ): void {
    const kind = collectionOf(path)
    if (!kind || status !== 201) return
    const made: unknown = JSON.parse(body.toString())
    const serverId = typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : ''
    if (commandId === null) this.unmarked++
    const appliedTicks = performance.now()
    this.#creations.set(serverId, { kind, serverId, desk, commandId, cameTicks, appliedTicks })
  }
}

function collectionOf(path: string): RecordKind | null {
  const { pathname } = new URL(path, 'http://service')
  return collections[pathname.replace(/\/$/, '')] ?? null
}

function idsIn(body: string): ReadonlySet<string> {
  return new Set([...body.matchAll(/"id":"([^"]+)"/g)].flatMap(([, id]) => id ?? []))
}

/**
 * Whether the call is a `Look`: a complete response with the first page of a list. Two kinds of reads do not count,
 * because no command uses their records: a page of one row, and a list with `from` and without `to`, which fills the
 * desk's copy of the list.
 */
function isLook({ method, path, fault }: PassingCall, { status }: Forwarded): boolean {
  const { searchParams } = new URL(path, 'http://service')
  const isFirst = (searchParams.get('page') ?? '1') === '1' && searchParams.get('limit') !== '1'
  const isKept = searchParams.has('from') && !searchParams.has('to')
  return method === 'GET' && status === 200 && fault === null && isFirst && !isKept
}
