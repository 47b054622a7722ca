import type { HeardScan } from '#shared/domain/scan-burst.ts'
import { type Hid, type HidDevice, startHidPos } from './hid-pos.ts'

/** A scanner that speaks HID POS and was there since the window opened. */
export interface HidScanner {
  readonly id: number
  readonly name: string
  readonly state: 'open' | 'unplugged' | 'failed'
}

/** The scanners that this window hears by itself, and how each is doing. */
export class HidScanners {
  readonly #ids = new WeakMap<HidDevice, number>()
  #list = $state.raw<readonly HidScanner[]>([])

  get list(): readonly HidScanner[] {
    return this.#list
  }
  /** What those are called that are heard now. */
  get open(): readonly string[] {
    return this.#list.flatMap(({ name, state }) => (state === 'open' ? [name] : []))
  }
  /** Those that were there and are not. */
  get lost(): readonly HidScanner[] {
    return this.#list.filter(({ state }) => state !== 'open')
  }

  /** `onScan` hears which scanner it was until the returned function is called. `hid` is null where there is no WebHID. */
  start(hid: Hid | null, onScan: (name: string, scan: HeardScan) => void): () => void {
    if (!hid) return () => undefined
    return startHidPos(hid, {
      onScan: (device, scan) => {
        onScan(device.productName, scan)
      },
      onState: (device, state) => {
        this.#put(device, state)
      },
    })
  }

  #put(device: HidDevice, state: HidScanner['state']): void {
    const name = device.productName
    // plugged in again, it is another device of the same name
    const lost = this.#list.find((one) => one.name === name && one.state !== 'open')
    const id = this.#ids.get(device) ?? lost?.id ?? this.#list.length + 1
    this.#ids.set(device, id)
    const others = this.#list.filter((one) => one.id !== id)
    this.#list = [...others, { id, name, state }].toSorted((one, other) => one.id - other.id)
  }
}
