import type { LabelId } from '#shared/domain/ids.ts'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Desk } from '#desk/desk.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { entryOf } from '../../electron/main/printer-entry.ts'
import { createPrinter } from '#printing/printer-kinds.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import { DeskBench } from '#support/desk-bench.ts'
import { escposBytes } from '#support/escpos-bytes.ts'
import { type FakeEscposPrinter, startFakeEscposPrinter } from '#support/fake-escpos-printer.ts'
import { byShipment } from '#support/label-wishes.ts'
import { MeddledMiddleware } from '#support/meddled-middleware.ts'
import { connect, type ServiceClient } from '#support/service-client.ts'
import { printFigure } from './figure.ts'
import { say } from './progress.ts'

const warmUps = 5
const labels = 40
const batch = 100
const dpi = 203
const paper = { dpi, widthDots: 832 }

interface Station {
  readonly desk: Desk
  readonly service: ServiceClient
  readonly printer: FakeEscposPrinter
  /** Ids of shipments without a label. Each is the only shipment of its order. */
  readonly shipments: string[]
}

/**
 * Measures how fast a complete desk prints. The desk has no window, the middleware is a separate process, and the
 * printer is on the loopback address.
 */
export async function benchDeskPrint(): Promise<void> {
  const server = await MeddledMiddleware.start()
  const bench = await DeskBench.create()
  const printer = await startFakeEscposPrinter()
  try {
    const settings = { kind: 'escpos', host: '127.0.0.1', port: printer.port, paperMm: 104, dpi } as const
    const { wms, customer, username, password } = server.invitation
    const desk = await bench.open(() => server.truth, {
      scope: { baseUrl: embeddedBaseUrl, wmsCode: wms, customerCode: customer },
      printers: createPrinterBoard([createPrinter(entryOf(settings), bench.printFolder)]),
      timeouts: {},
    })
    const login = await desk.session.login({ username, password: password ?? '' })
    if (!login.ok) throw new Error(login.error.code)
    const service = await connect(server.truth)
    const recent = await service.shipments(1_000)
    const orders = Map.groupBy(recent, (shipment) => shipment.order_external_reference)
    const alone = recent.filter((one) => orders.get(one.order_external_reference)?.length === 1)
    const station = { desk, service, printer, shipments: alone.map(({ id }) => id) }
    await benchFirstByte(station)
    await benchBatch(station)
  } finally {
    await bench.dispose()
    await printer.close()
    await server.stop()
  }
}

/**
 * Measures a time that begins when the service responds to the request of a label, and ends when the first dots of the
 * label arrive at the printer.
 */
async function benchFirstByte({ desk, service, printer, shipments }: Station): Promise<void> {
  say(`${labels} labels from the service's answer to the printer …`)
  const own: number[] = []
  const bare: number[] = []
  for (let round = -warmUps; round < labels; round++) {
    const answered = nextAnswer()
    const arrived = arrivals(printer, 1)
    await make(desk, next(shipments))
    const [at = 0] = await arrived
    const url = await requested(service, next(shipments))
    const bareMs = await msOf(async () => escposBytes(await rasterise(await fetched(url), paper)))
    if (round < 0) continue
    own.push(at - (await answered))
    bare.push(bareMs)
  }
  printFigure(
    { name: "the service's answer to the label's first dots at the printer", values: own },
    { name: 'its document fetched and made bytes, nothing read, kept or asked', values: bare },
  )
}

/**
 * Measures the time from one label to the next in a batch of labels that waited for paper. The barcodes of each label
 * are read and checked as usual.
 */
async function benchBatch({ desk, service, printer, shipments }: Station): Promise<void> {
  say(`${batch} labels wait for paper and print …`)
  printer.behaviour = { kind: 'paper_out' }
  const ids: LabelId[] = []
  for (let label = 0; label < batch; label++) ids.push(await make(desk, next(shipments)))
  while (!ids.every((id) => hasPrint(desk, id))) await sleep(50)
  const arrived = arrivals(printer, batch)
  printer.behaviour = { kind: 'ready' }
  desk.printersChanged()
  const at = await arrived
  const pdf = await fetched(await requested(service, next(shipments)))
  const bare: number[] = []
  for (let round = -warmUps; round < labels; round++) {
    const tookMs = await msOf(async () => escposBytes(await rasterise(pdf, paper)))
    if (round >= 0) bare.push(tookMs)
  }
  const gaps = at.slice(1).map((ms, before) => ms - (at[before] ?? ms))
  printFigure(
    { name: `from label to label in a batch of ${batch}`, values: gaps },
    { name: 'such a label made bytes, nothing read, sent or written down', values: bare },
  )
}

/**
 * Resolves with the time, by the clock of `performance`, at which the response to the next request of a label arrives.
 */
function nextAnswer(): Promise<number> {
  return new Promise((resolve) => {
    const note = (message: unknown): void => {
      if (!isAnswer(message) || !message.request.path.endsWith('/request')) return
      unsubscribe(answers, note)
      resolve(performance.now())
    }
    subscribe(answers, note)
  })
}

const answers = 'http.client.response.finish'

function isAnswer(message: unknown): message is { readonly request: { readonly path: string } } {
  if (typeof message !== 'object' || message === null || !('request' in message)) return false
  const { request } = message
  return typeof request === 'object' && request !== null && 'path' in request
}

/**
 * Resolves with the times at which the next `wanted` labels start to arrive at the printer, with the precision of a
 * millisecond.
 */
async function arrivals(printer: FakeEscposPrinter, wanted: number): Promise<number[]> {
  const before = printer.jobs.length
  const at: number[] = []
  while (at.length < wanted) {
    while (at.length < printer.jobs.length - before) at.push(performance.now())
    await sleep(1)
  }
  return at
}

async function make(desk: Desk, shipmentId: string): Promise<LabelId> {
  const made = await desk.returnLabel.make({ mode: byShipment(shipmentId), request: true, seen: null })
  if (!made.ok) throw new Error(made.error.code)
  return made.value.id
}

function hasPrint(desk: Desk, id: LabelId): boolean {
  const label = desk.returnLabel.get({ id })
  return label.ok && label.value.print !== null
}

/** Creates and requests a label of a shipment as another client. Returns the address of its document. */
async function requested(service: ServiceClient, shipmentId: string): Promise<string> {
  const { id } = await service.post('/wms/return-labels/', { shipment_id: shipmentId })
  const { url } = await service.post(`/wms/return-labels/${id}/request`)
  if (!url) throw new Error('the service gave no document')
  return url
}

async function fetched(url: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(url)).arrayBuffer())
}

function next(shipments: string[]): string {
  const id = shipments.shift()
  if (id === undefined) throw new Error('the demo has too few shipments for this bench')
  return id
}

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}
