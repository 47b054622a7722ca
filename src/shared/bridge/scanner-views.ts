import { z } from 'zod'
import { dropReasons, frameEndings } from '../domain/serial-frames.ts'
import { failureView, time } from './view-parts.ts'

/** The serial scanners of this PC: their settings, the state of each, and their scans. */

/** Characters that the scanner sends before or after a scan, as Latin-1 text. */
const aroundScan = z
  .string()
  .max(20)
  .refine((text) => Array.from(text).every((character) => character.charCodeAt(0) <= 0xff))

const parities = ['none', 'even', 'odd'] as const

export const serialSettings = z
  .object({
    /** A device file, `/dev/serial/by-id/…`, or on Windows `COM3`. */
    path: z.string().trim().min(1).max(300),
    baudRate: z.number().int().min(50).max(4_000_000),
    dataBits: z.union([z.literal(7), z.literal(8)]).default(8),
    parity: z.enum(parities).default('none'),
    stopBits: z.union([z.literal(1), z.literal(2)]).default(1),
    ending: z.enum(frameEndings).default('line'),
    endText: aroundScan.default(''),
    prefix: aroundScan.default(''),
    suffix: aroundScan.default(''),
    /** Time in milliseconds without data after which a scan ends, if the ending is `pause`. */
    pauseMs: z.number().int().min(20).max(1000).default(100),
  })
  .refine(({ ending, endText }) => ending !== 'text' || endText !== '')
export type SerialSettings = z.infer<typeof serialSettings>

export const scannerEntry = z.object({
  id: z.string().min(1).max(100),
  /** The scanner's title for operators. */
  title: z.string().trim().min(1).max(60),
  /** Whether the scanner is used. If false, it is listed but not opened. */
  isOn: z.boolean().default(true),
  settings: serialSettings,
})
export type ScannerEntry = z.infer<typeof scannerEntry>

export const mostScanners = 20

/**
 * The states of a serial scanner. `looking`: the port does not exist, for example because the scanner is unplugged.
 * `failed`: the port exists and cannot be used.
 */
export const scannerStates = ['off', 'looking', 'open', 'failed'] as const

export const scannerLive = z.object({
  id: z.string(),
  state: z.enum(scannerStates),
  /** Why the scanner is not open; null if it is open or off. */
  failure: failureView.nullable(),
  /** Number of scans since the app started. */
  scans: z.number().int(),
  /**
   * Number of received texts that were no scan, since the app started. `lastDrop`: why the last of them was no scan.
   */
  dropped: z.number().int(),
  lastDrop: z.enum(dropReasons).nullable(),
})
export type ScannerLive = z.infer<typeof scannerLive>

export const scannerSetup = z.object({ scanners: z.array(scannerEntry).max(mostScanners) })
export type ScannerSetup = z.infer<typeof scannerSetup>

export const scannersView = scannerSetup.extend({ live: z.array(scannerLive) })
export type ScannersView = z.infer<typeof scannersView>

/**
 * The serial ports of this computer. `isListed`: whether the system can list them. If it cannot, the operator can type
 * a path.
 */
export const serialPorts = z.object({
  isListed: z.boolean(),
  /** Ports whose names do not depend on other plugged-in devices come first. */
  ports: z.array(z.object({ path: z.string(), title: z.string(), isStable: z.boolean() })),
})
export type SerialPorts = z.infer<typeof serialPorts>

/** A scan that main keeps until the window has taken it. `number` counts the scans since the start of the app. */
export const heldScan = z.object({
  number: z.number().int(),
  scannerId: z.string(),
  raw: z.string().min(1).max(8000),
  /** Whether another code precedes the scan in the same burst (domain/scan-burst.ts). */
  inBurst: z.boolean(),
  /** When the last byte of the scan arrived. */
  at: time,
})
export type HeldScan = z.infer<typeof heldScan>
