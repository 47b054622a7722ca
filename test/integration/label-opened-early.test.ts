import type { LabelId } from '#shared/domain/ids.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LabelMode } from '#shared/bridge/label-views.ts'
import { eventually } from '#support/desk-bench.ts'
import { byHand, byShipment } from '#support/label-wishes.ts'
import { QueueBench, value } from '#support/queue-bench.ts'
import type { Call, Fault } from '#support/scripted-service.ts'
import { serverLabelIdOf } from '#support/ids.ts'

/**
 * The creation of a label got no response, so the desk does not know the id of its label at the service. Then an
 * operator opens the label from the list of the service.
 */

let station: QueueBench

beforeEach(async () => {
  station = await QueueBench.start()
})
afterEach(() => station.stop())

const creates = ({ method, path }: Call): boolean => method === 'POST' && path === '/wms/return-labels/'
const lists = ({ method, path }: Call): boolean => method === 'GET' && path === '/wms/return-labels/'

/**
 * Makes a label at the desk. The first call that creates it at the service has the fault. After this call, reads of the
 * service's list of labels fail until `isOpened` returns true.
 */
async function make(
  mode: LabelMode,
  fault: Fault,
  isOpened: () => boolean,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<LabelId> {
  let hits = 0
  station.service.script = (call) => {
    // The desk must not find its label in the list of the service until the operator opens the label.
    if (lists(call) && hits > 0 && !isOpened()) return 'server_error_before'
    return creates(call) && hits++ === 0 ? fault : null
  }
  const { id } = value(await station.desk.returnLabel.make({ mode, request: true, seen: null }))
  await meanwhile()
  await eventually(() => hits > 0)
  return id
}

const modes: [string, () => LabelMode][] = [
  ['by shipment', () => byShipment(station.shipmentId(0))],
  ['by hand', () => byHand('MINE')],
]

it.each(modes)(
  'a label %s is not listed twice if it is opened from the list while the outcome of its creation is unknown',
  async (_, mode) => {
    let isOpened = false
    const id = await make(mode(), 'reset_after', () => isOpened)
    await eventually(() => station.label(id).create === 'unknown')
    const [label] = station.service.labels
    const opened = value(
      await station.desk.returnLabel.open({ serverId: serverLabelIdOf(label?.wire.id ?? '') }),
    )
    expect(opened).toMatchObject({ id, create: 'unknown' })
    isOpened = true
    await eventually(() => station.label(id).print?.file)
    expect(station.service.labels).toHaveLength(1)
    expect(station.desk.returnLabel.recent()).toHaveLength(1)
  },
)

it('a label is not created twice if an operator opens it from the list while its creation is being sent', async () => {
  let isOpened = false
  const id = await make(byShipment(station.shipmentId(0)), 'silence_after', () => isOpened)
  const label = await eventually(() => station.service.labels[0])
  expect(station.label(id).create).toBe('sending')
  expect(value(await station.desk.returnLabel.open({ serverId: label.wire.id })).id).toBe(id)
  isOpened = true
  await eventually(() => station.label(id).print?.file)
  expect(station.service.labels).toHaveLength(1)
})

it('a label of another client that is opened from the list is not taken for the label that the desk creates', async () => {
  const theirs = station.theirLabel(0)
  let isOpened = false
  const wantASecond = async (): Promise<void> => {
    value(
      station.desk.queue.decide({
        ...(await station.question('return_label.create')),
        decision: { kind: 'go_on' },
      }),
    )
  }
  const id = await make(byShipment(station.shipmentId(0)), 'reset_after', () => isOpened, wantASecond)
  await eventually(() => station.label(id).create === 'unknown')
  const opened = value(await station.desk.returnLabel.open({ serverId: theirs.wire.id }))
  expect(opened).toMatchObject({ serverId: theirs.wire.id, origin: 'service' })
  isOpened = true
  await eventually(() => station.label(id).print?.file)
  expect(station.service.labels).toHaveLength(2)
})
