import http from 'node:http'
import { decodeIpp, encodeIpp } from '#printing/ipp-codec.ts'
import {
  attribute,
  groupsOf,
  groupTags,
  type IppAttribute,
  type IppGroup,
  numberOf,
  textOf,
  whole,
  words,
} from '#printing/ipp-message.ts'

/** The state that the fake printer reports. */
export interface FakeIppState {
  readonly state: number
  readonly reasons: readonly string[]
  readonly isAccepting?: boolean
}

/**
 * The response of the printer to a query about its job. In a list, each response is for one query, and the last one is
 * also for all later queries. `gone`: the printer has no such job.
 */
export type FakeIppReport =
  | 'gone'
  | 'of_another'
  | 'silent'
  | {
      readonly state: number
      readonly reasons?: readonly string[]
      readonly impressions?: number
      readonly sheets?: number
      /** The printer reports that the job waits, although it has reported before that the job was started. */
      readonly isAgain?: boolean
      readonly printer?: FakeIppState
    }

export interface FakeIppBehaviour {
  readonly printer?: FakeIppState
  /** These attributes replace the printer's usual attributes of the same names. */
  readonly attributes?: readonly IppAttribute[]
  /** The status of the response to the creation of the job. By default 0 (success). */
  readonly createStatus?: number
  /** Names of the job attributes that the printer ignores. */
  readonly ignores?: readonly string[]
  /**
   * A fault during the transfer of the document. `resetsAfter`: the connection breaks after more than this number of
   * bytes. `resets_behind`: the connection breaks after the whole document. `silent`: the response never arrives.
   * `status`: the response has this status, and the printer discards the document.
   */
  readonly document?:
    { readonly resetsAfter: number } | 'resets_behind' | 'silent' | { readonly status: number }
  readonly job?: readonly FakeIppReport[]
  /** The queues that the printer lists, as a print server does: the attributes of each queue. */
  readonly queues?: readonly (readonly IppAttribute[])[]
  /** The attributes of the ended jobs that other programs sent. */
  readonly others?: readonly (readonly IppAttribute[])[]
}

/** A printer whose behaviour the test sets, including behaviour that no real printer has. */
export interface FakeIppPrinter {
  readonly uri: string
  behaviour: FakeIppBehaviour
  /** The requested operations, in order. */
  readonly operations: number[]
  /** Whether at least one byte of a document has arrived. */
  readonly hasDocument: boolean
  /** The complete documents that arrived. */
  readonly documents: readonly Buffer[]
  readonly formats: readonly string[]
  /** The requested attributes of the newest job. */
  readonly jobAttributes: readonly IppAttribute[]
  close(): Promise<void>
}

const idle: FakeIppState = { state: 3, reasons: ['none'] }
const completed: FakeIppReport = {
  state: 9,
  reasons: ['job-completed-successfully'],
  impressions: 1,
  sheets: 1,
}
const jobNumber = 7

