import type { CDPSession, Page } from '@playwright/test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, commandBarcode, looksLikeCommand } from '#shared/domain/commands.ts'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import { handPauseMs } from '#shared/domain/scan-burst.ts'

export interface ScanOptions {
  /** Milliseconds between the key presses of two consecutive characters. */
  gapMs?: number
  terminator?: 'Enter' | 'Tab' | 'none'
  /**
   * Milliseconds since the last character of the previous scan on this page. Default: 150, but before a command barcode
   * the time that an operator needs for a second trigger.
   */
  pauseMs?: number
  /**
   * After this number of characters the page receives no keys for `breakMs` milliseconds. The time stamps of the keys
   * do not change.
   */
  breakAfter?: number
  breakMs?: number
  /** Whether each key is sent at its own time instead of all at once. */
  isLive?: boolean
}

interface Key {
  key: string
  code: string
  windowsVirtualKeyCode: number
  modifiers: number
  /** The typed text. Absent for keys without text. */
  text?: string
}

const shift = 8
const control = 2

/** The symbol keys of the US layout: code, virtual key code, character without Shift and character with Shift. */
const symbolKeys: readonly (readonly [code: string, virtualKey: number, plain: string, shifted: string])[] = [
  ['Backquote', 192, '`', '~'],
  ['Minus', 189, '-', '_'],
  ['Equal', 187, '=', '+'],
  ['BracketLeft', 219, '[', '{'],
  ['BracketRight', 221, ']', '}'],
  ['Backslash', 220, '\\', '|'],
  ['Semicolon', 186, ';', ':'],
  ['Quote', 222, "'", '"'],
  ['Comma', 188, ',', '<'],
  ['Period', 190, '.', '>'],
  ['Slash', 191, '/', '?'],
  ['Space', 32, ' ', ''],
]

function usLayout(): Map<string, Key> {
  const layout = new Map<string, Key>()
  const add = (key: string, code: string, windowsVirtualKeyCode: number, modifiers: number): void => {
    if (key !== '') layout.set(key, { key, code, windowsVirtualKeyCode, modifiers, text: key })
  }
  for (const [digit, symbol] of Array.from(')!@#$%^&*(').entries()) {
    add(String(digit), `Digit${digit}`, 48 + digit, 0)
    add(symbol, `Digit${digit}`, 48 + digit, shift)
  }
  for (let letter = 65; letter <= 90; letter++) {
    const upper = String.fromCharCode(letter)
    add(upper.toLowerCase(), `Key${upper}`, letter, 0)
    add(upper, `Key${upper}`, letter, shift)
  }
  for (const [code, virtualKey, plain, shifted] of symbolKeys) {
    add(plain, code, virtualKey, 0)
    add(shifted, code, virtualKey, shift)
  }
  // The keys of control characters, as keyboard-wedge scanners send them. GS, the separator of GS1 element strings, is
  // sent as Ctrl+].
  for (const [character, key] of [
    ['\r', terminators.Enter],
    ['\t', terminators.Tab],
    ['\x1b', { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27, modifiers: 0 }],
  ] as const)
    layout.set(character, key)
  // Honeywell scanners send Backspace for DC3, F9 for RS, and presses and releases of Ctrl alone for ENQ and ACK.
  layout.set('\x13', { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8, modifiers: 0 })
  layout.set('\x1e', { key: 'F9', code: 'F9', windowsVirtualKeyCode: 120, modifiers: 0 })
  layout.set('\x05', { key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17, modifiers: 0 })
  layout.set('\x1d', { key: ']', code: 'BracketRight', windowsVirtualKeyCode: 221, modifiers: control })
  return layout
}

const terminators: Readonly<Record<'Enter' | 'Tab', Key>> = {
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, modifiers: 0, text: '\r' },
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9, modifiers: 0 },
}
const layout = usLayout()
const modifierKeys = new Map<number, Key>([
  [shift, { key: 'Shift', code: 'ShiftLeft', windowsVirtualKeyCode: 16, modifiers: shift }],
  [control, { key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17, modifiers: control }],
])

function keyOf(character: string): Key {
  const key = layout.get(character)
  if (!key) throw new Error(`A scanner with a US layout has no key for ${JSON.stringify(character)}`)
  return key
}

