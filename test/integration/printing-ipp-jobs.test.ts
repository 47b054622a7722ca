import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { discoverIpp } from '#printing/ipp-discovery.ts'
import { attribute, type IppAttribute, whole, words } from '#printing/ipp-message.ts'
import { freePort } from '#support/child-program.ts'
import { type FakeIppBehaviour, type FakeIppPrinter, startFakeIppPrinter } from '#support/fake-ipp-printer.ts'
import { ippJob, ippPrinterAt, patient } from '#support/ipp-jobs.ts'
import { evidenceOf, printOn } from '#support/print-on.ts'

let fake: FakeIppPrinter | null = null
afterEach(async () => {
  await fake?.close()
  fake = null
})

async function start(behaviour?: FakeIppBehaviour): Promise<FakeIppPrinter> {
  fake = await startFakeIppPrinter(behaviour)
  return fake
}

const queueMark = [words('text', 'cups-version', '2.4.2')]

describe('an IPP job', () => {
  it('is created with paper, copies, scaling, sides and resolution before its document is sent', async () => {
    const { uri, operations, documents, formats } = await start({
      attributes: [
        words('keyword', 'print-scaling-supported', 'fit', 'none'),
        words('keyword', 'sides-supported', 'one-sided', 'two-sided-long-edge'),
        attribute('printer-resolution-supported', { type: 'resolution', x: 203, y: 203, unit: 'dpi' }),
      ],
    })
    await printOn(ippPrinterAt(uri), ippJob())
    expect(operations.slice(0, 4)).toEqual([0x0b, 0x05, 0x06, 0x09])
    expect(fake?.jobAttributes).toEqual([
      words('keyword', 'media', 'na_index-4x6_4x6in'),
      whole('copies', 1),
      words('keyword', 'print-scaling', 'none'),
      words('keyword', 'sides', 'one-sided'),
      attribute('printer-resolution', { type: 'resolution', x: 203, y: 203, unit: 'dpi' }),
    ])
    // The document is still a PDF after the label was placed on the paper.
    expect(documents.map((document) => document.toString('latin1', 0, 5))).toEqual(['%PDF-'])
    expect(formats).toEqual(['application/pdf'])
  })

  it('tells a queue to print no cover sheet', async () => {
    const { uri } = await start({ attributes: queueMark })
    await printOn(ippPrinterAt(uri), ippJob())
    expect(fake?.jobAttributes).toContainEqual(words('name', 'job-sheets', 'none', 'none'))
  })

  it('names its paper by the size if the printer has no name for this paper', async () => {
    const { uri } = await start({
      attributes: [words('keyword', 'media-supported', 'custom_min_25x25mm', 'custom_max_220x600mm')],
    })
    await printOn(ippPrinterAt(uri, { media: { widthMm: 104, heightMm: 155 } }), ippJob())
    expect(fake?.jobAttributes[0]?.name).toBe('media-col')
    await printOn(ippPrinterAt(uri, { media: { widthMm: 300, heightMm: 155 } }), ippJob())
    expect(fake?.documents).toHaveLength(1)
  })

  it('is created and sent in one step if the printer does not support two steps', async () => {
    const { uri, operations, documents } = await start({
      attributes: [attribute('operations-supported', { type: 'enum', value: 2 }, { type: 'enum', value: 9 })],
    })
    expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'confirmed' })
    expect(operations).toEqual([0x0b, 0x02, 0x09, 0x0b])
    expect(documents).toHaveLength(1)
  })

  it('is cancelled if the printer would use other paper or refuses the document', async () => {
    const { uri, operations } = await start({ ignores: ['media'] })
    await printOn(ippPrinterAt(uri), ippJob())
    expect(operations.at(-1)).toBe(0x08)
    if (fake) fake.behaviour = { document: { status: 0x040a } }
    await printOn(ippPrinterAt(uri), ippJob())
    expect(operations.at(-1)).toBe(0x08)
  })

  it.each([
    [0x0400, true],
    [0x0404, 'perhaps'],
    [0x0408, true],
    [0x0507, undefined],
  ])(
    'is refused after its document was sent, and reports whether the document is the cause: status %d, cause %s',
    async (status, isOfDocument) => {
      const { uri } = await start({ document: { status } })
      expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'refused', isOfDocument })
    },
  )

  it.each([
    [0x0400, 'perhaps'],
    [0x0404, 'perhaps'],
    [0x0408, true],
    [0x0409, 'perhaps'],
    [0x040a, true],
    [0x040b, true],
    [0x0507, undefined],
  ])(
    'is refused before its document is sent, and reports whether the document is the cause: status %d, cause %s',
    async (createStatus, isOfDocument) => {
      const { uri, documents } = await start({ createStatus })
      expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'refused', isOfDocument })
      expect(documents).toHaveLength(0)
    },
  )

  it.each([
    [0x0400, 'perhaps'],
    [0x0404, 'perhaps'],
    [0x040a, true],
    [0x040b, true],
    [0x040d, 'perhaps'],
    [0x0501, undefined],
  ])(
    'that is sent in one request with its document is refused, and reports whether the document is the cause: status %d, cause %s',
    async (status, isOfDocument) => {
      const { uri } = await start({
        attributes: [
          attribute('operations-supported', { type: 'enum', value: 2 }, { type: 'enum', value: 9 }),
        ],
        document: { status },
      })
      expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'refused', isOfDocument })
    },
  )
})

