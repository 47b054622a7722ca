import { afterEach, beforeEach, expect, it } from 'vitest'
import { LabelDocuments } from '#desk/paper/label-documents.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { createLine } from '#desk/service/line.ts'
import type { ApiOutcome, ApiPort } from '#desk/ports/api.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { eventually } from '#support/desk-bench.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'
import { StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
let store: StorePort
const clock = fakeClock()
const wire = scriptedLabel(1, scriptedShipment(1))
wire.request('https://files/label.pdf')

const answer = <T>(value: T): ApiOutcome<T> => ({ kind: 'answer', status: 200, value, serverDate: null })
const refusal: ApiOutcome<ReturnLabel> = {
  kind: 'refused',
  status: 403,
  failure: failure('api.role_missing'),
  serverDate: null,
}

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
})
afterEach(() => bench.dispose())

function open(getReturnLabel: ApiPort['getReturnLabel']): LabelDocuments {
  return new LabelDocuments({
    api: {
      ...unusedApi,
      getReturnLabel,
      downloadDocument: () => Promise.resolve(answer<Uint8Array>(new TextEncoder().encode('%PDF-1.7'))),
    },
    session: { withAccess: (call) => call('token') },
    labels: store.labels,
    vault: store.vault,
    clock,
    line: createLine(clock, () => undefined),
    printers: createPrinterBoard([createFolderPrinter('folder', '/nowhere')]),
    moved: () => undefined,
    onFault: (error) => {
      throw error
    },
  })
}

/** Made and requested at another desk. */
function adoptRequested(): string {
  const described = {
    serverId: wire.wire.id,
    externalReference: null,
    trackingCode: null,
    codes: [],
    requested: true,
    sender: null,
    shipment: null,
  }
  return store.labels.adopt('label', described, 1, 1).id
}

it('asks again for a PDF that one user may not see, once another signs in', async () => {
  let mayRead = false
  let asked = 0
  const documents = open(() => {
    asked++
    return Promise.resolve(mayRead ? answer(wire.wire) : refusal)
  })
  const id = adoptRequested()
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

it('prints what somebody here wanted before its PDF was there, once', async () => {
  const documents = open(() => Promise.resolve(answer(wire.wire)))
  const id = adoptRequested()
  documents.print(id, null)
  documents.print(id, 'lost')
  await eventually(() => store.labels.get(id)?.documentHash)
  // the desk that requested it may have printed it
  expect(store.printJobs.open()).toMatchObject([{ labelId: id, isReprint: true, reason: 'lost' }])
  await documents.close()
})
