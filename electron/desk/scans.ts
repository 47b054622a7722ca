import type { ScanEntry, ScanOutcome } from '#shared/bridge/views.ts'
import { parseCommand } from '#shared/domain/commands.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { isoTime } from './iso-time.ts'
import { toLabelView } from './label-view.ts'
import type { ClockPort } from './ports/clock.ts'
import type {
  LabelLedger,
  LabelRow,
  ScanRow,
  ScansStore,
  ShipmentIndexStore,
  StoredShipment,
} from './ports/store.ts'
import { toShipmentView } from './shipment-view.ts'
import type { Shipments } from './shipments.ts'

export interface ScansParts {
  readonly journal: ScansStore
  readonly labels: LabelLedger
  readonly index: ShipmentIndexStore
  readonly shipments: Shipments
  readonly clock: ClockPort
  readonly onFault: (error: unknown) => void
}

/** What a scan turned out to be, and what the journal notes of it. */
interface Found {
  readonly outcome: ScanOutcome
  readonly title: string | null
  readonly subjectId: string | null
}

type Scanned = Pick<ScanOutcome, 'scanId' | 'raw' | 'at'>

const recentLength = 50

/** Scans: written down first, understood afterwards. */
export class Scans {
  readonly #parts: ScansParts

  constructor(parts: ScansParts) {
    this.#parts = parts
  }

  /** Throws only if the scan could not be saved; failing to understand it is an outcome. */
  async submit(raw: string): Promise<ScanOutcome> {
    const { journal, clock } = this.#parts
    const id = crypto.randomUUID()
    const at = clock.now()
    journal.append({ id, raw, at })
    const found = await this.#understand({ scanId: id, raw, at: isoTime(at) })
    const { outcome, title, subjectId } = found
    journal.resolve(id, { kind: outcome.kind, title, subjectId })
    return outcome
  }

  recent(): ScanEntry[] {
    return this.#parts.journal.recent(recentLength).map(toEntry)
  }

  async #understand(scanned: Scanned): Promise<Found> {
    try {
      return await this.#resolve(scanned)
    } catch (error) {
      this.#parts.onFault(error)
      const cause = error instanceof CataloguedError ? error.failure : failure('internal.unexpected')
      return failed(scanned, cause)
    }
  }

  /** The order of the questions matters: an order's reference is also the bare one of its return label. */
  async #resolve(scanned: Scanned): Promise<Found> {
    const { shipments, labels, index } = this.#parts
    const command = parseCommand(scanned.raw)
    if (command) return { outcome: { ...scanned, kind: 'command', command }, title: command, subjectId: null }
    const code = normaliseCode(scanned.raw)
    const known = shipments.known(code)
    if (known) return this.#shipment(scanned, await shipments.freshened(known))
    const label = labels.byCode(code)
    if (label) return returnLabel(scanned, label)
    const asked = await shipments.ask(scanned.raw)
    if (asked.kind === 'found') return this.#shipment(scanned, asked.stored)
    if (asked.kind === 'failed') return failed(scanned, asked.failure)
    const state = index.state()
    const indexReachesBackTo = state && isoTime(state.oldest)
    const { askedService } = asked
    return {
      outcome: { ...scanned, kind: 'unknown', indexReachesBackTo, askedService },
      title: null,
      subjectId: null,
    }
  }

  #shipment(scanned: Scanned, { shipment, asOf }: StoredShipment): Found {
    const label = this.#parts.labels.newestOfShipment(shipment.id)
    return {
      outcome: {
        ...scanned,
        kind: 'shipment',
        shipment: toShipmentView(shipment, asOf),
        label: label && toLabelView(label),
      },
      title: shipment.reference,
      subjectId: shipment.id,
    }
  }
}

function returnLabel(scanned: Scanned, label: LabelRow): Found {
  const title = label.externalReference ?? label.shipmentReference
  return {
    outcome: { ...scanned, kind: 'return_label', label: toLabelView(label) },
    title,
    subjectId: label.id,
  }
}

function failed(scanned: Scanned, { code, params }: Failure): Found {
  const view = { code, params: { ...params } }
  return { outcome: { ...scanned, kind: 'failed', failure: view }, title: null, subjectId: null }
}

function toEntry(row: ScanRow): ScanEntry {
  return { scanId: row.id, raw: row.raw, at: isoTime(row.at), kind: row.kind, title: row.title }
}
