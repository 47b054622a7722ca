import { decodeBytes } from './scanner-bytes.ts'

/** How a scan ends in the bytes of a serial scanner. */
export const frameEndings = ['line', 'cr', 'lf', 'crlf', 'text', 'pause'] as const
type FrameEnding = (typeof frameEndings)[number]

export interface FrameRules {
  /**
   * How a scan ends. `line`: with CR, LF or both; `text`: with the characters of `endText`; `pause`: with a silence.
   */
  readonly ending: FrameEnding
  /** The characters at the end of a scan, in Latin-1; not empty if `ending` is `text`. */
  readonly endText: string
  /**
   * The characters that the scanner adds before each scan, in Latin-1. If a scan begins with them, they are removed.
   */
  readonly prefix: string
  readonly suffix: string
}

/**
 * Why bytes are not a scan. `unfinished`: the ending is missing; `too_many`: too many scans without a pause between
 * them.
 */
export const dropReasons = ['noise', 'too_long', 'unfinished', 'too_many'] as const
export type DropReason = (typeof dropReasons)[number]

export type Frame =
  { readonly kind: 'scan'; readonly raw: string } | { readonly kind: 'dropped'; readonly why: DropReason }

/** Maximum length of a scan of any scanner, in characters (scan.submit). */
const longest = 8000

/**
 * The byte that a cable causes when it is plugged in or unplugged. UTF-8 never contains this byte, and no code in
 * Latin-1 needs it.
 */
const lineNoise = 0xff

const CR = 0x0d
const LF = 0x0a

/** Control characters that codes of ISO/IEC 15434 and GS1 contain: EOT, TAB, FS, GS, RS, US. */
const controlsInCodes = new Set([0x04, 0x09, 0x1c, 0x1d, 0x1e, 0x1f])

function endingsOf({ ending, endText }: FrameRules): readonly (readonly number[])[] {
  if (ending === 'pause') return []
  if (ending === 'text') return [bytesOf(endText)]
  if (ending === 'line') return [[CR], [LF]]
  return [ending === 'cr' ? [CR] : ending === 'lf' ? [LF] : [CR, LF]]
}

function bytesOf(latin1: string): number[] {
  return Array.from(latin1, (character) => character.charCodeAt(0) & 0xff)
}

/**
 * Cuts the bytes of a serial scanner into scans, byte by byte, so that the chunks in which the bytes arrive make no
 * difference. A frame with a character that no code contains is dropped completely, because half a code may look like
 * another code.
 */
export class FrameSplitter {
  readonly #endings: readonly (readonly number[])[]
  readonly #prefix: readonly number[]
  readonly #suffix: readonly number[]
  /** Number of bytes above which a frame is certainly too long. */
  readonly #room: number
  #bytes: number[] = []
  /** Whether the current frame is too long, so that it will be dropped when it ends. */
  #isOverrun = false

  constructor(rules: FrameRules) {
    this.#endings = endingsOf(rules)
    this.#prefix = bytesOf(rules.prefix)
    this.#suffix = bytesOf(rules.suffix)
    const around = this.#prefix.length + this.#suffix.length
    // a scan of `longest` characters has at most four times as many bytes, in UTF-8 and in Latin-1, so a frame with
    // more bytes is too long
    this.#room = longest * 4 + around + Math.max(0, ...this.#endings.map(({ length }) => length))
  }

  /** Whether a frame has begun and its ending is missing. */
  get isBegun(): boolean {
    return this.#bytes.length > 0 || this.#isOverrun
  }

  feed(bytes: Iterable<number>): Frame[] {
    const frames: Frame[] = []
    for (const byte of bytes) {
      this.#bytes.push(byte)
      const ending = this.#endings.find((one) => endsWith(this.#bytes, one))
      if (ending) frames.push(...this.#close(this.#bytes.length - ending.length))
      else if (this.#bytes.length > this.#room) this.#overrun()
    }
    return frames
  }

  /**
   * Ends the current frame after a silence. With the ending `pause` the frame is complete. With any other ending it is
   * dropped.
   */
  silence(): Frame[] {
    if (!this.isBegun) return []
    if (this.#endings.length === 0) return this.#close(this.#bytes.length)
    const why = this.#isOverrun ? 'too_long' : 'unfinished'
    this.#reset()
    return [{ kind: 'dropped', why }]
  }

  #close(length: number): Frame[] {
    const isOverrun = this.#isOverrun
    const frame = this.#bytes.slice(0, length)
    this.#reset()
    if (isOverrun) return [{ kind: 'dropped', why: 'too_long' }]
    const start = startsWith(frame, this.#prefix) ? this.#prefix.length : 0
    const bare = frame.slice(start)
    const end = endsWith(bare, this.#suffix) ? bare.length - this.#suffix.length : bare.length
    const inner = bare.slice(0, end)
    const raw = decodeBytes(inner)
    // the frame has no text in two cases: it is between a CR and the LF after it, or it has only a prefix and a suffix
    if (raw === '') return []
    if (raw.length > longest) return [{ kind: 'dropped', why: 'too_long' }]
    return [
      isClean(raw) && !inner.includes(lineNoise) ? { kind: 'scan', raw } : { kind: 'dropped', why: 'noise' },
    ]
  }

  /**
   * Drops the bytes of a frame that is too long. Keeps the last bytes, because they can be the beginning of an ending.
   */
  #overrun(): void {
    const keep = Math.max(0, ...this.#endings.map(({ length }) => length - 1))
    this.#bytes = keep === 0 ? [] : this.#bytes.slice(-keep)
    this.#isOverrun = true
  }

  #reset(): void {
    this.#bytes = []
    this.#isOverrun = false
  }
}

function isClean(raw: string): boolean {
  if (raw.trim() === '') return false
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at)
    if (code < 0x20 && !controlsInCodes.has(code)) return false
    // refuses DEL, the control characters above ASCII that a wrong baud rate causes, and code points that no text
    // contains
    if ((code >= 0x7f && code <= 0x9f) || code >= 0xfff0) return false
  }
  return true
}

function startsWith(bytes: readonly number[], start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte)
}

function endsWith(bytes: readonly number[], end: readonly number[]): boolean {
  const from = bytes.length - end.length
  return from >= 0 && end.every((byte, at) => bytes[from + at] === byte)
}
