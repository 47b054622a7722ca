import { m } from '#messages/messages.js'
import type { ScannerEntry, ScannerLive } from '#shared/bridge/scanner-views.ts'
import type { HidScanner } from '#scanner/hid-scanners.svelte.ts'
import { failureText } from '#place/failure-text.ts'
import type { Outcome } from '#ui/outcome.ts'
import { formatWord } from './scanner-draft.svelte.ts'

/** Returns the port of a scanner without the usual folders of its path, then the baud rate and the format. */
export function whereWords({ settings }: ScannerEntry): string {
  const port = settings.path.replace(/^\/dev\/(serial\/by-(id|path)\/(usb-)?)?/, '')
  return `${port} · ${String(settings.baudRate)} ${formatWord(settings)}`
}

/** Returns the current state of a scanner: an outcome, and the reason if the scanner cannot scan. */
export function liveWords(live: ScannerLive | null): { outcome: Outcome; text: string } {
  if (live === null) return { outcome: 'none', text: m.scanner_live_opening() }
  if (live.failure) return { outcome: 'stop', text: failureText(live.failure).happened }
  if (live.state === 'open') {
    const dropped = live.dropped > 0 ? ` · ${m.scanner_dropped({ count: live.dropped })}` : ''
    return { outcome: 'done', text: `${m.scanner_live_open()}${dropped}` }
  }
  return { outcome: 'none', text: live.state === 'off' ? m.scanner_live_off() : m.scanner_live_opening() }
}

/**
 * Returns the current state of a HID POS scanner, which the window finds automatically: an outcome, and the reason if
 * the scanner cannot scan.
 */
export function hidWords({ state }: HidScanner): { outcome: Outcome; text: string } {
  if (state === 'open') return { outcome: 'done', text: m.scanner_live_open() }
  return { outcome: 'stop', text: state === 'failed' ? m.scanner_hid_failed() : m.status_scanner_unplugged() }
}

const dropWords: Record<NonNullable<ScannerLive['lastDrop']>, () => string> = {
  noise: m.scanner_dropped_noise,
  too_many: m.scanner_dropped_too_many,
  too_long: m.scanner_dropped_too_long,
  unfinished: m.scanner_dropped_unfinished,
}

/**
 * Returns what the operator can do about a scanner that does not work, or that sent a text which is no scan since the
 * app started; null if there is nothing to do.
 */
export function troubleWords(live: ScannerLive | null): { outcome: 'look' | 'stop'; text: string } | null {
  if (live?.failure) {
    const { happened, next } = failureText(live.failure)
    return { outcome: 'stop', text: `${happened} ${next}` }
  }
  return live?.lastDrop ? { outcome: 'look', text: dropWords[live.lastDrop]() } : null
}
