import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeDraft,
  type DraftChange,
  type DraftHistory,
  draftOf,
  type DraftState,
  emptyDraft,
  largestQuantity,
  missingOf,
  newDraftHistory,
  takesAway,
  undoDepth,
  undoDraft,
  modificationReasons,
} from '#shared/domain/modification.ts'
import { count, seed } from '#support/counts.ts'

const article = (id: string): Extract<DraftChange, { kind: 'add' }> => ({
  kind: 'add',
  variant: { id, name: `Article ${id}`, articleCode: `A-${id}`, ean: null },
})
const after = (...changes: DraftChange[]): DraftHistory =>
  changes.reduce<DraftHistory>(changeDraft, newDraftHistory)
const pieces = (history: DraftHistory): Record<string, number> =>
  Object.fromEntries(draftOf(history).lines.map((line) => [line.variant.id, line.quantity]))

const change = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map(article),
  fc.record({
    kind: fc.constant('quantity' as const),
    variantId: fc.constantFrom('a', 'b', 'x'),
    quantity: fc.integer({ min: -largestQuantity, max: largestQuantity }),
  }),
  fc.record({ kind: fc.constant('remove' as const), variantId: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constant('reason' as const), reason: fc.constantFrom(...modificationReasons) }),
  fc.record({ kind: fc.constant('location' as const), locationId: fc.constantFrom('l1', 'l2') }),
  fc.record({ kind: fc.constant('note' as const), note: fc.constantFrom('', 'wet', 'wet box') }),
  fc.record({ kind: fc.constant('step' as const), step: fc.constantFrom(1 as const, -1 as const) }),
  fc.constant({ kind: 'clear' as const }),
)

/** Returns everything that an operator sees of a draft. */
const seen = (state: DraftState): unknown => ({ ...state, isStepSaid: null })

describe('a modification draft', () => {
  it('counts scanned pieces as removed under LOST and DEFECTIVE, and otherwise as added', () => {
    const a = article('a')
    expect(pieces(after({ kind: 'reason', reason: 'LOST' }, a, a, article('b')))).toEqual({ a: -2, b: -1 })
    expect(pieces(after({ kind: 'reason', reason: 'DEFECTIVE' }, a))).toEqual({ a: -1 })
    expect(pieces(after({ kind: 'reason', reason: 'CORRECTION' }, a, a))).toEqual({ a: 2 })
    expect(pieces(after(a, a))).toEqual({ a: 2 })
  })

  it('counts a scanned piece as removed under CORRECTION after MINUS, and under LOST even if PLUS preceded the reason', () => {
    const a = article('a')
    const minus = after({ kind: 'reason', reason: 'CORRECTION' }, { kind: 'step', step: -1 }, a)
    expect(pieces(minus)).toEqual({ a: -1 })
    const said = after({ kind: 'step', step: -1 }, { kind: 'reason', reason: 'CORRECTION' }, a)
    expect(pieces(said)).toEqual({ a: -1 })
    const lost = after({ kind: 'step', step: 1 }, { kind: 'reason', reason: 'LOST' }, a)
    expect(pieces(lost)).toEqual({ a: -1 })
  })

  it('takes back one lost piece for each scan after the command PLUS under LOST, but never contains added pieces', () => {
    const a = article('a')
    const lost = after({ kind: 'reason', reason: 'LOST' }, a, a, { kind: 'step', step: 1 })
    expect(pieces(changeDraft(lost, a))).toEqual({ a: -1 })
    expect(pieces([a, a, a, article('b')].reduce(changeDraft, lost))).toEqual({})
  })

  it('makes every line a loss under LOST and DEFECTIVE, and leaves lines unchanged under CORRECTION', () => {
    const mixed = after(article('a'), article('b'), { kind: 'quantity', variantId: 'b', quantity: -4 })
    const lost = changeDraft(mixed, { kind: 'reason', reason: 'LOST' })
    expect(pieces(lost)).toEqual({ a: -1, b: -4 })
    expect(pieces(changeDraft(lost, { kind: 'quantity', variantId: 'a', quantity: 7 }))).toEqual({
      a: -7,
      b: -4,
    })
    expect(pieces(changeDraft(mixed, { kind: 'reason', reason: 'CORRECTION' }))).toEqual({ a: 1, b: -4 })
  })

  it('drops a line whose quantity becomes zero, and limits the quantity of each line', () => {
    const one = after(article('a'))
    expect(pieces(changeDraft(one, { kind: 'quantity', variantId: 'a', quantity: 0 }))).toEqual({})
    const most = changeDraft(one, { kind: 'quantity', variantId: 'a', quantity: largestQuantity })
    expect(pieces(changeDraft(most, article('a')))).toEqual({ a: largestQuantity })
  })

  it('lists the missing parts: first the reason, then the location, then the lines', () => {
    expect(missingOf(emptyDraft)).toEqual(['reason', 'location', 'lines'])
    const scanned = after(article('a'), { kind: 'location', locationId: 'l' })
    expect(missingOf(draftOf(scanned))).toEqual(['reason'])
    expect(missingOf(draftOf(changeDraft(scanned, { kind: 'reason', reason: 'LOST' })))).toEqual([])
  })

  it('undoes a typed note in one step', () => {
    const typed = after(
      { kind: 'note', note: 'w' },
      { kind: 'note', note: 'we' },
      { kind: 'note', note: 'wet' },
    )
    expect(draftOf(typed).note).toBe('wet')
    expect(draftOf(undoDraft(typed)).note).toBe('')
  })

  it('is restored by undo after it was emptied or replaced by a booking', () => {
    const full = after(article('a'), { kind: 'note', note: 'wet' })
    expect(draftOf(undoDraft(changeDraft(full, { kind: 'clear' })))).toEqual(draftOf(full))
    const state = draftOf(after(article('b')))
    const back = changeDraft(full, { kind: 'take_back', state })
    expect(draftOf(back)).toEqual(state)
    expect(draftOf(undoDraft(back))).toEqual(draftOf(full))
  })

  it('can undo at least its last fifty changes', () => {
    let history = newDraftHistory
    for (let i = 0; i < undoDepth + 30; i++) history = changeDraft(history, article('a'))
    for (let i = 0; i < undoDepth + 30; i++) history = undoDraft(history)
    expect(undoDepth).toBeGreaterThanOrEqual(50)
    expect(pieces(history)).toEqual({ a: 30 })
  })

  it('has only valid lines after any changes, and undoes exactly the last change', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        let history: DraftHistory = newDraftHistory
        for (const one of changes) {
          const before = history
          history = changeDraft(history, one)
          const now = draftOf(history)
          const ids = now.lines.map((line) => line.variant.id)
          expect(new Set(ids).size).toBe(ids.length)
          for (const { quantity } of now.lines) {
            expect(Number.isInteger(quantity) && quantity !== 0).toBe(true)
            expect(Math.abs(quantity)).toBeLessThanOrEqual(largestQuantity)
            if (takesAway(now.reason)) expect(quantity).toBeLessThan(0)
          }
          expect(history.map((entry) => entry.seq - history[0].seq)).toEqual(history.map((_, i) => i))
          if (history.length > before.length)
            expect(seen(draftOf(undoDraft(history)))).toEqual(seen(draftOf(before)))
          else expect(history.length).toBe(before.length)
        }
      }),
      { seed, numRuns: count(100, 5_000) },
    )
  })
})
