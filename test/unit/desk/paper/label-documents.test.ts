import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LabelId } from '#shared/domain/ids.ts'
import { LabelDocuments } from '#desk/paper/label-documents.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { createLine } from '#desk/service/line.ts'
import type { ApiOutcome, ApiPort } from '#desk/ports/api.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { replaceableDocuments } from '#local/retention.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { eventually } from '#support/desk-bench.ts'
import { fakeClock, unusedApi } from '#support/desk-fakes.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'
import { StoreBench } from '#support/store-bench.ts'
import { labelIdOf } from '#support/ids.ts'
import { describedLabel } from '#support/described-label.ts'

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

const pdf = answer<Uint8Array>(new TextEncoder().encode('%PDF-1.7'))

const pdfHash = createHash('sha256').update('%PDF-1.7').digest('hex')

function open(
  getReturnLabel: ApiPort['getReturnLabel'],
  downloadDocument: ApiPort['downloadDocument'] = () => Promise.resolve(pdf),
): LabelDocuments {
  return new LabelDocuments({
    api: {
      ...unusedApi,
      getReturnLabel,
      downloadDocument,
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

/** A label that was created and requested at another desk. */
function adoptRequested(id = 'label'): LabelId {
  const described = describedLabel(`${wire.wire.id} ${id}`, { requested: true })
  return store.labels.adopt(labelIdOf(id), described, 1, 1).id
}

describe('LabelDocuments', () => {
  it('requests a PDF again when another user signs in, if the service refused it to the first user', async () => {
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
    // no print of the label was requested at this desk
    expect(store.labels.get(id)?.print).toBeNull()
    await documents.close()
  })

  it('prints a label once when its print was requested twice before its PDF arrived', async () => {
    const documents = open(() => Promise.resolve(answer(wire.wire)))
    const id = adoptRequested()
    documents.print(id, null)
    documents.print(id, 'lost')
    await eventually(() => store.labels.get(id)?.documentHash)
    // the job is a reprint, because the desk that requested the label may have printed it
    expect(store.printJobs.open()).toMatchObject([{ labelId: id, isReprint: true, reason: 'lost' }])
    await documents.close()
  })

  it('downloads the PDF of a label again and prints it if the stored PDF was lost before the print, also after a restart of the desk', async () => {
    const id = adoptRequested()
    store.labels.documentStored(id, 'lost', {
      id: 'job',
      printer: 'folder',
      isReprint: true,
      reason: 'damaged',
      at: 1,
    })
    store.labels.documentLost({ id: 'job', labelId: id, documentHash: 'lost', state: 'queued' }, 2)
    expect(store.labels.get(id)).toMatchObject({ documentHash: null, print: { state: 'failed' } })
    const documents = open(() => Promise.resolve(answer(wire.wire)))
    documents.kick()
    await eventually(() => store.labels.get(id)?.documentHash)
    expect(store.printJobs.open()).toMatchObject([{ labelId: id, isReprint: true, reason: 'damaged' }])
    await documents.close()
  })

  it('downloads a PDF three times if it is lost before each print, and after that only when the operator requests a print', async () => {
    let downloads = 0
    const documents = open(
      () => Promise.resolve(answer(wire.wire)),
      () => {
        downloads++
        return Promise.resolve(pdf)
      },
    )
    const id = adoptRequested()
    /** Waits for the print job of the label, and reports its PDF as lost, as the print queue does. */
    const lose = async (): Promise<void> => {
      const job = await eventually(() => store.printJobs.open()[0])
      expect(store.labels.documentLost(job, clock.now())).toBe(true)
      documents.lost({ labelId: id, wasStored: true })
    }
    documents.print(id, 'damaged')
    for (let print = 1; print <= 3; print++) await lose()
    clock.advance(3600_000)
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(store.printJobs.open()).toEqual([])
    expect(downloads).toBe(3)
    expect(store.labels.get(id)).toMatchObject({
      documentHash: null,
      documentFailure: { code: 'document.missing' },
    })

    documents.print(id, 'damaged')
    await lose()
    expect(downloads).toBe(4)
    expect(store.labels.documentLosses(id)).toBe(4)
    documents.print(id, 'damaged')
    const job = await eventually(() => store.printJobs.open()[0])
    // this print does not fail because of a lost PDF, so the number of such failures in a row is 0 again
    store.printJobs.move(job.id, 'queued', 'sending', { at: 1, failure: null, evidence: null, file: null })
    expect(store.labels.documentLosses(id)).toBe(0)
    await documents.close()
  })

  it('prints a label when the connection is back, even if three prints of the label failed because it had no PDF', async () => {
    let isBack = false
    const documents = open(() =>
      Promise.resolve(isBack ? answer(wire.wire) : { kind: 'not_sent', failure: failure('network.offline') }),
    )
    const id = adoptRequested()
    for (let print = 1; print <= 3; print++) {
      const job = { id: `job ${print}`, printer: 'folder', isReprint: true, reason: null, at: 1 }
      store.printJobs.add(id, 'gone', job)
      store.labels.documentLost({ id: job.id, labelId: id, documentHash: 'gone', state: 'queued' }, 2)
      documents.lost({ labelId: id, wasStored: false })
    }
    await eventually(() => store.labels.get(id)?.documentFailure)
    isBack = true
    documents.retryNow(null)
    await eventually(() => store.labels.get(id)?.documentHash)
    expect(store.printJobs.open()).toMatchObject([{ labelId: id, documentHash: pdfHash }])
    await documents.close()
  })

  it('queues a new print of a label if the downloaded PDF differs from the PDF of the waiting print', async () => {
    const id = adoptRequested()
    store.printJobs.add(id, 'gone', {
      id: 'waits',
      printer: 'off',
      isReprint: true,
      reason: 'damaged',
      at: 1,
    })
    const documents = open(() => Promise.resolve(answer(wire.wire)))
    documents.kick()
    await eventually(() => store.labels.get(id)?.documentHash)
    expect(store.labels.get(id)?.print).toMatchObject({
      state: 'queued',
      documentHash: pdfHash,
      reason: 'damaged',
    })
    await documents.close()
  })

  it('queues no second print while a print of the same bytes waits', async () => {
    const id = adoptRequested()
    store.printJobs.add(id, pdfHash, {
      id: 'waits',
      printer: 'off',
      isReprint: true,
      reason: 'damaged',
      at: 1,
    })
    const documents = open(() => Promise.resolve(answer(wire.wire)))
    documents.print(id, 'lost')
    await eventually(() => store.labels.get(id)?.documentHash)
    expect(store.printJobs.open()).toMatchObject([{ id: 'waits', documentHash: pdfHash }])
    await documents.close()
  })

  it('downloads one document per host at a time, so that a slow host does not delay other hosts', async () => {
    const timeout: ApiOutcome<Uint8Array> = { kind: 'not_sent', failure: failure('network.timeout') }
    const tried: string[] = []
    const slow: (() => void)[] = []
    const documents = open(
      () => Promise.resolve(refusal),
      (url) => {
        tried.push(url)
        if (!url.includes('slow')) return Promise.resolve(pdf)
        return new Promise((done) => slow.push(() => done(timeout)))
      },
    )
    const rest = async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    const hasDocument = (id: string): boolean => store.labels.get(labelIdOf(id))?.documentHash !== null
    for (let n = 1; n <= 4; n++)
      documents.fetch(adoptRequested(`slow ${String(n)}`), `https://files/slow-${String(n)}`)
    await rest()
    documents.fetch(adoptRequested('elsewhere'), 'https://other/good')
    await eventually(() => hasDocument('elsewhere'))
    documents.fetch(adoptRequested('beside'), 'https://files/good')
    await rest()
    // the desk downloads only one document at a time from each host
    expect(tried).toEqual(['https://files/slow-1', 'https://other/good'])
    slow.shift()?.()
    await eventually(() => hasDocument('beside'))
    for (let n = 2; n <= 4; n++) {
      await eventually(() => slow.length > 0)
      slow.shift()?.()
    }
    await rest()
    // each address is used once, because the desk does not use an address again after a failed download
    expect(new Set(tried).size).toBe(tried.length)
    expect(tried).toHaveLength(6)
    await documents.close()
  })

  it('reports a label whose PDF does not fit on the disk, and downloads the PDF again when a print is requested', async () => {
    let isFull = true
    const { vault } = store
    store = {
      ...store,
      vault: {
        ...vault,
        put: (document) =>
          isFull ? Promise.reject(new CataloguedError('document.low_disk')) : vault.put(document),
      },
    }
    const documents = open(() => Promise.resolve(answer(wire.wire)))
    const id = adoptRequested()
    documents.kick()
    await eventually(() => store.labels.get(id)?.documentFailure?.code === 'document.low_disk')
    store.scans.append({ id: 'scan', raw: 'A-1', at: 1 })
    expect(store.scans.get('scan')?.raw).toBe('A-1')
    isFull = false
    documents.print(id, null)
    await eventually(() => store.labels.get(id)?.documentHash)
    expect(store.printJobs.open()).toMatchObject([{ labelId: id }])
    await documents.close()
  })

  it('allows the desk to delete the stored PDF of a label that exists at the service, but not while a print of this PDF waits', async () => {
    const documents = open(
      () => Promise.resolve(answer(wire.wire)),
      (url) => Promise.resolve(answer<Uint8Array>(new TextEncoder().encode(`%PDF-1.7 ${url}`))),
    )
    for (const name of ['printed', 'waits']) documents.fetch(adoptRequested(name), `https://files/${name}`)
    documents.print(labelIdOf('waits'), null)
    await eventually(() => ['printed', 'waits'].every((id) => store.labels.get(labelIdOf(id))?.documentHash))
    await documents.close()
    const database = new Database(join(bench.dataDir, 'desk.db'))
    expect([...replaceableDocuments(database)]).toEqual([
      store.labels.get(labelIdOf('printed'))?.documentHash,
    ])
    database.close()
  })
})
