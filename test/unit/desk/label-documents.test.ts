import { afterEach, beforeEach, expect, it } from 'vitest'
import { LabelDocuments } from '#desk/label-documents.ts'
import { createLine } from '#desk/line.ts'
import type { ApiOutcome } from '#desk/ports/api.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { eventually } from '#support/desk-bench.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let store: StorePort
beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
})
afterEach(() => bench.dispose())

it('asks again for a PDF that one user may not see, once another signs in', async () => {
  const label = scriptedLabel(1, scriptedShipment(1))
  label.request('https://files/label.pdf')
  const refusal: ApiOutcome<ReturnLabel> = {
    kind: 'refused',
    status: 403,
    failure: failure('api.role_missing'),
    serverDate: null,
  }
  let mayRead = false
  let asked = 0
  const clock = fakeClock()
  const documents = new LabelDocuments({
    api: {
      ...unusedApi,
      getReturnLabel: () => {
        asked++
        return Promise.resolve(
          mayRead ? { kind: 'answer', status: 200, value: label.wire, serverDate: null } : refusal,
        )
      },
      downloadDocument: () =>
        Promise.resolve({
          kind: 'answer',
          status: 200,
          value: new TextEncoder().encode('%PDF-1.7'),
          serverDate: null,
        }),
    },
    session: { withAccess: (call) => call('token') },
    labels: store.labels,
    vault: store.vault,
    clock,
    line: createLine(clock, () => undefined),
    printerName: () => 'folder',
    moved: () => undefined,
    onFault: (error) => {
      throw error
    },
  })
  const { id } = store.labels.adopt(
    'label',
    {
      serverId: label.wire.id,
      externalReference: null,
      trackingCode: null,
      codes: [],
      requested: true,
      sender: null,
      shipment: null,
    },
    1,
    1,
  )
  documents.kick()
  await eventually(() => store.labels.get(id)?.documentFailure?.code === 'api.role_missing')
  clock.advance(120_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toBe(1)

  mayRead = true
  documents.retryNow(null)
  await eventually(() => store.labels.get(id)?.documentHash)
  // nobody asked for it here
  expect(store.labels.get(id)?.print).toBeNull()
  await documents.close()
})
