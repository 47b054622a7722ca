import { readStationCommand } from '#bridge/station-commands.svelte.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { CommandReading } from '#shared/domain/named-commands.ts'

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