describe('a print queue with an error policy', () => {
  it.each([
    ['retry-job', 'retry-job'],
    ['retry-current-job', 'retry-current-job'],
    ['abort-job', null],
    ['stop-printer', null],
  ])('is ready, and reports the policy only if it repeats prints: %s', async (policy, said) => {
    const attributes = [...queueMark, words('name', 'printer-error-policy', policy)]
    const { uri } = await start({ attributes })
    const failure = said && { code: 'printer.prints_again', params: { printer: 'ipp', policy: said } }
    expect(await ippPrinterAt(uri).status()).toEqual({ state: 'ready', failure })
  })
})

describe('an address without an IPP printer', () => {
  const sockets = new Set<Socket>()
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
  })

  it.each([
    ['no server', null, 'ECONNREFUSED'],
    ['a silent server', () => undefined, 'silent'],
    ['a server that closes the connection', (socket: Socket) => socket.destroy(), 'ECONNRESET'],
    ['a mail server', (socket: Socket) => socket.end('220 mail.example ESMTP\r\n'), 'not_ipp'],
    [
      'a web server',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
      'not_ipp',
    ],
    [
      'a web server without this path',
      (socket: Socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'),
      'no_queue',
    ],
  ] as const)('makes the desk refuse a label before it is sent: %s', async (_, answer, cause) => {
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      answer?.(socket)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const closed = (): Promise<unknown> => new Promise((done) => server.close(done))
    if (answer === null) await closed()
    const printer = ippPrinterAt(`ipp://127.0.0.1:${String(port)}/ipp/print`, {
      timeouts: { ...patient, answerMs: 300 },
    })
    const failure = { code: 'printer.refused', params: { printer: 'ipp', cause } }
    expect(await printOn(printer, ippJob())).toEqual({ kind: 'refused', failure })
    expect(await printer.status()).toEqual({ state: 'refused', failure })
    expect(await evidenceOf(printer, ippJob())).toBeNull()
    for (const socket of sockets) socket.destroy()
    if (answer !== null) await closed()
  })

  it.each(['http://label/', 'label', 'ipp://label:99999/'])(
    'makes the desk refuse a label if the address is malformed: %s',
    async (uri) => {
      expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({
        kind: 'refused',
        failure: { params: { cause: 'bad_address' } },
      })
      expect(await evidenceOf(ippPrinterAt(uri), ippJob())).toBeNull()
    },
  )
})

