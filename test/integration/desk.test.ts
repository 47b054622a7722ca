import type { LabelId } from '#shared/domain/ids.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { byShipment } from '#support/label-wishes.ts'
import { scriptedLabel, scriptedShipment } from '#support/scripted-records.ts'
import { ScriptedService } from '#support/scripted-service.ts'

let service: ScriptedService
let bench: DeskBench

beforeEach(async () => {
  service = new ScriptedService()
  await service.start()
  bench = await DeskBench.create()
})

afterEach(async () => {
  await bench.dispose()
  await service.stop()
})

async function signedIn(): Promise<Desk> {
  const desk = await bench.open(() => service.url)
  const login = await desk.session.login({ username: 'sam', password: 'right' })
  expect(login).toMatchObject({ ok: true, value: { state: 'signed_in', username: 'sam' } })
  await eventually(() => desk.status().index.shipments === service.shipments.length)
  return desk
}

async function make(desk: Desk, shipmentId: string): Promise<ReturnLabelView> {
  const made = await desk.returnLabel.make({ mode: byShipment(shipmentId), request: true, seen: null })
  if (!made.ok) throw new Error(made.error.code)
  return made.value
}

function viewOf(desk: Desk, id: LabelId): ReturnLabelView {
  const got = desk.returnLabel.get({ id })
  if (!got.ok) throw new Error(got.error.code)
  return got.value
}

