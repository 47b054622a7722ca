import type { StationView } from '#shared/bridge/views.ts'
import {
  type Command,
  commandBarcode,
  type CommandReading,
  digitCommand,
  namedBarcode,
  type NamedCommand,
  readCommand,
} from '#shared/domain/commands.ts'

/**
 * The secret of this window's station. It is stored once in this module, because a window has one station and nearly
 * every screen draws the station's command barcodes. `AppState` sets the secret whenever it reads a station.
 */
let secret = $state<string | null>(null)

/** Sets the station whose command barcodes the window uses; null selects the command barcodes of the sandbox. */
export function useCommandsOf(station: Pick<StationView, 'commandSecret'> | null): void {
  secret = station?.commandSecret?.text ?? null
}

/** Returns the text of a command's barcode at this station. */
export function stationBarcode(command: Command): string {
  return commandBarcode(command, secret)
}

/** Returns the text of a digit's command barcode at this station; null for a number outside 0 to 9. */
export function stationDigitBarcode(digit: number): string | null {
  const command = digitCommand(digit)
  return command === null ? null : stationBarcode(command)
}

/** Returns the text of a command barcode that names one thing, such as a printer, at this station. */
export function stationNamedBarcode(name: NamedCommand, key: string): string {
  return namedBarcode(name, key, secret)
}

/** Reads a scanned text as a command barcode of this station. */
export function readStationCommand(raw: string): CommandReading {
  return readCommand(raw, secret)
}

/**
 * Returns the command of a scanned text at this station. Returns null for any other text, and for a command that
 * selects one of several things, such as a printer.
 */
export function stationCommand(raw: string): Command | null {
  const reading = readStationCommand(raw)
  return reading.kind === 'command' ? reading.command : null
}

/**
 * The result of reading a scan as a command barcode. `burst`: the scan has the format of a command of this or another
 * station, but it arrived in one burst with another code, so it is not run.
 */
export type ScanReading = CommandReading | { readonly kind: 'burst' }

/** A scan together with its reading as a command, so that the text is parsed only once. */
export interface Scan {
  readonly raw: string
  readonly reading: ScanReading
}

/**
 * Reads a scanned text as a command barcode of this station. `inBurst`: the text arrived in one burst with another code
 * of the same scanner, so that the desk runs no command in it. The result is then `burst` for a command of any station,
 * so that it does not show whether the text contains the secret of this station.
 */
export function readScan(raw: string, inBurst = false): Scan {
  const reading = readStationCommand(raw)
  return { raw, reading: inBurst && reading.kind !== 'none' ? { kind: 'burst' } : reading }
}

/**
 * Returns the command of a scan. Returns null for any other scan, and for a command that selects one of several things,
 * such as a printer.
 */
export function commandOf({ reading }: Scan): Command | null {
  return reading.kind === 'command' ? reading.command : null
}
