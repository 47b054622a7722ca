import { describe, expect, it } from 'vitest'
import {
  bareReference,
  serialReference,
  shownReference,
} from '#middleware/services/shipments/create-return-label.ts'

describe('the external reference of a return label', () => {
  it.each([
    ['RMA-1', 'RMA-1'],
    ['RMA-1.R', 'RMA-1'],
    ['RMA-1.R.R', 'RMA-1'],
    ['.R', '.R'],
    ['.R.R', '.R'],
    ['R', 'R'],
  ])('is stored without the ending .R: %s as %s', (reference, kept) => {
    expect(bareReference(reference)).toBe(kept)
  })

  it('ends in .R only in the state `requested` of the label: not before or during the request, and not after a cancellation', () => {
    const label = { external_reference: 'RMA-1' }
    for (const state of ['unrequested', 'requesting', 'cancelled'] as const)
      expect(shownReference({ ...label, state })).toBe('RMA-1')
    expect(shownReference({ ...label, state: 'requested' })).toBe('RMA-1.R')
  })

  it('has the serial number of the label in eleven digits if the client sends no reference', () => {
    expect(serialReference(42)).toBe('RTL00000000042')
  })
})
