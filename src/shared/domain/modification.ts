/** Reasons for a correction of the stock (API.md 9.1). */
export const modificationReasons = ['LOST', 'DEFECTIVE', 'CORRECTION'] as const
export type ModificationReason = (typeof modificationReasons)[number]

/** Statuses of a modification at the service. A new modification has the status `created` (API.md 9.2). */
export const modificationStatuses = ['created', 'approved', 'disapproved'] as const
export type ModificationStatus = (typeof modificationStatuses)[number]

/** The final statuses of a modification. */
export type ModificationDecision = Exclude<ModificationStatus, 'created'>

/** Whether the warehouse has decided. A status that this version does not contain counts as undecided. */
export function isDecision(status: string | null): status is ModificationDecision {
  return status === 'approved' || status === 'disapproved'
}

/** Transitions of a modification: the warehouse decides once (API.md 9.2). */
const next: Record<ModificationStatus, readonly ModificationStatus[]> = {
  created: ['approved', 'disapproved'],
  approved: [],
  disapproved: [],
}

export function canMoveModification(from: ModificationStatus, to: ModificationStatus): boolean {
  return next[from].includes(to)
}

/** Facts of the article that a line stores, so that a draft stays readable without a catalogue. */
export interface DraftVariant {
  readonly id: string
  readonly name: string
  readonly articleCode: string
  readonly ean: string | null
}

export interface DraftLine {
  readonly variant: DraftVariant
  /** Number of pieces to add; negative: to remove. It is a whole number and never 0. */
  readonly quantity: number
}

export type DraftStep = 1 | -1

/** A modification that the operator is entering. */
export interface DraftState {
  readonly reason: ModificationReason | null
  readonly locationId: string | null
  /** The lines in the order of their first scan; each variant once. */
  readonly lines: readonly DraftLine[]
  readonly note: string
  readonly step: DraftStep
  /**
   * Whether the operator has set `step` by PLUS or MINUS. If so, a new reason that allows both directions keeps `step`;
   * otherwise such a reason sets `step` to 1.
   */
  readonly isStepSaid: boolean
  /** Id of the disapproved booking that this one replaces; absent: it replaces no booking. */
  readonly corrects?: string | undefined
}

export type DraftChange =
  /**
   * Adds a piece of an article. `remark`: further text of the article's barcode, which becomes one line of the note.
   */
  | { readonly kind: 'add'; readonly variant: DraftVariant; readonly remark?: string | undefined }
  | { readonly kind: 'quantity'; readonly variantId: string; readonly quantity: number }
  | { readonly kind: 'remove'; readonly variantId: string }
  | { readonly kind: 'reason'; readonly reason: ModificationReason }
  | { readonly kind: 'location'; readonly locationId: string }
  | { readonly kind: 'note'; readonly note: string }
  | { readonly kind: 'step'; readonly step: DraftStep }
  | { readonly kind: 'clear' }
  /** Replaces the current draft by the content of a booking that becomes the draft again. */
  | { readonly kind: 'take_back'; readonly state: DraftState }

export const draftCauses = [
  'start',
  'add',
  'quantity',
  'remove',
  'reason',
  'location',
  'note',
  'step',
  'clear',
  'take_back',
] as const
export type DraftCause = (typeof draftCauses)[number]

/** One state of the draft and the act that led to it. `seq` increases by one with each state of a history. */
export interface DraftEntry {
  readonly seq: number
  readonly cause: DraftCause
  readonly state: DraftState
}

/** The states of the draft, oldest first; the last entry is the current one. */
export type DraftHistory = readonly [DraftEntry, ...DraftEntry[]]

/** The number of acts that can be undone. */
export const undoDepth = 100
export const largestQuantity = 99_999
/**
 * Maximum number of lines of a draft, because this program's service accepts no more lines (API.md 9.1), and each
 * change of a draft compares and writes all its lines. An operator cannot add a further article to a draft with this
 * number of lines.
 */
export const mostDraftLines = 1_000
export const longestNote = 1_000

export const emptyDraft: DraftState = {
  reason: null,
  locationId: null,
  lines: [],
  note: '',
  step: 1,
  isStepSaid: false,
}

export const newDraftHistory: DraftHistory = [{ seq: 0, cause: 'start', state: emptyDraft }]

/** Returns the current state of the draft. */
export function draftOf(history: DraftHistory): DraftState {
  return (history.at(-1) ?? history[0]).state
}

/**
 * Returns the history after one act. An act that changes nothing adds no entry, so that each undo shows a change. All
 * keys typed into a note are one act.
 */
export function changeDraft(history: DraftHistory, change: DraftChange): DraftHistory {
  const last = history.at(-1) ?? history[0]
  const state = apply(last.state, change)
  if (isSame(last.state, state)) return history
  const isOneAct = (change.kind === 'note' && last.cause === 'note') || looksSame(last.state, state)
  if (isOneAct) return withLast(history, { ...last, state })
  const [first, ...rest] = [...history, { seq: last.seq + 1, cause: change.kind, state }].slice(
    -undoDepth - 1,
  )
  return first ? [first, ...rest] : history
}

/** Undoes the last act: removes the newest state of the history, unless it is the only state. */
export function undoDraft(history: DraftHistory): DraftHistory {
  const [first, ...rest] = history
  return rest.length === 0 ? history : [first, ...rest.slice(0, -1)]
}

