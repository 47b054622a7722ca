import type { ScanEntry } from '#shared/bridge/scan-views.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { type MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { sandboxStation, signedIn } from '#support/memory-desk/station.ts'

export interface Step {
  readonly scan?: string
  readonly click?: string
  /** Scrolls to the element with this selector. */
  readonly show?: string
  /** Types into a field. `into`: returns the label of the field in the shown language. */
  readonly type?: { readonly into: () => string; readonly text: string }
  /** Types into a field that has no label. The value is the selector of the field. */
  readonly input?: string
  readonly text?: string
  readonly desk?: (desk: MemoryDesk) => void
}

/**
 * One screen in one state. `sizes: both` also takes a picture at 1920x1080, `narrow` at the smallest size of the
 * window.
 */
export interface Scenario {
  readonly name: string
  readonly world: (nowMs: number) => MemoryWorld
  readonly steps?: readonly Step[]
  readonly unfocused?: boolean
  readonly sizes?: 'both'
  readonly narrow?: boolean
}

function recent(nowMs: number): ScanEntry[] {
  const entry = (
    minutes: number,
    kind: ScanEntry['kind'],
    raw: string,
    title: string | null = null,
  ): ScanEntry => ({ scanId: `old-${String(minutes)}`, raw, at: ago(nowMs, minutes), kind, title })
  return [
    entry(2, 'shipment', '3SABCD1234501', 'M. Jansen-van Oldenbarnevelt'),
    entry(4, 'unknown', '8719327004412'),
    entry(7, 'shipment', 'SHP00000000377', 'Zoë Ångström'),
    entry(9, 'return_label', '3SRETR7654300', 'SHP00000000365'),
    entry(12, 'failed', 'WEB-100365'),
    entry(15, 'shipment', 'WEB-100361', 'Bäckerei Großmann'),
    entry(21, 'shipment', 'SHP00000000358', 'Łukasz Wiśniewski'),
    entry(22, 'shipment', '1Z999AA10123456784', 'F. Dupont'),
    entry(31, 'shipment', 'SHP00000000341', 'A. Peeters'),
    entry(44, 'shipment', 'SHP00000000340', 'C. Rossi'),
  ]
}

export function world(nowMs: number, change: Partial<MemoryWorld> = {}): MemoryWorld {
  return {
    ...memoryWorld(() => nowMs),
    session: signedIn,
    shipments: [sampleShipment(nowMs)],
    recent: recent(nowMs),
    ...change,
  }
}

export function at(station: StationView): Partial<MemoryWorld> {
  return { stations: [sandboxStation, station], currentStation: station.id }
}
