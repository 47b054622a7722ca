const switches: string[] = []

function named(name: string): (entry: string) => boolean {
  return (entry) => entry === `--${name}` || entry.startsWith(`--${name}=`)
}

/**
 * Implements app.commandLine: the switches of this start and the switches that the app appends. All are passed to
 * Chromium.
 */
export const commandLine = {
  appendSwitch(name: string, value?: string): void {
    switches.push(value === undefined || value === '' ? `--${name}` : `--${name}=${value}`)
  },
  appendArgument(value: string): void {
    switches.push(value)
  },
  hasSwitch: (name: string): boolean => switches.some(named(name)),
  getSwitchValue(name: string): string {
    const entry = switches.findLast(named(name)) ?? ''
    return entry.includes('=') ? entry.slice(name.length + 3) : ''
  },
  removeSwitch(name: string): void {
    const kept = switches.filter((entry) => !named(name)(entry))
    switches.splice(0, switches.length, ...kept)
  },
}

/** Returns the app's own language (--lang), which its pages use too; undefined if the machine's language applies. */
export function givenLanguage(): string | undefined {
  const language = commandLine.getSwitchValue('lang')
  return language === '' ? undefined : language
}

/** Returns the switches for Chromium. On Linux Chromium sets navigator.language from --accept-lang, not from --lang. */
export function chromiumSwitches(): readonly string[] {
  const language = givenLanguage()
  return language === undefined ? switches : [...switches, `--accept-lang=${language}`]
}