describe('the search for prints among the ended jobs of an IPP printer', () => {
  const jobNamed = (name: string): IppAttribute[] => [
    ...[whole('job-id', 8), words('name', 'job-name', name), whole('job-state', 9, 'enum')],
    ...[whole('job-impressions', 1), whole('job-impressions-completed', 1)],
  ]

  it('finds each print if exactly one job has its name, and does not search the whole list of jobs for each print', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `print ${String(at)}`)
    const { uri } = await start({ others: [...names, 'print 1'].map(jobNamed) })
    // the list of ended jobs of the fake printer contains a job that was printed
    await printOn(ippPrinterAt(uri), ippJob())
    const requests = [...names, 'another'].map((jobId) => ({ ...ippJob(), jobId }))
    const filtered = vi.spyOn(Array.prototype, 'filter')
    try {
      const found = await ippPrinterAt(uri).lookFor(requests)
      expect([...found.keys()]).toEqual(names.filter((name) => name !== 'print 1'))
      // Counts the elements of all filtered arrays, to show that the desk does not search the list of jobs for each
      // print. Such a search would filter more than 90,000 elements.
      const searched = filtered.mock.contexts.reduce<number>(
        (sum, list) => sum + (list as unknown[]).length,
        0,
      )
      expect(searched).toBeLessThan(20_000)
    } finally {
      filtered.mockRestore()
    }
  })
})

describe('texts that an IPP printer returns', () => {
  const reasons = Array.from({ length: 15 }, (_, i) => `\u0007${'x'.repeat(30_000)}${String(i)}`)

  it('are shortened in the evidence of a print, both after the print and in a later search for evidence', async () => {
    const { uri } = await start({ printer: { state: 3, reasons } })
    const printed = ippJob()
    const outcome = await printOn(ippPrinterAt(uri), printed)
    const found = await evidenceOf(ippPrinterAt(uri), printed)
    for (const evidence of ['evidence' in outcome ? outcome.evidence : '', found?.evidence])
      expect(evidence).toMatch(/^ipp job 7 completed, 1 of 1, printer-state 3 {2}x{100,160}$/)
  })

  it('are shortened in the failure that names the error policy of a print queue', async () => {
    const policy = `retry-${'x'.repeat(30_000)}`
    const { uri } = await start({ attributes: [...queueMark, words('name', 'printer-error-policy', policy)] })
    const { failure } = await ippPrinterAt(uri).status()
    expect(failure?.params['policy']).toBe(policy.slice(0, 200))
  })

  it('are shortened in the list of print queues; a queue whose address is too long is omitted', async () => {
    const named = (name: string, uri: string): readonly IppAttribute[] => [
      words('name', 'printer-name', name),
      words('uri', 'printer-uri-supported', uri),
      words('text', 'printer-make-and-model', `Zebra\u0000${'x'.repeat(30_000)}`),
    ]
    const { uri } = await start({
      queues: [
        named('long', `ipp://127.0.0.1/printers/${'x'.repeat(30_000)}`),
        named('y'.repeat(30_000), 'ipp://127.0.0.1/printers/y'),
      ],
    })
    const queues = await discoverIpp(uri, patient)
    expect(queues?.map(({ name, makeAndModel }) => [name, makeAndModel])).toEqual([
      ['y'.repeat(200), `Zebra ${'x'.repeat(194)}`],
    ])
  })
})

describe('the list of print queues', () => {
  it('does not contain a queue whose path names another host', async () => {
    const named = (name: string, uri: string): IppAttribute[] => [
      words('name', 'printer-name', name),
      words('uri', 'printer-uri-supported', uri),
    ]
    const { uri } = await start({
      queues: [
        named('other', 'ipp://127.0.0.1//printer.evil.example:631/ipp/print'),
        named('own', 'ipp://printer.evil.example/ipp/print'),
      ],
    })
    const queues = await discoverIpp(uri, patient)
    expect(queues?.map((queue) => [queue.name, new URL(queue.uri).host])).toEqual([
      ['own', new URL(uri).host],
    ])
  })
})

describe('the printer behind a print queue', () => {
  it('is not contacted if its address is a port of this computer that no print service uses', async () => {
    const asked: string[] = []
    const victim = createHttpServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('ok')
    })
    await new Promise<void>((done) => {
      void freePort(20_000, 30_000).then((port) => victim.listen(port, '127.0.0.1', done))
    })
    const address = victim.address()
    const port = typeof address === 'object' ? address?.port : 0
    const { uri } = await start({
      attributes: [...queueMark, words('uri', 'device-uri', `ipp://127.0.0.1:${String(port)}/admin/delete`)],
    })
    expect(await ippPrinterAt(uri).status()).toEqual({ state: 'ready', failure: null })
    await new Promise((done) => victim.close(done))
    expect(asked).toEqual([])
  })
})
