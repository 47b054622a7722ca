import { resolve } from 'node:path'
import type { SomeSettings } from '#shared/bridge/pc-settings.ts'
import { readSettingOptions } from './app-settings.ts'
import { normaliseBaseUrl } from './stations.ts'

export interface CommandLine {
  /** The folder for all data of this desk; null: the platform's folder for app data. */
  readonly dataDir: string | null
  /** Settings of this PC from the command line. They apply until the app ends or the user changes them. */
  readonly settings: SomeSettings
  /**
   * Base address of a real server, in the spelling of stored stations; if the typed text is not an address, the text
   * itself. If the open station has another address, the window opens the set-up and offers this one. Null: the command
   * line names no server.
   */
  readonly server: string | null
  /** Path of a provisioning file; null: the file of this machine, if it exists. */
  readonly provision: string | null
  /**
   * Path of the file to which a picture of the window is written when the window is ready, for starts without a
   * display. Null: no picture.
   */
  readonly screenshot: string | null
}

/**
 * Reads `--data-dir DIR`, `--server URL`, `--provision FILE`, `--screenshot FILE` and the options of settings, such as
 * `--lang nl`, each also with `=`; ignores other arguments.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const valueOf = (name: string): string | null => {
    for (const [index, argument] of argv.entries()) {
      if (argument.startsWith(`${name}=`)) return argument.slice(name.length + 1)
      if (argument === name) return argv[index + 1] ?? null
    }
    return null
  }
  const path = (value: string | null): string | null => (value === null ? null : resolve(value))
  return {
    dataDir: path(valueOf('--data-dir')),
    settings: readSettingOptions(valueOf),
    server: addressOf(valueOf('--server')),
    provision: path(valueOf('--provision')),
    screenshot: path(valueOf('--screenshot')),
  }
}

function addressOf(server: string | null): string | null {
  const address = server === null ? null : normaliseBaseUrl(server)
  return address?.ok ? address.value : server
}
