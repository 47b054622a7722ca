/**
 * A service and an IPP printer in a separate thread, so that the construction of a large body does not stop the
 * measured thread. Both return the body that was set last; only logins and lists of customers have fixed responses.
 */
import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { encodeIpp } from '#printing/ipp-codec.ts'
import { attribute, groupTags, type IppMessage, words } from '#printing/ipp-message.ts'
import { scriptedShipment } from '#support/scripted-records.ts'
import { listen } from './listen.ts'

interface Answer {
  readonly body: Buffer
  readonly type?: string
  readonly encoding?: string
}

const json = (value: unknown): Answer => ({ body: Buffer.from(JSON.stringify(value)) })
const emptyRows = (count: number): Buffer => Buffer.from(`[{}${',{}'.repeat(count - 1)}]`)
const shipment = scriptedShipment(1)
const label = (reference: string): unknown => ({
  ...{ id: shipment.id, external_reference: reference, url: null, created_at: shipment.created_at },
  ...{ tracking_information: [], sender_address: null, shipment: null },
})
const ipp = (message: Omit<IppMessage, 'id'>): Answer => ({
  body: encodeIpp({ id: 1, ...message }),
  type: 'application/ipp',
})
const operation = {
  tag: groupTags.operation,
  attributes: [words('charset', 'attributes-charset', 'utf-8')],
}
const printer = (values: number): Answer => {
  const states = Array.from({ length: values }, () => ({ type: 'keyword', value: 'none' }) as const)
  return ipp({
    code: 0,
    groups: [
      operation,
      { tag: groupTags.printer, attributes: [attribute('printer-state-reasons', ...states)] },
    ],
  })
}

/** Returns the shipment with this number and with `lines` lines. `line` returns each line. */
const withLines = (number: number, lines: number, line: (at: number) => unknown): unknown => ({
  ...scriptedShipment(number),
  shipment_lines: Array.from({ length: lines }, (_, at) => line(at)),
})
const goodLine = scriptedShipment(1).shipment_lines?.[0]
const withSerials = (number: number, serials: number): unknown =>
  withLines(number, 1, () => ({
    ...goodLine,
    serial_numbers: Array.from({ length: serials }, (_, at) => `S${number}X${at.toString(36)}`),
  }))
/** Returns rows with `names` fields each. The names of the fields and their order differ between the rows. */
const shuffled = (rows: number, names: number): Answer =>
  json(
    Array.from({ length: rows }, (_, row) =>
      Object.fromEntries(
        Array.from({ length: names }, (_each, at) => [`n${(at * (2 * row + 1)) % 8_191}`, 1]),
      ),
    ),
  )

/** The hostile and the harmless responses, by the names that stalls.ts uses. */
const answers: Readonly<Record<string, () => Answer>> = {
  label: () => json(label('WEB-1')),
  'label with a reference of 1 MB': () => json(label(`x${'-'.repeat(1_000_000)}x`)),
  'label with a reference of 2000 dashes': () => json(label(`x${'-'.repeat(1_998)}x`)),
  'label with 600,000 wrong parcels': () =>
    json({
      ...(label('WEB-1') as object),
      tracking_information: Array.from({ length: 600_000 }, () => ({})),
    }),
  'label with 5000 wrong parcels': () =>
    json({ ...(label('WEB-1') as object), tracking_information: Array.from({ length: 5_000 }, () => ({})) }),
  list: () => json(Array.from({ length: 200 }, (_, at) => scriptedShipment(at + 1))),
  '9 million rows as gzip': () => ({ body: gzipSync(emptyRows(9_000_000)), encoding: 'gzip' }),
  '600,000 rows': () => ({ body: emptyRows(600_000) }),
  '1200 wrong rows': () => ({ body: emptyRows(1_200) }),
  '1 million nested lists': () => ({ body: Buffer.from(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`) }),
  '600,000 nested lists': () => ({ body: Buffer.from(`${'['.repeat(600_000)}${']'.repeat(600_000)}`) }),
  'a body of 32 MB': () => ({ body: Buffer.from(`["${'x'.repeat(32 * 1024 * 1024 - 4)}"]`) }),
  'a body of 5 MB': () => ({ body: Buffer.from(`["${'x'.repeat(5 * 1024 * 1024)}"]`) }),
  '200 shipments of 800 serial numbers': () =>
    json(Array.from({ length: 200 }, (_, at) => withSerials(at + 1, 800))),
  'a shipment of 5000 serial numbers': () => json([withSerials(1, 5_000)]),
  '200 shipments of 240 orders': () =>
    json(
      Array.from({ length: 200 }, (_, at) => ({
        ...scriptedShipment(at + 1),
        order_external_reference: Array.from({ length: 240 }, (_each, order) => `W${at}-${order}`),
      })),
    ),
  'one row of 250,000 names': () => ({
    body: Buffer.from(
      `[{${Array.from({ length: 250_000 }, (_, at) => `"n${at.toString(36)}":1`).join(',')}}]`,
    ),
  }),
  '1000 rows of 100 shuffled names': () => shuffled(1_000, 100),
  '150 rows of 600 wrong lines': () =>
    json(Array.from({ length: 150 }, (_, at) => withLines(at + 1, 600, () => ({})))),
  '20 rows of 1000 lines with a wrong variant': () =>
    json(Array.from({ length: 20 }, (_, at) => withLines(at + 1, 1_000, () => ({ variant: {} })))),
  'one row of which every tenth of 4000 lines is wrong': () =>
    json([withLines(1, 4_000, (at) => (at % 10 === 3 ? { variant: {} } : { ...goodLine, variant: null }))]),
  'a number of 5 million digits': () => ({ body: Buffer.from(`[${'7'.repeat(5_000_000)}]`) }),
  printer: () => printer(1),
  'a printer that says 2 MB': () => printer(230_000),
  'a printer that says 1 MB': () => printer(110_000),
  'a printer that says 19,000 values': () => printer(19_000),
}

const claims = { roles: [], username: 'sam', user_id: '1', user_type: 'api', customer_ids: [] }
const iat = Math.floor(Date.now() / 1000)
const payload = Buffer.from(JSON.stringify({ ...claims, iat, exp: iat + 36_000 })).toString('base64url')
const tokens = json({ token: `e30.${payload}.x`, iat, exp: iat + 36_000, refresh_token: 'r' })

let current = json([])
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const isFixed = /\/(auth|customers)\//.test(request.url ?? '')
    const answer = request.url?.includes('/auth/') ? tokens : isFixed ? json([]) : current
    response.writeHead(200, {
      'content-type': answer.type ?? 'application/json',
      'content-length': answer.body.length,
      ...(answer.encoding === undefined ? {} : { 'content-encoding': answer.encoding }),
    })
    response.end(answer.body)
  })
})

parentPort?.on('message', (name: string) => {
  const make = answers[name]
  current = make ? make() : json([])
  parentPort?.postMessage('set')
})
parentPort?.postMessage(await listen(server))
