import { readFileSync, realpathSync, statSync } from 'node:fs'

/**
 * Decides which device files this program may open. The paths come from the settings, and the page can write the
 * settings. Without this check the page could make the program open any file, and learn from the result which files
 * exist.
 */

/**
 * Returns the device file at a path. Returns null if the path is not that of an allowed device, so that the result does
 * not show whether another file exists.
 */
export type FindDevice = (path: string) => string | null

export interface DeviceSystem {
  readonly platform: NodeJS.Platform
  /** Linux: returns the kernel's list of terminal drivers (`/proc/tty/drivers`); null if it cannot be read. */
  readonly terminals: () => string | null
}

const ofThisSystem: DeviceSystem = { platform: process.platform, terminals: readTerminals }

/** Finds a serial port: `COM3` on Windows, elsewhere a character device below /dev that a serial driver created. */
export function findSerialPort(path: string, system: DeviceSystem = ofThisSystem): string | null {
  if (system.platform === 'win32') return /^COM\d{1,3}$/i.test(path) ? path : null
  const device = deviceAt(path)
  return device && isSerial(device, system) ? device.file : null
}

/**
 * Returns the device file of a printer that is connected by cable: a printer device of Linux (`/dev/usb/lp0`,
 * `/dev/lp0`) or a serial port. Returns null for every other path, and for every path on Windows.
 */
export function findPrinterDevice(path: string, system: DeviceSystem = ofThisSystem): string | null {
  const device = system.platform === 'win32' ? null : deviceAt(path)
  if (!device) return null
  const isPrinter = system.platform === 'linux' && isLinePrinter(device)
  return isPrinter || isSerial(device, system) ? device.file : null
}

interface Device {
  /** The path after all symbolic links are resolved. */
  readonly file: string
  readonly major: number
  readonly minor: number
}

function deviceAt(path: string): Device | null {
  if (!path.startsWith('/dev/') || path.split('/').includes('..')) return null
  try {
    const file = realpathSync(path)
    const stats = statSync(file)
    if (!file.startsWith('/dev/') || !stats.isCharacterDevice()) return null
    const { rdev } = stats
    // major and minor number are combined as in the C library of Linux
    return { file, major: (rdev >>> 8) & 0xfff, minor: (rdev & 0xff) | ((rdev >>> 12) & 0xf_ff00) }
  } catch {
    return null
  }
}

/**
 * Whether a device is a printer. Linux gives USB printers the major number 180 and parallel printers the major number 6
 * (Documentation/admin-guide/devices.txt).
 */
function isLinePrinter({ file, major }: Device): boolean {
  return (
    (major === 180 && /^\/dev\/(?:usb\/)?lp\d+$/.test(file)) || (major === 6 && /^\/dev\/lp\d+$/.test(file))
  )
}

function isSerial(device: Device, { platform, terminals }: DeviceSystem): boolean {
  if (platform !== 'linux') return /^\/dev\/(?:cu|tty)\.[^/]+$/.test(device.file)
  const list = terminals()
  if (list === null) return /^\/dev\/(?:tty(?:S|USB|ACM|AMA|O|THS|mxc)|rfcomm)\d+$/.test(device.file)
  return list.split('\n').some((line) => isDriverOf(line, device))
}

/**
 * Whether a line of the driver list describes a serial driver whose major number and range of minor numbers include the
 * device. An example of a line: `usbserial /dev/ttyUSB 188 0-511 serial`.
 */
function isDriverOf(line: string, { major, minor }: Device): boolean {
  const [, itsMajor, first, last = first, type = ''] =
    /^\S+\s+\S+\s+(\d+)\s+(\d+)(?:-(\d+))?\s+(\S+)\s*$/.exec(line) ?? []
  const isInRange = Number(first) <= minor && minor <= Number(last)
  return type.startsWith('serial') && Number(itsMajor) === major && isInRange
}

function readTerminals(): string | null {
  try {
    return readFileSync('/proc/tty/drivers', 'utf8')
  } catch {
    return null
  }
}
