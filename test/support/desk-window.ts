import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { type LineScan, ScanLine } from '../../src/app/scan-line.ts'
import { DeskWindow } from '../../src/app/window.svelte.ts'
import { MemoryDesk, memoryWorld } from './memory-desk/memory-desk.ts'
import type { MemoryWorld } from './memory-desk/memory-core.ts'
import { sampleShipment } from './memory-desk/scans.ts'
import { signedIn } from './memory-desk/station.ts'

/** The time that every window shows. It is fixed. */
export const nowMs = Date.parse('2026-11-21T14:07:00Z')

/** A window with its queue of scans, on an in-memory desk. */
export interface OpenedWindow {
  readonly desk: MemoryDesk
  readonly window: DeskWindow
  readonly scans: ScanLine
  /** The sounds that the window played, oldest first. */
  readonly sounds: string[]
}

/** Opens a window of a desk that has a logged-in user and one shipment, unless `world` replaces them. */
export async function openDeskWindow(
  world: Partial<MemoryWorld> = {},
  between?: (bridge: ScandeskBridge) => ScandeskBridge,
): Promise<OpenedWindow> {
  const usual = { ...memoryWorld(() => nowMs), session: signedIn, shipments: [sampleShipment(nowMs)] }
  return openWindowOf(new MemoryDesk({ ...usual, ...world }), between)
}

/**
 * Opens a window of the desk, waits until it has loaded its data, and then empties the list of recorded calls.
 * `between` returns the bridge of the window, for a test that delays or counts its calls.
 */
export async function openWindowOf(
  desk: MemoryDesk,
  between: (bridge: ScandeskBridge) => ScandeskBridge = (bridge) => bridge,
): Promise<OpenedWindow> {
  const sounds: string[] = []
  const window = new DeskWindow(between(desk.bridge), (sound) => sounds.push(sound), desk.world.nowMs)
  const scans = new ScanLine(window, desk.world.nowMs)
  window.start()
  await window.app.load()
  await settle()
  desk.calls.length = 0
  return { desk, window, scans, sounds }
}

/** Waits 20 ms, so that the calls to the desk in memory return, except calls that the test delays. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Returns a text as the keyboard scanner passes it to the queue of scans. `inBurst`: together with another code. */
export function heard(raw: string, inBurst = false): LineScan {
  return { raw, inBurst, scannerId: 'keyboard' }
}
