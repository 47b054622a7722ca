/** The switches that a caller sets in the environment; README.md has the table. */
function flag(name: string): boolean {
  const value = process.env[name]
  return value !== undefined && value !== '' && value !== '0'
}

function list(name: string, separator: string): string[] {
  return (process.env[name] ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

export type SafeStorageMode = 'keyring' | 'basic_text' | 'none'

function safeStorageMode(): SafeStorageMode {
  const mode = process.env['STANDIN_SAFE_STORAGE'] ?? 'keyring'
  if (mode === 'keyring' || mode === 'basic_text' || mode === 'none') return mode
  throw new Error(`stand-in: STANDIN_SAFE_STORAGE is keyring, basic_text or none, not '${mode}'`)
}

export const environment = {
  debug: flag('STANDIN_DEBUG'),
  headless: flag('STANDIN_HEADLESS') || (process.env['DISPLAY'] ?? '') === '',
  packaged: flag('STANDIN_PACKAGED'),
  strict: flag('STANDIN_STRICT'),
  declaredInert: new Set(list('STANDIN_INERT', ',')),
  switches: list('STANDIN_SWITCHES', ' '),
  proxy: process.env['STANDIN_PROXY'] ?? 'DIRECT',
  safeStorage: safeStorageMode(),
}

/** Writes a line to stderr when STANDIN_DEBUG is set. */
export function debug(...parts: unknown[]): void {
  if (environment.debug) console.error('[stand-in]', ...parts)
}
