import type { PlaceWindow } from '#place/place.ts'
import type { ModificationChange, ModificationDraft, ModificationLine } from '#shared/bridge/stock-views.ts'
import { formatSigned } from '#ui/format.ts'
import { locationName } from './booking-text.ts'
import { parseQuantity } from './number-entry.svelte.ts'
import { TypedTexts, type WaitingText } from './typed-texts.svelte.ts'

type StationId = ReturnType<PlaceWindow['stationId']>

interface DraftFieldsDeps {
  readonly draft: () => ModificationDraft | null
  readonly stationId: () => StationId
  /** Changes the draft, and plays the sound of the change. */
  readonly change: (change: ModificationChange, station: StationId) => Promise<unknown>
  /**
   * Waits for all earlier acts, then makes the change that `changeOf` returns, without a sound. Calls `onSaved` before
   * any later act and returns true, also if `changeOf` returns null because there is nothing to change. If the change
   * cannot be saved, shows the reason and returns false.
   */
  readonly save: (
    changeOf: () => ModificationChange | null,
    station: StationId,
    onSaved: () => void,
  ) => Promise<boolean>
  /** Shows that a typed text cannot be saved, because it is not a number of pieces or not a chosen location. */
  readonly onWaits: (waiting: WaitingText) => void
}

/** The key of the location's text in `TypedTexts`. The key of a line's text is the id of its article. */
const locationKey = 'location'

/**
 * The texts in the quantity fields and in the location field of a draft. A scan does not take the focus from a field,
 * so the texts are saved before a scanned command, and not only at the end of the typing.
 */
export class DraftFields {
  readonly #deps: DraftFieldsDeps
  readonly #typed = new TypedTexts()
  /** Id of the station at which the texts were typed. */
  #station: StationId

  constructor(deps: DraftFieldsDeps) {
    this.#deps = deps
  }

  /** The text typed into the location field, which is no choice yet; null if the field shows the chosen location. */
  get location(): string | null {
    return this.#typed.of(locationKey)
  }

  /** A typed text that is not saved; null if each field shows its saved value. */
  get waiting(): WaitingText | null {
    const [first] = this.#typed.all
    return first ? { field: first.key === locationKey ? 'location' : 'quantity', text: first.text } : null
  }

  /** Returns the text typed into the quantity field of a line; null if the field shows the saved quantity. */
  quantityOf(variantId: string): string | null {
    return this.#typed.of(variantId)
  }

  /** Takes the changed text of a quantity field. `keepQuantity` or `save` saves it. */
  typeQuantity(variantId: string, text: string): void {
    const line = this.#lineOf(variantId)
    if (!line) return
    this.#station = this.#deps.stationId()
    this.#typed.type(variantId, text, formatSigned(line.quantity))
  }

  /** Takes the changed text of the location field. It is never saved: the operator chooses a location instead. */
  typeLocation(text: string): void {
    this.#typed.type(locationKey, text, nameOf(this.#deps.draft()?.location))
  }

  /** Drops the text typed into the quantity field of a line, or without an id into the location field. */
  drop(variantId = locationKey): void {
    this.#typed.forget(variantId)
  }

  /** Drops all typed texts. Returns whether there were any. */
  clear(): boolean {
    return this.#typed.clear()
  }

  /**
   * Called when a key that leaves the booking was pressed, before the fields are removed. The key ends the typing and
   * follows no scan, so the whole texts are then saved or kept.
   */
  settle(): void {
    this.#typed.settle()
  }

  /** Called when the quantity field of a line, or without an id the location field, is removed from the screen. */
  removed(variantId = locationKey): void {
    this.#typed.removed(variantId)
  }

  /**
   * Saves the number that the operator finished typing into the field of a line. A text that is no number of pieces
   * stays in the field until the operator corrects or drops it.
   */
  async keepQuantity(variantId: string): Promise<void> {
    const text = this.#typed.of(variantId)
    if (text === null) return
    const quantity = parseQuantity(text)
    const isSaved = quantity === this.#lineOf(variantId)?.quantity
    if (isSaved || text.trim() === '') this.#typed.forget(variantId)
    else if (quantity === null) this.#deps.onWaits({ field: 'quantity', text })
    else await this.#deps.change({ kind: 'quantity', variantId, quantity }, this.#station)
  }

  /**
   * Saves the typed numbers of pieces, or the number of one line, at the station at which they were typed. Plays no
   * sound. Waits until no text can contain characters of a scan that is under way (`TypedTexts.settled`). Saves no text
   * that is no number of pieces. Returns false if a number could not be saved.
   */
  async save(only: string | null = null): Promise<boolean> {
    const keys = this.#typed.all.map(({ key }) => key).filter((key) => key !== locationKey)
    const saved = keys.filter((key) => only === null || key === only).map((key) => this.#save(key))
    return (await Promise.all(saved)).every(Boolean)
  }

  async #save(variantId: string): Promise<boolean> {
    const text = await this.#typed.settled(variantId)
    const quantity = text === null ? null : parseQuantity(text)
    if (quantity === null) return true
    // an earlier act may already have saved or dropped the text; then nothing is saved here
    const changeOf = (): ModificationChange | null =>
      this.#typed.of(variantId) === null ? null : { kind: 'quantity', variantId, quantity }
    return this.#deps.save(changeOf, this.#station, () => {
      this.#typed.forget(variantId, text)
    })
  }

  /** Called after another draft replaced `before`. Forgets the texts of removed lines and of a replaced location. */
  shown(before: ModificationDraft | null, draft: ModificationDraft): void {
    this.#typed.keepOnly([locationKey, ...draft.lines.map(({ variant }) => variant.id)])
    for (const { variant, quantity } of before?.lines ?? [])
      if (quantity !== this.#lineOf(variant.id)?.quantity)
        this.#typed.changed(variant.id, formatSigned(quantity))
    if (before?.location?.id === draft.location?.id) return
    this.#typed.changed(locationKey, nameOf(before?.location))
    if (draft.location) this.drop()
  }

  /** Called after an act of the operator. Forgets the typed texts in whose place the act set another value. */
  replacedBy(act: ModificationChange | 'undo' | 'taken_back'): void {
    if (act === 'undo') return
    if (act === 'taken_back' || act.kind === 'clear') this.clear()
    else if (act.kind === 'location') this.drop()
    else if (act.kind === 'quantity') this.drop(act.variantId)
  }

  #lineOf(variantId: string): ModificationLine | undefined {
    return this.#deps.draft()?.lines.find(({ variant }) => variant.id === variantId)
  }
}

function nameOf(location: ModificationDraft['location'] | undefined): string {
  return location ? locationName(location) : ''
}
