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
 * The secret of the station that this window works at. A window has one station, and nearly every screen draws its
 * command barcodes, so it is kept here once; `AppState` sets it with each station.
 */
let secret = $state<string | null>(null)

/** From now on command barcodes are those of this station; null: those of the sandbox. */
export function useCommandsOf(station: Pick<StationView, 'commandSecret'> | null): void {
  secret = station?.commandSecret?.text ?? null
}

/** The text of a command's barcode at this station. */
export function stationBarcode(command: Command): string {
  return commandBarcode(command, secret)
}

/** The text of the barcode that stands for a digit at this station; null for what is not 0 to 9. */
export function stationDigitBarcode(digit: number): string | null {
  const command = digitCommand(digit)
  return command === null ? null : stationBarcode(command)
}

/** The text of a named command's barcode at this station. */
export function stationNamedBarcode(name: NamedCommand, key: string): string {
  return namedBarcode(name, key, secret)
}

/** What a scanned text is as a command barcode of this station. */
export function readStationCommand(raw: string): CommandReading {
  return readCommand(raw, secret)
}

/** The command that a scanned text stands for at this station, or null; a named one counts as none. */
export function stationCommand(raw: string): Command | null {
  const reading = readStationCommand(raw)
  return reading.kind === 'command' ? reading.command : null
}

/** What a scan is as a command barcode. `burst`: a command of any station, in one burst with another code. */
export type ScanReading = CommandReading | { readonly kind: 'burst' }

/** A scan with what it is as a command: it is read once, and handed on so. */
export interface Scan {
  readonly raw: string
  readonly reading: ScanReading
}

/**
 * Reads a scanned text as a command barcode of this station. `inBurst`: it came in one burst with another code of the same
 * scanner, so that no command in it is obeyed. The burst counts first: it says nothing about the secret.
 */
export function readScan(raw: string, inBurst = false): Scan {
  const reading = readStationCommand(raw)
  return { raw, reading: inBurst && reading.kind !== 'none' ? { kind: 'burst' } : reading }
}

/** The command that a scan is, or null; a named one counts as none. */
export function commandOf({ reading }: Scan): Command | null {
  return reading.kind === 'command' ? reading.command : null
}
