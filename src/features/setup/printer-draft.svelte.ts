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

/** The input for one printer, new or saved. It shows its faults after an attempt to use it. */
export class PrinterDraft implements KindDraft {
  readonly id: string
  readonly isNew: boolean
  readonly fields = $state<CommonFields>(newForms().fields)
  readonly forms = $state<KindForms>(newForms().forms)
  readonly layout = $state<LayoutDraft>(layoutDraft(plainLayout))
  readonly #begun: string
  /** The name from the last choice: a name that the operator has not changed is replaced by the next one. */
  #offered = ''
  #triedToTest = $state(false)
  #triedToSave = $state(false)

  /** `from`: a saved entry, or the id of a new one. */
  constructor(from: PrinterEntry | string) {
    this.isNew = typeof from === 'string'
    this.id = typeof from === 'string' ? from : from.id
    if (typeof from !== 'string') this.#fill(from)
    this.#begun = this.#typed()
  }

  get isChanged(): boolean {
    return this.#typed() !== this.#begun
  }
  /** A printer that writes files has no paper to align. */
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

  /** The fault of a field of the chosen kind; null before the first attempt. */
  faultOf(field: string): 'missing' | 'wrong' | null {
    if (!this.#triedToTest && !this.#triedToSave) return null
    return printerKinds[this.fields.kind].faults(this)[field] ?? null
  }

  /**
   * Takes the address of a printer that this computer lists, and its name unless the operator has already typed one.
   */
  choose(kind: PrinterKind, { address, name }: { readonly address: string; readonly name: string }): void {
    this.fields.kind = kind
    printerKinds[kind].found?.choose(this.forms, address)
    const title = this.fields.title.trim()
    if (this.isNew && (title === '' || title === this.#offered)) this.fields.title = name
    this.#offered = name
  }

  /** The settings in the contract's form, or null if a value is missing; then the draft shows its faults. */
  settingsToTest(): PrinterSettings | null {
    this.#triedToTest = true
    return this.#settings()
  }

  /** The whole entry in the contract's form, or null if a value is missing; then the draft shows its faults. */
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

/** The typed layout on a printer's paper: millimetres are texts until they are parsed. */
type LayoutDraft = Record<OffsetSide, string> & { turn: PrinterLayout['turn'] }

export const turns = ['auto', 0, 90, 180, 270] as const satisfies readonly PrinterLayout['turn'][]

/** The contract's limits, in millimetres. */
export const offsetLimit = { most: 20, step: 0.5 } as const

/**
 * Returns the number of millimetres in a text if it is within limits and steps, otherwise null. An empty text counts as
 * 0.
 */
export function offsetOf(text: string): number | null {
  const typed = text.trim().replace('−', '-').replace(',', '.')
  if (typed === '') return 0
  const mm = /^[+-]?\d{1,2}(\.\d{1,2})?$/.test(typed) ? Number(typed) : null
  if (mm === null || Math.abs(mm) > offsetLimit.most || !Number.isInteger(mm / offsetLimit.step)) return null
  // no minus before a zero
  return mm === 0 ? 0 : mm
}

/** One step more or less; a text that cannot be read starts again at zero. */
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

/** The layout in the contract's form, or null if a number is wrong. */
export function layoutOf({ turn, right, down }: LayoutDraft): PrinterLayout | null {
  const offsetXMm = offsetOf(right)
  const offsetYMm = offsetOf(down)
  return offsetXMm === null || offsetYMm === null ? null : { turn, offsetXMm, offsetYMm }
}
