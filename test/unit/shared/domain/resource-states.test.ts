import { describe, expect, it } from 'vitest'
import {
  canMoveInbound,
  inboundStatuses,
  isInboundOpen,
  canMoveReturnLabel,
  returnLabelStates,
  canMoveTransfer,
  transferStatuses,
} from '#shared/domain/resource-states.ts'
import { canMoveModification, modificationStatuses } from '#shared/domain/modification.ts'

/** Every allowed transition. All other transitions are refused. */
const allowedInbounds = [
  'announced > awaiting_transfer',
  'announced > processing',
  'announced > on_hold',
  'announced > cancelled',
  'process_no_announcement > processing',
  'process_no_announcement > on_hold',
  'awaiting_transfer > transfer',
  'awaiting_transfer > on_hold',
  'awaiting_transfer > cancelled',
  'transfer > processing',
  'transfer > on_hold',
  'processing > completed',
  'processing > on_hold',
  'on_hold > announced',
  'on_hold > awaiting_transfer',
  'on_hold > processing',
  'on_hold > cancelled',
]
const allowedTransfers = [
  'created > requested',
  'created > cancelled',
  'requested > processing',
  'requested > denied',
  'requested > cancelled',
  'processing > accepted',
  'processing > denied',
  'processing > cancelled',
  'denied > cancelled',
  'accepted > cancelled',
]
const allowedModifications = ['created > approved', 'created > disapproved']
const allowedLabels = [
  'unrequested > requesting',
  'unrequested > cancelled',
  'requesting > requested',
  'requesting > unrequested',
]

/** Returns every ordered pair of statuses, including pairs of a status with itself. */
function pairs<State extends string>(states: readonly State[]): [State, State][] {
  return states.flatMap((from) => states.map((to): [State, State] => [from, to]))
}

describe('the states of an inbound', () => {
  it.each(pairs(inboundStatuses))(
    'allow the transition from %s to %s if, and only if, this test lists it as allowed',
    (from, to) => {
      expect(canMoveInbound(from, to)).toBe(allowedInbounds.includes(`${from} > ${to}`))
    },
  )

  it('count as open only if they are announced, awaiting_transfer or on_hold', () => {
    const open = inboundStatuses.filter((status) => isInboundOpen(status))
    expect(open).toEqual(['announced', 'awaiting_transfer', 'on_hold'])
  })
})

describe('the states of a transfer', () => {
  it.each(pairs(transferStatuses))(
    'allow the transition from %s to %s if, and only if, this test lists it as allowed',
    (from, to) => {
      expect(canMoveTransfer(from, to)).toBe(allowedTransfers.includes(`${from} > ${to}`))
    },
  )
})

describe('the states of a modification', () => {
  it.each(pairs(modificationStatuses))(
    'allow the transition from %s to %s if, and only if, this test lists it as allowed',
    (from, to) => {
      expect(canMoveModification(from, to)).toBe(allowedModifications.includes(`${from} > ${to}`))
    },
  )
})

describe('the states of a return label', () => {
  it.each(pairs(returnLabelStates))(
    'allow the transition from %s to %s if, and only if, this test lists it as allowed',
    (from, to) => {
      expect(canMoveReturnLabel(from, to)).toBe(allowedLabels.includes(`${from} > ${to}`))
    },
  )
})

describe('the lists of allowed transitions', () => {
  it('contain only existing statuses', () => {
    for (const [allowed, states] of [
      [allowedInbounds, inboundStatuses],
      [allowedTransfers, transferStatuses],
      [allowedModifications, modificationStatuses],
      [allowedLabels, returnLabelStates],
    ] as const) {
      const known = pairs<string>(states).map((pair) => pair.join(' > '))
      expect(allowed.filter((move) => !known.includes(move))).toEqual([])
    }
  })
})
