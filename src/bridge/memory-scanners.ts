import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ScannerEntry, ScannerLive, ScannersView } from '#shared/bridge/scanner-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'

/** The serial scanners as `world.scanners` has them; one that is new opens at once. */
export function scannerMethods(desk: MemoryCore): ScandeskBridge['scanner'] {
  const { world } = desk
  return {
    setup: () => desk.call('scanner:setup', () => ok(world.scanners)),
    save: ({ scanners }) => desk.call('scanner:save', () => save(desk, scanners)),
    ports: () => desk.call('scanner:ports', () => ok(world.serialPorts)),
    held: () => desk.call('scanner:held', () => ok([...world.heldScans])),
    taken: ({ number }) =>
      desk.call('scanner:taken', () => {
        world.heldScans = world.heldScans.filter((scan) => scan.number > number)
        return ok(undefined)
      }),
  }
}

function save(desk: MemoryCore, scanners: ScannerEntry[]): Result<ScannersView> {
  for (const [at, { title, settings }] of scanners.entries()) {
    const other = scanners.slice(0, at).find((one) => one.settings.path === settings.path)
    if (other) return fail('scanner.same_twice', { scanner: title, other: other.title })
  }
  const { live } = desk.world.scanners
  desk.world.scanners = {
    scanners,
    live: scanners.map(({ id, isOn }): ScannerLive => {
      const before = live.find((one) => one.id === id)
      const state = isOn ? 'open' : 'off'
      return before ?? { id, state, failure: null, scans: 0, dropped: 0, lastDrop: null }
    }),
  }
  desk.emit('scanners', desk.world.scanners)
  return ok(desk.world.scanners)
}

/** A serial scanner scans, as main tells it. */
export function scanSerial(desk: MemoryCore, scannerId: string, ...raws: readonly string[]): void {
  const { world } = desk
  for (const raw of raws) {
    const number = (world.scanned += 1)
    world.heldScans = [
      ...world.heldScans,
      { number, scannerId, raw, inBurst: false, at: new Date(world.nowMs()).toISOString() },
    ]
    desk.emit('heldScans', world.heldScans)
  }
}
