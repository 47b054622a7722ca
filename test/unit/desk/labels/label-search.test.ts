import { expect, it } from 'vitest'
import { searchLabels } from '#desk/labels/label-search.ts'
import type { LabelHead, LabelLedger } from '#desk/ports/label-ledger.ts'
import type { LabelIndexStore, ListedLabel } from '#desk/ports/recent-store.ts'
import { labelIdOf, serverLabelIdOf } from '#support/ids.ts'

const texts = {
  ...{ externalReference: 'RMA-1', trackingCode: null, shipmentReference: null },
  ...{ senderName: 'Zoë', senderCity: 'Breda' },
}

function head(serverId: string, origin: LabelHead['origin']): LabelHead {
  return {
    ...texts,
    ...{
      id: labelIdOf(`own ${serverId}`),
      origin,
      serverId: serverLabelIdOf(serverId),
      createdAt: 1,
      asOf: 1,
    },
    ...{
      shipmentId: null,
      shippingMethodId: null,
      wishedReference: null,
      requested: false,
      cancelled: false,
    },
    ...{ documentHash: null, documentFailure: null, create: null, patch: null, request: null, cancel: null },
    ...{ asked: null, trouble: null, print: null },
  }
}

function listed(serverId: string): ListedLabel {
  const createdAt = new Date(1).toISOString()
  return { ...texts, serverId: serverLabelIdOf(serverId), requested: false, createdAt, asOf: 2 }
}

it('a search lists a label only once if it is both in the ledger and in the service’s list, and reads a label of this desk only once', async () => {
  const read: string[] = []
  const labels: Partial<LabelLedger> = {
    search: () => Promise.resolve({ labels: [head('1', 'desk'), head('2', 'service')], found: 2 }),
    headByServerId(serverId) {
      read.push(serverId)
      return serverId === '2' ? head('2', 'service') : null
    },
  }
  const labelIndex: Partial<LabelIndexStore> = {
    search: () => Promise.resolve({ labels: ['1', '2', '3'].map(listed), isPartial: false }),
    state: () => null,
  }
  const parts = { labels: labels as LabelLedger, labelIndex: labelIndex as LabelIndexStore }
  const list = await searchLabels(parts, 'rma', () => true)
  expect(list.labels.map(({ serverId }) => serverId)).toEqual(['1', '2', '3'])
  expect(list.found).toBe(3)
  expect(read).toEqual(['2', '3'])
})
