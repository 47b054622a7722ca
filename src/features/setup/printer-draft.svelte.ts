import {
  hasPaper,
  plainLayout,
  type PrinterEntry,
  type PrinterKind,
  type PrinterSettings,
  type PrinterLayout,
} from '#shared/bridge/printer-views.ts'
import { savedTitle, shownTitle } from '#place/print-words.ts'
import { longestTitle } from './pane-list.svelte.ts'
import { type CommonFields, type KindDraft, type KindForms, newForms } from './printer-forms.ts'
import { printerKinds, rowOf } from './printer-kinds.ts'

/** The typed input for one printer, new or saved. Its faults are shown after the operator tried to test or save it. */
export class PrinterDraft implements KindDraft {
  readonly id: string
  readonly isNew: boolean
  readonly fields = $state<CommonFields>(newForms().fields)
  readonly forms = $state<KindForms>(newForms().forms)
  readonly layout = $state<LayoutDraft>(layoutDraft(plainLayout))
  readonly #begun: string
  /**
   * The name that came from the last chosen printer. If the operator has not changed it, the next choice replaces it.
   */
  #offered = ''
  #triedToTest = $state(false)
  #triedToSave = $state(false)

  /** @param from - a saved entry, or the id of a new entry. */
  constructor(from: PrinterEntry | string) {
    this.isNew = typeof from === 'string'
    this.id = typeof from === 'string' ? from : from.id
    if (typeof from !== 'string') this.#fill(from)
    this.#begun = this.#typed()
  }

  get isChanged(): boolean {
    return this.#typed() !== this.#begun
  }
  /** Whether the printer has paper whose position can be adjusted. A printer that writes files has none. */
  get hasLayout(): boolean {
    return hasPaper(this.fields)
  }
  get isTitleMissing(): boolean {
    return this.#triedToSave && this.fields.title.trim() === ''
  }
  get isTitleLong(): boolean {
    return this.#triedToSave && this.fields.title.trim().length > longestTitle
  }
  isOffsetWrong(side: OffsetSide): boolean {
    return this.#triedToSave && offsetOf(this.layout[side]) === null
  }

  /** Returns the fault of a field of the chosen kind; null before the operator first tried to test or save. */
  faultOf(field: string): 'missing' | 'wrong' | null {
    if (!this.#triedToTest && !this.#triedToSave) return null
    return printerKinds[this.fields.kind].faults(this)[field] ?? null
  }

  /**
   * Takes the address of a printer that this computer found. For a new printer, also takes the name, unless the
   * operator has typed a name.
   */
  choose(kind: PrinterKind, { address, name }: { readonly address: string; readonly name: string }): void {
    this.fields.kind = kind
    printerKinds[kind].found?.choose(this.forms, address)
    const title = this.fields.title.trim()
    if (this.isNew && (title === '' || title === this.#offered)) this.fields.title = name
    this.#offered = name
  }

  /**
   * Returns the settings in the form that the bridge requires. If a value is missing or wrong, returns null, and the
   * form then shows the faults.
   */
  settingsToTest(): PrinterSettings | null {
    this.#triedToTest = true
    return this.#settings()
  }

  /**
   * Returns the whole entry in the form that the bridge requires. If a value is missing or wrong, returns null, and the
   * form then shows the faults.
   */
  entryToSave(): PrinterEntry | null {
    this.#triedToSave = true
    const settings = this.#settings()
    const layout = this.hasLayout ? layoutOf(this.layout) : plainLayout
    const title = savedTitle(this.fields.title)
    return settings === null || layout === null || title === '' || title.length > longestTitle
      ? null
      : { id: this.id, title, settings, layout }
  }

  #settings(): PrinterSettings | null {
    return printerKinds[this.fields.kind].settings(this)
  }

  #typed(): string {
    return JSON.stringify([this.fields, this.forms, this.layout])
  }

  #fill({ title, settings, layout }: PrinterEntry): void {
    this.fields.title = shownTitle(title)
    this.fields.kind = settings.kind
    Object.assign(this.layout, layoutDraft(layout))
    rowOf(settings).fill(this, settings)
  }
}

export type OffsetSide = 'right' | 'down'

/** The layout of a label on the paper, as the operator typed it. Millimetres are texts until they are parsed. */
type LayoutDraft = Record<OffsetSide, string> & { turn: PrinterLayout['turn'] }

export const turns = ['auto', 0, 90, 180, 270] as const satisfies readonly PrinterLayout['turn'][]

/** The largest offset and its step, in millimetres, as in the contract of the bridge. */
export const offsetLimit = { most: 20, step: 0.5 } as const

/**
 * Returns the number of millimetres in a text if the number is within the limits and a multiple of the step, otherwise
 * null. An empty text counts as 0.
 */
export function offsetOf(text: string): number | null {
  const typed = text.trim().replace('−', '-').replace(',', '.')
  if (typed === '') return 0
  const mm = /^[+-]?\d{1,2}(\.\d{1,2})?$/.test(typed) ? Number(typed) : null
  if (mm === null || Math.abs(mm) > offsetLimit.most || !Number.isInteger(mm / offsetLimit.step)) return null
  // avoids the result -0
  return mm === 0 ? 0 : mm
}

/**
 * Returns the offset that is one step more or less than the typed one, but not beyond the limit. A text for which
 * `offsetOf` returns null counts as 0.
 */
export function stepped(text: string, by: 1 | -1): string {
  const goal = (offsetOf(text) ?? 0) + by * offsetLimit.step
  return offsetText(Math.max(-offsetLimit.most, Math.min(offsetLimit.most, goal)))
}

function offsetText(mm: number): string {
  return String(mm)
}

export function layoutDraft({ turn, offsetXMm, offsetYMm }: PrinterLayout): LayoutDraft {
  return { turn, right: offsetText(offsetXMm), down: offsetText(offsetYMm) }
}

/** Returns the layout in the form that the bridge requires, or null if a number is wrong. */
export function layoutOf({ turn, right, down }: LayoutDraft): PrinterLayout | null {
  const offsetXMm = offsetOf(right)
  const offsetYMm = offsetOf(down)
  return offsetXMm === null || offsetYMm === null ? null : { turn, offsetXMm, offsetYMm }
}