export async function startFakeIppPrinter(behaviour: FakeIppBehaviour = {}): Promise<FakeIppPrinter> {
  const operations: number[] = []
  const documents: Buffer[] = []
  const formats: string[] = []
  const sockets = new Set<http.IncomingMessage['socket']>()
  let hasDocument = false
  let jobName = ''
  let pages = 0
  let jobAttributes: readonly IppAttribute[] = []
  let reports: FakeIppReport[] = []
  let now: FakeIppState | null = null

  const server = http.createServer((incoming, outgoing) => {
    let body = Buffer.alloc(0)
    let head = 0
    let isBroken = false
    const breakOff = (): void => {
      isBroken = true
      incoming.socket.resetAndDestroy()
    }
    incoming.on('error', () => undefined)
    incoming.on('data', (piece: Buffer) => {
      body = Buffer.concat([body, piece])
      const message = decodeIpp(body)
      if (!message || (message.code !== 2 && message.code !== 6)) return
      head = encodeIpp(message).length
      const { document } = fake.behaviour
      hasDocument ||= body.length > head
      const most = typeof document === 'object' && 'resetsAfter' in document ? document.resetsAfter : Infinity
      if (body.length - head > most) breakOff()
    })
    incoming.on('end', () => {
      if (isBroken) return
      const given = answer(body, head)
      if (given === 'reset') breakOff()
      else if (given !== 'silent')
        outgoing
          .writeHead(200, { 'content-type': 'application/ipp' })
          .end(encodeIpp({ code: given.status ?? 0, id: 1, groups: given.groups ?? [] }))
    })
  })

  function answer(body: Buffer, head: number): { status?: number; groups?: IppGroup[] } | 'reset' | 'silent' {
    const message = decodeIpp(body)
    if (!message) return { status: 0x0400 }
    const [asked] = groupsOf(message, groupTags.operation)
    operations.push(message.code)
    const { printer = idle, createStatus = 0, ignores = [], document, job = [completed] } = fake.behaviour
    const made = {
      tag: groupTags.job,
      attributes: [whole('job-id', jobNumber), whole('job-state', 3, 'enum')],
    }
    const makeJob = (): void => {
      jobName = textOf(asked, 'job-name') ?? ''
      pages = numberOf(asked, 'job-impressions') ?? 0
      jobAttributes = message.groups.find(({ tag }) => tag === groupTags.job)?.attributes ?? []
      reports = [...job]
    }
    const takeDocument = (): ReturnType<typeof answer> => {
      if (document === 'resets_behind') return 'reset'
      if (typeof document === 'object' && 'status' in document) return { status: document.status }
      documents.push(body.subarray(head))
      formats.push(textOf(asked, 'document-format') ?? '')
      return document === 'silent' ? 'silent' : { groups: [made] }
    }
    switch (message.code) {
      case 0x0b:
        return { groups: [{ tag: groupTags.printer, attributes: printerAttributes(now ?? printer) }] }
      case 0x05: {
        if (createStatus !== 0) return { status: createStatus }
        makeJob()
        const aside = ignores.map((name) =>
          attribute(name, { type: 'other', tag: 0x10, value: Buffer.alloc(0) }),
        )
        const unsupported = { tag: groupTags.unsupported, attributes: aside }
        return aside.length > 0 ? { status: 1, groups: [unsupported, made] } : { groups: [made] }
      }
      case 0x02:
        makeJob()
        return takeDocument()
      case 0x06:
        return takeDocument()
      case 0x09: {
        const report = reports.length > 1 ? reports.shift() : reports[0]
        if (report === 'silent') return 'silent'
        if (!report || report === 'gone') return { status: 0x0406 }
        const shown = report === 'of_another' ? completed : report
        if (typeof shown === 'string') return { status: 0x0400 }
        now = shown.printer ?? null
        const name = report === 'of_another' ? 'letter' : jobName
        return { groups: [{ tag: groupTags.job, attributes: reportAttributes(name, pages, shown) }] }
      }
      case 0x0a: {
        const ended = reports.at(-1)
        if (typeof ended !== 'object') return {}
        const own = { tag: groupTags.job, attributes: reportAttributes(jobName, pages, ended) }
        const others = fake.behaviour.others?.map((attributes) => ({ tag: groupTags.job, attributes })) ?? []
        return { groups: [own, ...others] }
      }
      case 0x08:
        return {}
      case 0x4002: {
        const { queues = [] } = fake.behaviour
        return { groups: queues.map((attributes) => ({ tag: groupTags.printer, attributes })) }
      }
      default:
        return { status: 0x0501 }
    }
  }

  function printerAttributes({ state, reasons, isAccepting = true }: FakeIppState): IppAttribute[] {
    const own = [
      whole('printer-state', state, 'enum'),
      words('keyword', 'printer-state-reasons', ...reasons),
      attribute('printer-is-accepting-jobs', { type: 'boolean', value: isAccepting }),
      attribute(
        'operations-supported',
        ...[2, 5, 6, 8, 9, 10, 11].map((value) => ({ type: 'enum' as const, value })),
      ),
      words('mimeType', 'document-format-supported', 'application/pdf'),
      words('keyword', 'media-supported', 'na_index-4x6_4x6in', 'iso_a6_105x148mm'),
    ]
    const given = fake.behaviour.attributes ?? []
    return [...given, ...own.filter(({ name }) => !given.some((other) => other.name === name))]
  }

  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const fake = {
    uri: `ipp://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}/ipp/print`,
    behaviour,
    operations,
    documents,
    formats,
    get hasDocument() {
      return hasDocument
    },
    get jobAttributes() {
      return jobAttributes
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((done) => server.close(() => done()))
    },
  }
  return fake
}

function reportAttributes(
  name: string,
  pages: number,
  { state, reasons = ['none'], impressions, sheets, isAgain = false }: Exclude<FakeIppReport, string>,
): IppAttribute[] {
  return [
    whole('job-id', jobNumber),
    words('name', 'job-name', name),
    whole('job-state', state, 'enum'),
    words('keyword', 'job-state-reasons', ...reasons),
    ...(pages > 0 ? [whole('job-impressions', pages)] : []),
    ...(impressions === undefined ? [] : [whole('job-impressions-completed', impressions)]),
    ...(sheets === undefined ? [] : [whole('job-media-sheets-completed', sheets)]),
    ...(state === 3 && !isAgain ? [] : [whole('time-at-processing', 1)]),
  ]
}