describe('a desk at a working service', () => {
  it('makes and prints a return label from one scan', async () => {
    const desk = await signedIn()
    const scan = await desk.scan.submit({ raw: '3sabc 1', expect: 'anything' })
    if (scan.kind !== 'shipment') throw new Error(scan.kind)
    expect(scan.shipment).toMatchObject({ reference: 'SHP00000000001', trackingCodes: ['3SABC1'] })

    const events: string[] = []
    desk.on('returnLabel', (label) =>
      events.push(`${label.create} ${label.request} ${label.print?.state ?? '-'}`),
    )
    const label = await make(desk, scan.shipment.id)
    const printed = await eventually(() => viewOf(desk, label.id).print?.file)

    expect(await readFile(printed)).toEqual(service.document)
    expect(viewOf(desk, label.id)).toMatchObject({
      create: 'done',
      request: 'done',
      stored: true,
      trackingCode: 'RT1',
      failure: null,
      print: { state: 'confirmed', isReprint: false },
    })
    expect(events).toContain('sending queued -')
    expect(events).toContain('done sending -')
    expect(events.at(-1)).toBe('done done confirmed')
    expect(service.labels).toHaveLength(1)
    expect(desk.status()).toMatchObject({ waitingWrites: [], waitingPrints: [], line: { state: 'online' } })
  })

  it('makes only one label when the operator repeats a request that is in progress', async () => {
    const desk = await signedIn()
    const id = service.shipments[0]?.id ?? ''
    const made = await Promise.all([make(desk, id), make(desk, id), make(desk, id)])
    expect(new Set(made.map((label) => label.id)).size).toBe(1)
    await eventually(() => viewOf(desk, made[0].id).print?.file)
    expect(service.labels).toHaveLength(1)
  })

  it('finds its own label by the codes printed on it', async () => {
    const desk = await signedIn()
    const label = await make(desk, service.shipments[0]?.id ?? '')
    await eventually(() => viewOf(desk, label.id).print?.file)
    for (const code of ['RT1', 'rt1', 'WEB-1-1.R'])
      expect(await desk.scan.submit({ raw: code, expect: 'anything' })).toMatchObject({
        kind: 'return_label',
        label: { id: label.id },
      })
    expect(await desk.scan.submit({ raw: 'WEB-1', expect: 'anything' })).toMatchObject({
      kind: 'shipment',
      label: { id: label.id },
    })
  })

  it('recognizes command barcodes, and reports how far back its index of shipments reaches if a code is unknown', async () => {
    const desk = await signedIn()
    expect(await desk.scan.submit({ raw: 'sdcmdhome', expect: 'anything' })).toMatchObject({
      kind: 'command',
      command: 'HOME',
    })
    expect(await desk.scan.submit({ raw: 'NOT-A-CODE', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      askedService: true,
    })
    const unknown = await desk.scan.submit({ raw: 'SHP00000009999', expect: 'anything' })
    expect(unknown).toMatchObject({ kind: 'unknown', askedService: false })
    if (unknown.kind === 'unknown') expect(unknown.indexReachesBackTo).not.toBeNull()
    expect(desk.scan.recent().map((entry) => entry.kind)).toEqual(['unknown', 'unknown', 'command'])
  })
})

describe('the result of a scan of an unknown code', () => {
  const notText = 4 as unknown as string
  it.each([
    ['no row', () => undefined, false],
    ['a shipment', () => service.shipments.push({ ...scriptedShipment(4), reference: notText }), true],
    [
      'a return label',
      () => {
        const label = scriptedLabel(1, scriptedShipment(1))
        service.labels.push(scriptedLabel(2, scriptedShipment(2)))
        service.labels.push({ ...label, wire: { ...label.wire, external_reference: notText } })
      },
      true,
    ],
  ])('says whether rows are unreadable: %s', async (_, spoil, indexLeftOut) => {
    spoil()
    const desk = await bench.open(() => service.url)
    await logIn(desk)
    await eventually(() => desk.catalogue.overview().shipments.state === 'ready')
    await eventually(() => (desk.catalogue.overview().skippedRows.length === 1) === indexLeftOut)
    expect(await desk.scan.submit({ raw: 'NOT-A-CODE', expect: 'anything' })).toMatchObject({
      kind: 'unknown',
      indexLeftOut,
    })
  })
})

describe('a desk at a service that does not respond', () => {
  it('waits for the service at the first of several scans, and then uses local data without a call', async () => {
    const desk = await bench.open(() => service.url, {
      freshMs: 50,
      timeouts: { connectMs: 500, headersMs: 60_000, idleMs: 500, totalMs: 60_000 },
      closeMs: 100,
    })
    await logIn(desk)
    await eventually(() => desk.status().index.shipments === service.shipments.length)
    service.script = () => 'silence_before'
    for (let scan = 0; scan < 5; scan++)
      expect(await desk.scan.submit({ raw: 'SHP00000000001', expect: 'anything' })).toMatchObject({
        kind: 'shipment',
      })
    expect(service.count('GET', /^\/wms\/shipments\/.+/)).toBe(1)
  })

  it('sends a write at once after it was closed and opened again in the same process, although a call of the closed desk still waits', async () => {
    const desk = await bench.open(() => service.url, { timeouts: { headersMs: 60_000 }, closeMs: 100 })
    await logIn(desk)
    await eventually(() => desk.status().index.shipments === service.shipments.length)
    const held = Promise.withResolvers<undefined>()
    service.hold = ({ method }) => (method === 'POST' ? held.promise : null)
    await make(desk, service.shipments[0]?.id ?? '')
    await eventually(() => service.count('POST', /return-labels/) > 0)
    await bench.close(desk)
    service.hold = () => null
    // with the usual time limits, because the desk is signed out if the response to its refresh comes too late
    const again = await bench.open(() => service.url, { timeouts: {} })
    const label = await make(again, service.shipments[1]?.id ?? '')
    // The print must not wait for the lease of the closed desk, which lasts two minutes while its process runs.
    await eventually(() => viewOf(again, label.id).print?.file)
    held.resolve(undefined)
  })
})

describe('a second print of a label whose PDF is missing from the vault or damaged', () => {
  it('is made from a PDF that the desk downloads again, and counts as a copy', async () => {
    const desk = await signedIn()
    const label = await make(desk, service.shipments[0]?.id ?? '')
    const first = await eventually(() => viewOf(desk, label.id).print?.file)
    const vault = join(bench.dataDir, 'vault')
    for (const name of await readdir(vault)) await writeFile(join(vault, name), 'not what was stored')
    const downloads = (): number => service.count('GET', /file\.pdf$/)
    const before = downloads()

    await desk.returnLabel.reprint({ id: label.id, reason: 'damaged' })
    const second = await eventually(() => {
      const { print } = viewOf(desk, label.id)
      return print !== null && print.file !== null && print.file !== first && print
    })
    expect(second.isReprint).toBe(true)
    expect(desk.print.list().open).toEqual([])
    // on a busy machine the time of a download may be over, and the desk then repeats it
    expect(downloads()).toBeGreaterThan(before)
  })

  it('is made after a restart if a full disk prevented the desk from storing that the PDF is missing', async () => {
    const desk = await signedIn()
    const label = await make(desk, service.shipments[0]?.id ?? '')
    const first = await eventually(() => viewOf(desk, label.id).print?.file)
    const vault = join(bench.dataDir, 'vault')
    for (const name of await readdir(vault)) await rm(join(vault, name))
    const file = new Database(join(bench.dataDir, 'desk.db'))
    file.exec(`CREATE TRIGGER full BEFORE UPDATE OF document_hash ON return_labels
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
    await desk.returnLabel.reprint({ id: label.id, reason: 'damaged' })
    await eventually(() => bench.log.some((line) => line.includes('the disk is full')))
    file.exec('DROP TRIGGER full')
    file.close()
    await bench.close(desk)

    const again = await bench.open(() => service.url)
    await eventually(() => {
      const file = viewOf(again, label.id).print?.file
      return file !== undefined && file !== null && file !== first
    })
    expect(viewOf(again, label.id).print).toMatchObject({ isReprint: true, state: 'confirmed' })
  })
})

describe('the status of a desk', () => {
  it('contains a count of notices; the desk reads neither the notices nor the unsettled commands in full', async () => {
    let mayRead = true
    const refusing = <T>(read: () => T): T => {
      if (!mayRead) throw new Error('the status read all of it')
      return read()
    }
    const desk = await bench.open(() => service.url, {
      wrapStore: (store) => ({
        ...store,
        outbox: { ...store.outbox, unsettled: () => refusing(() => store.outbox.unsettled()) },
        queue: {
          ...store.queue,
          notices: () => refusing(() => store.queue.notices()),
          noticeCounts: () => ({ late: 3, approved: 2 }),
        },
      }),
    })
    expect(desk.queue.list()).toEqual({ lines: [], notices: [], moreNotices: 5 })
    mayRead = false
    expect(desk.status()).toMatchObject({
      notices: 3,
      twice: null,
      decided: { disapproved: [], approved: null },
    })
  })
})

describe('a failure to read the status of a desk', () => {
  it('is logged, and the desk sends the next status that it can read', async () => {
    let isBroken = false
    const desk = await bench.open(() => service.url, {
      wrapStore: (store) => ({
        ...store,
        outbox: {
          ...store.outbox,
          unsettledHeads() {
            if (isBroken) throw new CataloguedError('store.unavailable', { cause: 'SQLITE_CORRUPT' })
            return store.outbox.unsettledHeads()
          },
        },
      }),
    })
    let told = 0
    desk.on('status', () => told++)
    isBroken = true
    await logIn(desk)
    await eventually(() => bench.log.some((line) => line.includes('SQLITE_CORRUPT')))
    isBroken = false
    const before = told
    await desk.session.logout()
    await logIn(desk)
    await eventually(() => told > before)
  })
})

describe('a desk without its service, its stored login or its print folder', () => {
  it('reprints a label from its stored PDF, and requests no new label', async () => {
    const desk = await signedIn()
    const label = await make(desk, service.shipments[0]?.id ?? '')
    await eventually(() => viewOf(desk, label.id).print?.file)
    await service.stop()
    const calls = service.calls.length

    const reprinted = await desk.returnLabel.reprint({ id: label.id, reason: null })
    expect(reprinted).toMatchObject({ ok: true, value: { print: { isReprint: true } } })
    await eventually(() => viewOf(desk, label.id).print?.state === 'confirmed')

    expect(await readdir(bench.printFolder)).toHaveLength(2)
    expect(service.calls).toHaveLength(calls)
  })

  it('starts with its login, finds shipments in its index, and sends its queue once the service is back', async () => {
    const first = await signedIn()
    await bench.close(first)
    await service.stop()

    const desk = await bench.open(() => service.url)
    expect(desk.session.state()).toMatchObject({ state: 'signed_in', username: 'sam' })
    const scan = await desk.scan.submit({ raw: 'WEB-2', expect: 'anything' })
    if (scan.kind !== 'shipment') throw new Error(scan.kind)
    const label = await make(desk, scan.shipment.id)
    await eventually(() => viewOf(desk, label.id).failure?.code === 'network.offline')
    expect(viewOf(desk, label.id)).toMatchObject({ create: 'queued', request: 'queued' })
    expect(desk.status().line.state).toBe('offline')

    await service.start()
    await eventually(() => viewOf(desk, label.id).print?.file)
    expect(service.labels).toHaveLength(1)
  })

  it('keeps a label in the queue if its stored login is lost, and sends the label after the next login', async () => {
    const first = await signedIn()
    await bench.close(first)
    bench.secrets.clear()
    const desk = await bench.open(() => service.url)
    expect(desk.session.state()).toMatchObject({ state: 'expired', username: 'sam' })
    const label = await make(desk, service.shipments[0]?.id ?? '')
    expect(label.create).toBe('queued')
    // The view of the label contains the cause of the wait.
    await eventually(() => viewOf(desk, label.id).failure?.code === 'session.expired')
    await logIn(desk)
    await eventually(() => viewOf(desk, label.id).print?.file)
  })

  it('keeps a print while the print folder is not writable, and later prints it once', async () => {
    const blocked = join(bench.dataDir, 'a-file')
    await writeFile(blocked, '')
    const desk = await bench.open(() => service.url, {
      printers: createPrinterBoard([createFolderPrinter('folder', join(blocked, 'paper'))]),
    })
    await logIn(desk)
    const label = await make(desk, service.shipments[0]?.id ?? '')
    await eventually(() => viewOf(desk, label.id).print?.state === 'refused')
    const { printer, waitingPrints } = desk.status()
    expect(printer).toMatchObject({ state: 'refused', failure: { code: 'printer.refused' } })
    expect(waitingPrints).toMatchObject([{ labelId: label.id, title: label.shipmentReference }])
    await bench.close(desk)

    const again = await bench.open(() => service.url)
    await eventually(() => viewOf(again, label.id).print?.state === 'confirmed')
    expect(await readdir(bench.printFolder)).toHaveLength(1)
    expect(service.labels).toHaveLength(1)
  })
})

it('a desk writes no secret into any file', async () => {
  const desk = await signedIn()
  await make(desk, service.shipments[0]?.id ?? '')
  await eventually(() => desk.returnLabel.recent()[0]?.print?.file)
  await bench.close(desk)
  const secrets = ['right', 'refresh-1', ...service.calls.flatMap((call) => call.token ?? [])]
  const entries = await readdir(bench.dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  expect(files).toContain(join(bench.dataDir, 'desk.db'))
  for (const file of files) {
    const bytes = await readFile(file)
    for (const secret of secrets) expect(bytes.includes(secret), `${secret} in ${file}`).toBe(false)
  }
  for (const secret of secrets) expect(bench.log.join('\n')).not.toContain(secret)
})
