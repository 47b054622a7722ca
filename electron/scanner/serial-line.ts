import { type FindDevice, findSerialPort } from '#kit/device-files.ts'
import type { SerialSettings } from '#shared/bridge/scanner-views.ts'

/** Why a port cannot be used: not there, not allowed, in use, no port at all, not with these settings, or else. */
export type LineCause = 'no_port' | 'denied' | 'held' | 'not_a_port' | 'settings' | 'no_driver' | 'fault'

interface LineEvents {
  readonly onBytes: (bytes: Uint8Array) => void
  /** It is gone, whoever closed it; told once. */
  readonly onGone: () => void
}

export interface OpenLine {
  readonly close: () => Promise<void>
}

export type OpenedLine =
  { readonly kind: 'open'; readonly line: OpenLine } | { readonly kind: 'failed'; readonly cause: LineCause }

export type LineSettings = Pick<SerialSettings, 'path' | 'baudRate' | 'dataBits' | 'parity' | 'stopBits'>

/**
 * Opens a serial port for this program alone. A path to anything else is `no_port`, whether something is there or not, and
 * is not opened. Never throws.
 */
export async function openLine(
  settings: LineSettings,
  events: LineEvents,
  find: FindDevice = findSerialPort,
): Promise<OpenedLine> {
  const path = find(settings.path)
  if (path === null) return { kind: 'failed', cause: 'no_port' }
  try {
    // its native part may be missing on this platform: then only scanners fail
    const { SerialPort } = await import('serialport')
    const { baudRate, dataBits, parity, stopBits } = settings
    const port = new SerialPort({ path, baudRate, dataBits, parity, stopBits, lock: true, autoOpen: false })
    // an error that nobody listens to would end the app; those that matter close the port as well
    port.on('error', () => undefined)
    port.on('data', (bytes: Buffer) => {
      events.onBytes(bytes)
    })
    return await new Promise((resolve) => {
      port.open((error) => {
        if (error) {
          resolve({ kind: 'failed', cause: causeOf(error) })
          return
        }
        port.once('close', () => {
          events.onGone()
        })
        resolve({ kind: 'open', line: { close: () => closePort(port) } })
      })
    })
  } catch (error) {
    return { kind: 'failed', cause: causeOf(error) }
  }
}

async function closePort(port: {
  readonly isOpen: boolean
  close: (done: () => void) => void
}): Promise<void> {
  if (!port.isOpen) return
  await new Promise<void>((resolve) => {
    port.close(() => {
      resolve()
    })
  })
}

/** serialport gives the system's words instead of codes: on Linux and macOS strerror, on Windows its own. */
const causes: readonly (readonly [RegExp, LineCause])[] = [
  [/cannot find (module|package)|no native build|prebuil|dlopen|invalid elf/i, 'no_driver'],
  [/cannot lock|resource busy|device or resource busy|temporarily unavailable/i, 'held'],
  [/no such (file|device)|file not found|not found|enoent|enxio/i, 'no_port'],
  // Windows: another program has it open
  [/access denied/i, 'held'],
  [/permission denied|operation not permitted/i, 'denied'],
  [/inappropriate ioctl|not a typewriter|is a directory|invalid file/i, 'not_a_port'],
  [/baud|unknown error code 87|setcommstate|invalid argument|not a valid|must be/i, 'settings'],
]

/** Exported for its table alone. */
export function causeOf(error: unknown): LineCause {
  const message = error instanceof Error ? error.message : String(error)
  return causes.find(([words]) => words.test(message))?.[1] ?? 'fault'
}