/** For each page, the time at which its last scan ended, in seconds since the epoch. */
const lastEnd = new WeakMap<Page, number>()
/** For each page, the text of its last scan. */
const lastText = new WeakMap<Page, string>()
const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** Sends press and release of one key with its modifier at one instant, like one report of a scanner's keyboard. */
function strokes(cdp: CDPSession, key: Key, timestamp: number): Promise<unknown>[] {
  const { text, ...rest } = key
  const modifier = modifierKeys.get(key.modifiers)
  const send = (type: 'rawKeyDown' | 'keyDown' | 'keyUp', event: object): Promise<unknown> =>
    cdp.send('Input.dispatchKeyEvent', { type, timestamp, ...event })
  const typed = text === undefined ? {} : { text, unmodifiedText: text }
  return [
    ...(modifier ? [send('rawKeyDown', modifier)] : []),
    send(text === undefined ? 'rawKeyDown' : 'keyDown', { ...rest, ...typed }),
    send('keyUp', rest),
    ...(modifier ? [send('keyUp', { ...modifier, modifiers: 0 })] : []),
  ]
}

/**
 * Types one scan like a USB keyboard-wedge scanner with a US layout: trusted key events for the focused element. All
 * events are sent together, without pauses, unless `isLive` or `breakAfter` is set. The DevTools protocol sets their
 * time stamps, so that event.timeStamp has exact intervals on any machine. Returns when the time of the last stamp has
 * passed, so that later events have later stamps. @param text - printable ASCII; DC3 (0x13) is typed as Backspace, GS
 * (0x1D) as Ctrl+], RS (0x1E) as F9, ENQ (0x05) as Ctrl that is pressed and released alone, and CR, tab and escape as
 * their keys. PRIMARY directly after PRIMARY is sent so late that the desk does not ignore it as a second reading.
 * @throws Error for any other character
 */
export async function scan(page: Page, text: string, options: ScanOptions = {}): Promise<number> {
  const { gapMs = 6, terminator = 'Enter', breakAfter, breakMs = 0, isLive = false } = options
  const pauseMs = options.pauseMs ?? (looksLikeCommand(text) ? handPauseMs + 50 : 150)
  if (text.endsWith('PRIMARY') && lastText.get(page) === text) await sleep(repeatedReadMs)
  lastText.set(page, text)
  const keys = Array.from(text, keyOf)
  if (terminator !== 'none') keys.push(terminators[terminator])
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  const cdp = await session
  const start = Math.max(Date.now() / 1000, (lastEnd.get(page) ?? 0) + pauseMs / 1000)
  const sentAt: number[] = []
  const handled: Promise<number>[] = []
  for (const [index, key] of keys.entries()) {
    if (index === breakAfter) await sleep(breakMs)
    const at = start + (index * gapMs) / 1000
    if (isLive) await sleep(Math.max(0, at * 1000 - Date.now()))
    sentAt.push(Date.now())
    handled.push(Promise.all(strokes(cdp, key, at)).then(() => Date.now()))
  }
  const end = start + (Math.max(0, keys.length - 1) * gapMs) / 1000
  lastEnd.set(page, end)
  const handledAt = await Promise.all(handled)
  await sleep(Math.max(0, end * 1000 - Date.now()))
  return Math.max(0, ...handledAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0)))
}

/** Returns the text of a command's barcode for the station of this page. */
export async function commandText(page: Page, command: Command): Promise<string> {
  const station = await page.evaluate(() => window.scandesk.station.current())
  return commandBarcode(command, station.ok ? (station.value.commandSecret?.text ?? null) : null)
}

/** Scans a command barcode in the window, with the secret of the station that the window shows. */
export async function scanCommand(page: Page, command: Command, options: ScanOptions = {}): Promise<void> {
  await scan(page, await commandText(page, command), options)
}

/**
 * Measures the milliseconds from the last key of a scan to the frame that shows the result, by the clock of the page.
 * The desk removes the scanner's Enter, so the key before the Enter counts as the last key. All keys are sent at once,
 * so this key and the Enter arrive together.
 */
export async function fromScanTo(page: Page, text: string, selector: string): Promise<number> {
  // The observer of keys and frames is installed before the first key is sent. Its promise is in an object, because
  // `evaluateHandle` would wait for a bare promise.
  const watch = await page.evaluateHandle((wanted) => {
    let lastKeyAt = Number.NaN
    const onKey = (): void => {
      lastKeyAt = performance.now()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    const shown = new Promise<number>((done) => {
      const look = (): void => {
        if (Number.isNaN(lastKeyAt) || !document.querySelector(wanted)) requestAnimationFrame(look)
        else done(performance.now() - lastKeyAt)
      }
      look()
    })
    return { shown: shown.finally(() => window.removeEventListener('keydown', onKey, { capture: true })) }
  }, selector)
  await scan(page, text)
  return watch.evaluate(({ shown }) => shown)
}
