import { describe, expect, it } from 'vitest'
import { contract } from '#shared/bridge/contract.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { sampleLots, sampleVariants } from '#support/memory-desk/catalogue.ts'
import { printedLabel } from '#support/memory-desk/labels.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import { severalPrinters, zebraEntry } from '#support/memory-desk/printers.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { sandboxStation, signedIn } from '#support/memory-desk/station.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

function begin(): MemoryDesk {
  const world = memoryWorld(() => nowMs)
  return new MemoryDesk({
    ...world,
    shipments: [sampleShipment(nowMs)],
    labels: [printedLabel(nowMs)],
    variants: sampleVariants(nowMs),
    lots: { 'va-1': sampleLots(nowMs) },
    locations: sampleLocations(nowMs),
  })
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.code)
  return result.value
}

describe('the desk in memory', () => {
  it('returns labels, scans and states that match the schemas of the bridge', async () => {
    const { bridge } = begin()
    const mode = { by: 'shipment', shipmentId: 'sh-412', shippingMethodId: null, sender: null } as const
    contract.app.info.result.parse(valueOf(await bridge.app.info()))
    contract.station.current.result.parse(valueOf(await bridge.station.current()))
    contract.session.login.result.parse(valueOf(await bridge.session.login({ username: 'a', password: 'b' })))
    contract.desk.status.result.parse(valueOf(await bridge.desk.status()))
    contract.returnLabel.recent.result.parse(valueOf(await bridge.returnLabel.recent()))
    contract.returnLabel.make.result.parse(
      valueOf(await bridge.returnLabel.make({ mode, request: true, seen: null })),
    )
    for (const raw of ['WEB-100412', '3S ABCD 1234567', '3SRETR7654321', 'SDCMDHOME', 'nobody']) {
      contract.scan.submit.result.parse(valueOf(await bridge.scan.submit({ raw, expect: 'anything' })))
    }
    const recent = contract.scan.recent.result.parse(valueOf(await bridge.scan.recent()))
    expect(recent.map(({ kind }) => kind)).toEqual([
      'unknown',
      'command',
      'return_label',
      'shipment',
      'shipment',
    ])
  })

  it('returns stock that matches the schemas of the bridge', async () => {
    const { article, modification, location, scan, catalogue, printer } = contract
    const { bridge } = begin()
    article.lots.result.parse(valueOf(await bridge.article.lots({ variantId: 'va-1' })))
    for (const raw of ['8712345678906', 'A-03-2', 'nobody']) {
      scan.submit.result.parse(valueOf(await bridge.scan.submit({ raw, expect: 'stock' })))
    }
    const place = sampleLocations(nowMs)[0]?.id ?? ''
    for (const change of [
      { kind: 'add', variantId: 'va-1' },
      { kind: 'reason', reason: 'LOST' },
      { kind: 'location', locationId: place },
    ] as const) {
      modification.change.result.parse(valueOf(await bridge.modification.change(change)))
    }
    const booked = modification.book.result.parse(valueOf(await bridge.modification.book()))
    expect(booked.lines.map(({ quantity }) => quantity)).toEqual([-1])
    expect(await bridge.modification.book()).toMatchObject({ error: { code: 'modification.incomplete' } })
    modification.recent.result.parse(valueOf(await bridge.modification.recent()))
    location.import.result.parse(valueOf(await bridge.location.import({ text: 'B-01;7' })))
    location.types.result.parse(valueOf(await bridge.location.types()))
    catalogue.methods.result.parse(valueOf(await bridge.catalogue.methods()))
    printer.test.result.parse(valueOf(await bridge.printer.test({ kind: 'folder' })))
  })

  it('returns printers that match the schemas of the bridge, and saves all printers of a request or none', async () => {
    const { app, printer, print } = contract
    const { bridge, world } = begin()
    app.provisioning.result.parse(valueOf(await bridge.app.provisioning()))
    const before = printer.setup.result.parse(valueOf(await bridge.printer.setup()))
    const taken = valueOf(await bridge.printer.save(printer.save.args.parse(severalPrinters)))
    expect(printer.save.result.parse(taken)).toEqual(severalPrinters)
    const { printers } = print.list.result.parse(valueOf(await bridge.print.list()))
    expect(printers.map(({ name, state }) => [name, state])).toEqual([
      ['zebra', 'unknown'],
      ['office', 'unknown'],
      ['receipt', 'unknown'],
      ['Label folder', 'ready'],
    ])
    const [first = zebraEntry, ...others] = severalPrinters.printers
    const twice = { printers: [first, { ...first, id: 'again' }, ...others], routes: [] }
    expect(await bridge.printer.save(twice)).toMatchObject({ error: { code: 'printer.same_twice' } })
    const unknown = { ...before, routes: severalPrinters.routes }
    expect(await bridge.printer.save(unknown)).toMatchObject({ error: { code: 'printer.route_unknown' } })
    expect(world.printerSetup).toEqual(severalPrinters)
  })

  it('returns articles, catalogues and storage states that match the schemas of the bridge', async () => {
    const { article, catalogue, storage } = contract
    const { bridge } = begin()
    const found = article.search.result.parse(
      valueOf(await bridge.article.search({ text: 'li bl', limit: 10 })),
    )
    expect(found.articles.map(({ id }) => id)).toEqual(['va-3'])
    const soon = article.expiring.result.parse(valueOf(await bridge.article.expiring({ withinDays: 30 })))
    expect(soon.lots.map(({ lot }) => lot.quantity)).toEqual([6, 24])
    catalogue.overview.result.parse(valueOf(await bridge.catalogue.overview()))
    catalogue.keepLots.result.parse(valueOf(await bridge.catalogue.keepLots({ everyHours: 1 })))
    catalogue.keepShipments.result.parse(valueOf(await bridge.catalogue.keepShipments({ months: 12 })))
    for (const view of [
      await bridge.storage.state(),
      await bridge.storage.backUp(),
      await bridge.storage.keep({ days: 30 }),
      await bridge.storage.recoveryRead(),
    ]) {
      storage.state.result.parse(valueOf(view))
    }
  })

  it('sends changes to a listener until the listener unsubscribes', async () => {
    const desk = begin()
    const seen: string[] = []
    const stop = desk.bridge.on('session', ({ state }) => seen.push(state))
    desk.putSession(signedIn)
    stop()
    await desk.bridge.session.logout()
    expect(seen).toEqual(['signed_in'])
    expect(desk.calls).toEqual(['session:logout'])
  })

  it('fails each call that its world lists as failing', async () => {
    const desk = begin()
    desk.world.failures['station:use'] = failure('station.none')
    expect(await desk.bridge.station.use({ id: sandboxStation.id })).toEqual({
      ok: false,
      error: { code: 'station.none', params: {} },
    })
  })
})
