import type { HeardScan } from '#shared/domain/scan-burst.ts'
import { type Hid, type HidDevice, startHidPos } from './hid-pos.ts'

/** A HID POS scanner that was connected at least once since the window opened. */
export interface HidScanner {
  readonly id: number
  readonly name: string
  readonly state: 'open' | 'unplugged' | 'failed'
}

/** The scanners that this window receives directly through WebHID, and the state of each. */
export class HidScanners {
  readonly #ids = new WeakMap<HidDevice, number>()
  #list = $state.raw<readonly HidScanner[]>([])

  get list(): readonly HidScanner[] {
    return this.#list
  }
  /** Names of the scanners whose scans the window receives now. */
  get open(): readonly string[] {
    return this.#list.flatMap(({ name, state }) => (state === 'open' ? [name] : []))
  }
  /** Scanners that are unplugged, or that are connected but cannot be opened. */
  get lost(): readonly HidScanner[] {
    return this.#list.filter(({ state }) => state !== 'open')
  }

  /**
   * Calls `onScan` with each scan, the name of its scanner and the time stamp of its last report, until the returned
   * function is called. `hid` is null if the browser has no WebHID.
   */
  start(hid: Hid | null, onScan: (name: string, scan: HeardScan, lastReportMs: number) => void): () => void {
    if (!hid) return () => undefined
    return startHidPos(hid, {
      onScan: (device, scan, lastReportMs) => {
        onScan(device.productName, scan, lastReportMs)
      },
      onState: (device, state) => {
        this.#put(device, state)
      },
    })
  }

  #put(device: HidDevice, state: HidScanner['state']): void {
    const name = device.productName
    // A scanner that is plugged in again is a new device object with the same name, so the new object gets the id of an
    // unplugged scanner with this name. The new object does not get the id of a scanner that could not be opened,
    // because that scanner is still plugged in.
    const lost = this.#list.find((one) => one.name === name && one.state === 'unplugged')
    const id = this.#ids.get(device) ?? lost?.id ?? this.#list.length + 1
    this.#ids.set(device, id)
    const others = this.#list.filter((one) => one.id !== id)
    this.#list = [...others, { id, name, state }].toSorted((one, other) => one.id - other.id)
  }
}
