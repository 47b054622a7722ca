import type { LabelId } from '#shared/domain/ids.ts'
import type { AmbiguousOutcome, ScanChoiceView, ScanEntry, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { AnswerAct, LabelAct } from '#shared/domain/label-state.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/**
 * Delay before the card of a running look-up is shown, in milliseconds. Most look-ups take less time, and a card that
 * is shown only for a moment is worse than the previous card.
 */
export const lookingDelayMs = 150

/** A scan with several possible meanings, one of which an earlier answer of the operator has selected. */
export type AnsweredScan = ScanEntry & { readonly remembered: ScanChoiceView }

/**
 * The card on the stage. Each scan and each act that opens a card has a turn, a number that counts up. The result of an
 * earlier turn never replaces the card of a later turn.
 */
export class ShownCard {
  /** The text typed in place of a scan. It is kept when another card is shown. */
  typed = $state('')
  /** Why the last act on this card failed. */
  failure = $state.raw<Failure | null>(null)
  /**
   * The unknown code that the stage put into `typed`. The code is removed from `typed` when the card about the code is
   * replaced.
   */
  #offered = ''
  #now = $state.raw<Card>({ kind: 'home' })
  #answered = $state.raw<AnsweredScan | null>(null)
  #lastTurn = 0
  #shownTurn = 0
  /** Resolves when no command that was scanned so far waits for its card. */
  #awaited: Promise<unknown> = Promise.resolve()
  readonly #ask: (outcome: AmbiguousOutcome | null) => void

  /** @param ask - called with each new card: with the ambiguous scan that the card asks about, or with null. */
  constructor(ask: (outcome: AmbiguousOutcome | null) => void) {
    this.#ask = ask
  }

  get now(): Card {
    return this.#now
  }
  get answered(): AnsweredScan | null {
    return this.#answered
  }
  /**
   * The number (turn) of the last scan or of the last act that opened a card. Each scan and each such act gets a higher
   * number than the one before.
   */
  get lastTurn(): number {
    return this.#lastTurn
  }

  /** The number of the scan or act that the current card belongs to. */
  get turn(): number {
    return this.#shownTurn
  }

  takeTurn(): number {
    return ++this.#lastTurn
  }

  /** Whether the current card belongs to the scan or act with the number `turn`. */
  isOf(turn: number): boolean {
    return turn === this.#shownTurn
  }

  /**
   * Whether a card of the scan or act with the number `turn` may be shown. False if the current card belongs to a later
   * scan or act. A scanned answer to a question uses the number of the question's card.
   */
  isDue(turn: number): boolean {
    return turn >= this.#shownTurn
  }

  show(card: Card, turn: number): void {
    this.#shownTurn = turn
    this.#now = card
    this.#answered = null
    this.#ask(card.kind === 'ambiguous' ? card.outcome : null)
    this.failure = null
    if (this.typed === this.#offered) this.typed = ''
    this.#offered = card.kind === 'unknown' && this.typed === '' ? card.outcome.raw : ''
    this.typed ||= this.#offered
  }

  /** @param labelOf - returns the id of the newest label of a shipment. */
  showOutcome(outcome: ScanOutcome, turn: number, labelOf: (shipmentId: string) => LabelId | null): void {
    const card = cardOf(outcome, labelOf)
    if (!card) return
    this.show(card, turn)
    const { scanId, raw, at, kind } = outcome
    if ('remembered' in outcome && outcome.remembered)
      this.#answered = { scanId, raw, at, kind, title: null, remembered: outcome.remembered }
  }

  /** Keeps the current card, which from now on belongs to the scan or act with the number `turn`. */
  keep(turn: number): void {
    this.#shownTurn = turn
  }

  /** Replaces the current card by another card of the same scan or act, for example when a shipment gets its label. */
  become(card: Card): void {
    this.#now = card
  }

  /**
   * Waits for a look-up. If the look-up takes long enough for the operator to notice, a card about the look-up is shown
   * meanwhile. That card is shown later if a command still waits for the card of an earlier scan or act, because the
   * command would be refused without its card.
   */
  async whileLooking<T>(raw: string, turn: number, answer: Promise<T>): Promise<T> {
    const delay = new Promise((resolve) => setTimeout(resolve, lookingDelayMs))
    // if the card on the stage already belongs to this scan or act, a command for an earlier card is refused in any
    // case
    const awaited = this.isOf(turn) ? null : this.#awaited
    let isOver = false
    void Promise.all([delay, awaited]).then(() => {
      if (!isOver && this.isDue(turn)) this.show({ kind: 'looking', raw }, turn)
    })
    try {
      return await answer
    } finally {
      isOver = true
    }
  }

  /**
   * Keeps the current card for a scanned command until `work` is done. The command then applies to the card at once.
   */
  keepFor(work: Promise<unknown>): void {
    this.#awaited = Promise.allSettled([this.#awaited, work]).then(() => undefined)
  }
}

export type ShipmentOutcome = Extract<ScanOutcome, { kind: 'shipment' }>
export type UnknownOutcome = Extract<ScanOutcome, { kind: 'unknown' }>
type LabelOutcome = Extract<ScanOutcome, { kind: 'return_label' }>
export type ArticleOutcome = Extract<ScanOutcome, { kind: 'article' }>
export type LocationOutcome = Extract<ScanOutcome, { kind: 'location' }>

/**
 * The card in the middle of the window. For a label or a booking, the card contains only the id, because the record can
 * change while the card is shown.
 */
export type Card =
  | { readonly kind: 'home' }
  | { readonly kind: 'help' }
  | { readonly kind: 'looking'; readonly raw: string }
  | { readonly kind: 'shipment'; readonly outcome: ShipmentOutcome; readonly labelId: LabelId | null }
  /**
   * The card of a label. `swap`: another label that was printed last and was not scanned yet, so the operator may have
   * swapped the two labels.
   */
  | {
      readonly kind: 'label'
      readonly raw: string | null
      readonly labelId: LabelId
      readonly swap: LabelOutcome['swap']
    }
  | { readonly kind: 'article'; readonly outcome: ArticleOutcome }
  | { readonly kind: 'location'; readonly outcome: LocationOutcome }
  | { readonly kind: 'modification'; readonly raw: string | null; readonly modificationId: string }
  | { readonly kind: 'ambiguous'; readonly outcome: AmbiguousOutcome }
  | { readonly kind: 'badge'; readonly username: string }
  | { readonly kind: 'unknown'; readonly outcome: UnknownOutcome }
  /** A scan whose saving or look-up failed. `saved`: whether the scan was saved, so that only the look-up failed. */
  | { readonly kind: 'failed'; readonly raw: string; readonly failure: Failure; readonly saved: boolean }

/** An act on the label, or an answer to the question before an act. */
export type CardAct = LabelAct | AnswerAct

/** The act of Enter, the large button and the PRIMARY barcode on a card. */
export type PrimaryAction = CardAct | 'retry' | 'book'

/**
 * Returns the card of a scan's outcome, or null for a command. `labelOf` returns the newest label of a shipment,
 * because a label may have been made after an earlier scan.
 */
export function cardOf(outcome: ScanOutcome, labelOf: (shipmentId: string) => LabelId | null): Card | null {
  switch (outcome.kind) {
    case 'shipment':
      return {
        kind: 'shipment',
        outcome,
        labelId: labelOf(outcome.shipment.id) ?? outcome.label?.id ?? null,
      }
    case 'return_label':
      return { kind: 'label', raw: outcome.raw, labelId: outcome.label.id, swap: outcome.swap }
    case 'article':
      return { kind: 'article', outcome }
    case 'location':
      return { kind: 'location', outcome }
    case 'modification':
      return { kind: 'modification', raw: outcome.raw, modificationId: outcome.modification.id }
    case 'ambiguous':
      return { kind: 'ambiguous', outcome }
    case 'badge':
      return { kind: 'badge', username: outcome.username }
    case 'unknown':
      return { kind: 'unknown', outcome }
    case 'failed':
      return { kind: 'failed', raw: outcome.raw, failure: outcome.failure, saved: true }
    case 'command':
      return null
  }
}

/** Returns the card of a label that was not scanned. */
export function labelCard(labelId: LabelId): Card {
  return { kind: 'label', raw: null, labelId, swap: null }
}

export function withoutSwap(outcome: ScanOutcome): ScanOutcome {
  return outcome.kind === 'return_label' ? { ...outcome, swap: null } : outcome
}