/** Returns the missing fields of a draft, in the order in which the screen asks for them. */
export function missingOf(
  state: Pick<DraftState, 'reason' | 'locationId' | 'lines'>,
): ('reason' | 'location' | 'lines')[] {
  const missing: ('reason' | 'location' | 'lines')[] = []
  if (state.reason === null) missing.push('reason')
  if (state.locationId === null) missing.push('location')
  if (state.lines.length === 0) missing.push('lines')
  return missing
}

/** Whether a reason allows only negative quantities, because a lost or broken piece is gone. */
export function takesAway(reason: ModificationReason | null): boolean {
  return reason === 'LOST' || reason === 'DEFECTIVE'
}

function apply(state: DraftState, change: DraftChange): DraftState {
  switch (change.kind) {
    case 'add':
      return withRemark(withLines(state, addPiece(state, change.variant)), change.remark)
    case 'quantity':
      return withLines(
        state,
        state.lines.map((line) =>
          line.variant.id === change.variantId
            ? { ...line, quantity: signed(state.reason, change.quantity) }
            : line,
        ),
      )
    case 'remove':
      return withLines(
        state,
        state.lines.filter((line) => line.variant.id !== change.variantId),
      )
    case 'reason':
      return change.reason === state.reason ? state : withReason(state, change.reason)
    case 'location':
      return { ...state, locationId: change.locationId }
    case 'note':
      return { ...state, note: change.note }
    case 'step':
      return { ...state, step: change.step, isStepSaid: true }
    case 'clear':
      return emptyDraft
    case 'take_back':
      return change.state
  }
}

/**
 * Adds `step` pieces of an article: 1, or -1 for a booking that removes pieces. A new article becomes the last line.
 */
function addPiece({ lines, step, reason }: DraftState, variant: DraftVariant): readonly DraftLine[] {
  const add = (quantity: number): number => {
    const sum = quantity + step
    return takesAway(reason) ? Math.min(0, sum) : sum
  }
  if (!lines.some((line) => line.variant.id === variant.id)) return [...lines, { variant, quantity: add(0) }]
  return lines.map((line) =>
    line.variant.id === variant.id ? { variant, quantity: add(line.quantity) } : line,
  )
}

/** Adds a line to the note, unless the note contains it already or has no space for it. */
function withRemark(state: DraftState, remark: string | undefined): DraftState {
  const lines = state.note === '' ? [] : state.note.split('\n')
  if (!remark || lines.includes(remark)) return state
  const note = [...lines, remark].join('\n')
  return note.length > longestNote ? state : { ...state, note }
}

function withReason(state: DraftState, reason: ModificationReason): DraftState {
  const lines = state.lines.map((line) => ({ ...line, quantity: signed(reason, line.quantity) }))
  if (takesAway(reason)) return { ...state, reason, lines, step: -1, isStepSaid: false }
  return { ...state, reason, lines, step: state.isStepSaid ? state.step : 1 }
}

/**
 * Returns a quantity with its sign. If the reason allows only negative quantities, an entered number without a sign
 * counts as negative.
 */
function signed(reason: ModificationReason | null, quantity: number): number {
  return takesAway(reason) ? -Math.abs(quantity) : quantity
}

function withLines(state: DraftState, lines: readonly DraftLine[]): DraftState {
  return {
    ...state,
    lines: lines
      .map((line) => ({ ...line, quantity: withinLimits(line.quantity) }))
      .filter((line) => line.quantity !== 0),
  }
}

function withinLimits(quantity: number): number {
  return Math.max(-largestQuantity, Math.min(largestQuantity, Math.trunc(quantity)))
}

function withLast(history: DraftHistory, entry: DraftEntry): DraftHistory {
  const [first, ...rest] = history
  return rest.length === 0 ? [entry] : [first, ...rest.slice(0, -1), entry]
}

function isSame(a: DraftState, b: DraftState): boolean {
  return a.isStepSaid === b.isStepSaid && looksSame(a, b)
}

/** Whether two states of a draft look the same to an operator. */
function looksSame(a: DraftState, b: DraftState): boolean {
  return JSON.stringify(seenOf(a)) === JSON.stringify(seenOf(b))
}

function seenOf({ reason, locationId, lines, note, step, corrects }: DraftState): unknown {
  return [
    reason,
    locationId,
    note,
    step,
    corrects,
    lines.map(({ variant, quantity }) => lineKey({ variantId: variant.id, locationId, quantity })),
  ]
}

/** A line of a draft or of a service's modification, with its location and without the facts of its article. */
type KeyedLine = Omit<DraftLine, 'variant'> & {
  readonly variantId: string
  readonly locationId: string | null
}

/**
 * Returns a text that is equal for two lines that book the same: article, location and quantity. Ids are compared
 * without their letter case, because services spell them differently.
 */
export function lineKey({ variantId, locationId, quantity, ...others }: KeyedLine): string {
  // a new field of KeyedLine is a compile error here until the returned text contains it, or `others` excludes it
  // because it does not distinguish lines
  void (others satisfies Record<string, never>)
  return [variantId, locationId ?? '', String(quantity)].join(' ').toLowerCase()
}
