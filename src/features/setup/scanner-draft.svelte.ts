import type { ScannerEntry, SerialSettings } from '#shared/bridge/scanner-views.ts'
import { readMarks, writeMarks } from '#shared/domain/scanner-bytes.ts'
import { longestTitle } from './pane-list.svelte.ts'

type LineFormat = Pick<SerialSettings, 'dataBits' | 'parity' | 'stopBits'>

const parityLetters: Record<SerialSettings['parity'], string> = { none: 'N', even: 'E', odd: 'O' }

/** Returns data bits, parity and stop bits in the notation of scanner manuals, for example `8N1`. */
export function formatWord({ dataBits, parity, stopBits }: LineFormat): string {
  return `${String(dataBits)}${parityLetters[parity]}${String(stopBits)}`
}

const usualFormats: readonly LineFormat[] = [
  { dataBits: 8, parity: 'none', stopBits: 1 },
  { dataBits: 8, parity: 'even', stopBits: 1 },
  { dataBits: 7, parity: 'even', stopBits: 1 },
  { dataBits: 7, parity: 'odd', stopBits: 1 },
]
const usualRates: readonly number[] = [9_600, 19_200, 38_400, 57_600, 115_200]

/** Fields that show a control character as a mark, for example `<STX>`. */
const markedFields = ['endText', 'prefix', 'suffix'] as const
export type MarkedField = (typeof markedFields)[number]
/**
 * Maximum length in characters of each text that a scanner adds to a scan, as in the contract of the bridge
 * (scanner-views.ts).
 */
const longestMarked = 20
const pauseRange = { least: 20, most: 1000 } as const

/**
 * The fields of the form: one for each setting, and `format` for the settings of LineFormat. If a new setting is
 * missing in `fields`, `#fill` or `entryToSave`, the compiler reports an error.
 */
type Fields = Omit<ScannerEntry, 'id' | 'settings'> &
  Omit<SerialSettings, keyof LineFormat | 'pauseMs'> & { format: string; pauseMs: string }

/**
 * The values in the form of one serial scanner, which is new or already saved. Faults are shown only after the operator
 * tried to save the form.
 */
export class ScannerDraft {
  readonly id: string
  readonly isNew: boolean
  readonly pauseRange = pauseRange
  readonly fields = $state<Fields>({
    title: '',
    isOn: true,
    path: '',
    baudRate: 9_600,
    format: '8N1',
    ending: 'line',
    endText: '',
    prefix: '',
    suffix: '',
    pauseMs: '100',
  })
  readonly #formats: readonly LineFormat[]
  readonly #rates: readonly number[]
  readonly #begun: string
  #tried = $state(false)

  /** @param from - a saved entry, or the id of a new entry. */
  constructor(from: ScannerEntry | string) {
    this.isNew = typeof from === 'string'
    this.id = typeof from === 'string' ? from : from.id
    const kept = typeof from === 'string' ? null : from.settings
    this.#formats = kept ? withOwn(usualFormats, kept, formatWord) : usualFormats
    this.#rates = kept ? withOwn(usualRates, kept.baudRate, String) : usualRates
    if (typeof from !== 'string') this.#fill(from)
    this.#begun = this.#typed()
  }

  /** The serial formats that the form offers: the usual formats and the saved format. */
  get formats(): readonly string[] {
    return this.#formats.map(formatWord)
  }
  get rates(): readonly number[] {
    return this.#rates
  }
  get isChanged(): boolean {
    return this.#typed() !== this.#begun
  }
  get isTitleMissing(): boolean {
    return this.#tried && this.fields.title.trim() === ''
  }
  get isTitleLong(): boolean {
    return this.#tried && this.fields.title.trim().length > longestTitle
  }
  get isPathMissing(): boolean {
    return this.#tried && this.fields.path.trim() === ''
  }
  get isPauseWrong(): boolean {
    return this.#tried && this.fields.ending === 'pause' && this.#pauseMs === null
  }
  isMarkedWrong(field: MarkedField): boolean {
    return this.#tried && this.#textOf(field) === null
  }

  /**
   * Takes a serial port of this computer. For a new scanner without a name, also takes the port's title as the name.
   */
  choose({ path, title }: { readonly path: string; readonly title: string }): void {
    this.fields.path = path
    if (this.isNew && this.fields.title.trim() === '') this.fields.title = title.slice(0, longestTitle).trim()
  }

  /**
   * Returns the whole entry in the form that the bridge requires. If a value is missing or wrong, returns null, and the
   * form then shows the faults.
   */
  entryToSave(): ScannerEntry | null {
    this.#tried = true
    const { isOn, baudRate, ending } = this.fields
    const [title, path] = [this.fields.title.trim(), this.fields.path.trim()]
    const format = this.#formats.find((one) => formatWord(one) === this.fields.format)
    const [endText, prefix, suffix] = markedFields.map((field) => this.#textOf(field))
    // the typed pause is only needed if the scanner ends a scan with a pause; otherwise an invalid pause is replaced by
    // 100 ms, because the settings must contain a valid pause
    const pauseMs = this.#pauseMs ?? (ending === 'pause' ? null : 100)
    if (title === '' || title.length > longestTitle || path === '' || !format || pauseMs === null) return null
    if (endText == null || prefix == null || suffix == null) return null
    const { dataBits, parity, stopBits } = format
    const settings = { path, baudRate, dataBits, parity, stopBits, ending, endText, prefix, suffix, pauseMs }
    return { id: this.id, title, isOn, settings }
  }

  get #pauseMs(): number | null {
    const text = this.fields.pauseMs.trim()
    const ms = /^\d{1,4}$/.test(text) ? Number(text) : 0
    return ms >= pauseRange.least && ms <= pauseRange.most ? ms : null
  }

  /**
   * Returns the text of a field, in which each typed mark such as <CR> is replaced by its control character. Returns
   * null if the text has invalid characters, is too long, or is empty although it is required.
   */
  #textOf(field: MarkedField): string | null {
    if (field === 'endText' && this.fields.ending !== 'text') return ''
    const text = readMarks(this.fields[field])
    if (text === null || text.length > longestMarked || (field === 'endText' && text === '')) return null
    return Array.from(text).every((character) => character.charCodeAt(0) <= 0xff) ? text : null
  }

  #typed(): string {
    return JSON.stringify(this.fields)
  }

  #fill({ title, isOn, settings }: ScannerEntry): void {
    const { path, baudRate, ending, pauseMs } = settings
    const fields: Fields = {
      title,
      isOn,
      path,
      baudRate,
      format: formatWord(settings),
      ending,
      endText: writeMarks(settings.endText),
      prefix: writeMarks(settings.prefix),
      suffix: writeMarks(settings.suffix),
      pauseMs: String(pauseMs),
    }
    Object.assign(this.fields, fields)
  }
}

function withOwn<T>(usual: readonly T[], own: T, wordOf: (one: T) => string): readonly T[] {
  return usual.some((one) => wordOf(one) === wordOf(own)) ? usual : [...usual, own]
}
