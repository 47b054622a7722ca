import type { LabelId } from '#shared/domain/ids.ts'
import type { AmbiguousOutcome, ScanChoiceView, ScanEntry, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { AnswerAct, LabelAct } from '#shared/domain/label-state.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** Answers are usually quicker than this; a card that flashes by is worse than the one that stood. */
const lookingDelayMs = 150

/** A scan that an earlier answer made what its card shows. */
export type AnsweredScan = ScanEntry & { readonly remembered: ScanChoiceView }

/**
 * Which card stands, and whose turn it is: scans and visits are numbered, and what belongs to an older number never
 * replaces a newer card.
 */
export class ShownCard {
  /** What is being typed in place of a scan; stays while cards come and go. */
  typed = $state('')
  /** Why what was done on this card failed. */
  failure = $state.raw<Failure | null>(null)
  /** The unknown code that was put into `typed` for its card, and leaves with it. */
  #offered = ''
  #now = $state.raw<Card>({ kind: 'home' })
  #answered = $state.raw<AnsweredScan | null>(null)
  #lastTurn = 0
  #shownTurn = 0
  readonly #ask: (outcome: AmbiguousOutcome | null) => void

  /** @param ask - hears of each card what it asks: the ambiguous scan, or nothing. */
  constructor(ask: (outcome: AmbiguousOutcome | null) => void) {
    this.#ask = ask
  }

  get now(): Card {
    return this.#now
  }
  get answered(): AnsweredScan | null {
    return this.#answered
  }
  /** Of the scan or visit that came last. */
  get lastTurn(): number {
    return this.#lastTurn
  }

  takeTurn(): number {
    return ++this.#lastTurn
  }

  /** Whether this card was due in that very turn. */
  isOf(turn: number): boolean {
    return turn === this.#shownTurn
  }

  /** Whether a card of that turn may be shown: none of a later one is. An answer has the turn of its question. */
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

  /** `labelOf`: the newest label of a shipment. */
  showOutcome(outcome: ScanOutcome, turn: number, labelOf: (shipmentId: string) => LabelId | null): void {
    const card = cardOf(outcome, labelOf)
    if (!card) return
    this.show(card, turn)
    const { scanId, raw, at, kind } = outcome
    if ('remembered' in outcome && outcome.remembered)
      this.#answered = { scanId, raw, at, kind, title: null, remembered: outcome.remembered }
  }

  /** That turn came to nothing else: the card stays, and is its. */
  keep(turn: number): void {
    this.#shownTurn = turn
  }

  /** The card goes on as another: a shipment has its label now. */
  become(card: Card): void {
    this.#now = card
  }

  /** Says that the scan is being looked up, where that takes long enough to be seen. */
  async whileLooking<T>(raw: string, turn: number, answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      if (this.isDue(turn)) this.#now = { kind: 'looking', raw }
    }, lookingDelayMs)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }
}

export type ShipmentOutcome = Extract<ScanOutcome, { kind: 'shipment' }>
export type UnknownOutcome = Extract<ScanOutcome, { kind: 'unknown' }>
type LabelOutcome = Extract<ScanOutcome, { kind: 'return_label' }>
export type ArticleOutcome = Extract<ScanOutcome, { kind: 'article' }>
export type LocationOutcome = Extract<ScanOutcome, { kind: 'location' }>

/** The one thing in the middle of the window. What changes while its card stands is named by id. */
export type Card =
  | { readonly kind: 'home' }
  | { readonly kind: 'help' }
  | { readonly kind: 'looking'; readonly raw: string }
  | { readonly kind: 'shipment'; readonly outcome: ShipmentOutcome; readonly labelId: LabelId | null }
  /** `swap`: another label came out last and was not scanned yet. */
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
  /** `saved`: the scan is durable, only looking it up failed. */
  | { readonly kind: 'failed'; readonly raw: string; readonly failure: Failure; readonly saved: boolean }

/** An act of the label, or the answer to what the zone asks before it does one. */
export type CardAct = LabelAct | AnswerAct

/** What Enter, the large button and the PRIMARY barcode do on a card. */
export type PrimaryAction = CardAct | 'retry' | 'book'

/**
 * The card that shows what became of a scan, or null for a command. `labelOf` names the newest label of a shipment:
 * a scan brought back may be older than the label made after it.
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

/** The card of a label that was not scanned. */
export function labelCard(labelId: LabelId): Card {
  return { kind: 'label', raw: null, labelId, swap: null }
}

export function withoutSwap(outcome: ScanOutcome): ScanOutcome {
  return outcome.kind === 'return_label' ? { ...outcome, swap: null } : outcome
}
