import { describe, expect, it } from 'vitest'
import { MemoryDesk, memoryWorld } from '#bridge/memory-bridge.ts'
import { printedLabel, sampleShipment, sandboxStation, signedIn } from '#bridge/sample-views.ts'
import { contract } from '#shared/bridge/contract.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

function begin(): MemoryDesk {
  const world = memoryWorld(() => nowMs)
  return new MemoryDesk({ ...world, shipments: [sampleShipment(nowMs)], labels: [printedLabel(nowMs)] })
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.code)
  return result.value
}

describe('the desk in memory', () => {
  it('answers what the contract says', async () => {
    const { bridge } = begin()
    contract.app.info.result.parse(valueOf(await bridge.app.info()))
    contract.station.current.result.parse(valueOf(await bridge.station.current()))
    contract.session.login.result.parse(valueOf(await bridge.session.login({ username: 'a', password: 'b' })))
    contract.desk.status.result.parse(valueOf(await bridge.desk.status()))
    contract.returnLabel.recent.result.parse(valueOf(await bridge.returnLabel.recent()))
    contract.returnLabel.make.result.parse(valueOf(await bridge.returnLabel.make({ shipmentId: 'sh-412' })))
    for (const raw of ['WEB-100412', '3S ABCD 1234567', '3SRETR7654321', 'SDCMDHOME', 'nobody']) {
      contract.scan.submit.result.parse(valueOf(await bridge.scan.submit({ raw })))
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

  it('says changes to whoever listens, until told to stop', async () => {
    const desk = begin()
    const seen: string[] = []
    const stop = desk.bridge.on('session', ({ state }) => seen.push(state))
    desk.putSession(signedIn)
    stop()
    await desk.bridge.session.logout()
    expect(seen).toEqual(['signed_in'])
    expect(desk.calls).toEqual(['session:logout'])
  })

  it('fails where told to', async () => {
    const desk = begin()
    desk.world.failures['station:use'] = failure('station.none')
    expect(await desk.bridge.station.use({ id: sandboxStation.id })).toEqual({
      ok: false,
      error: { code: 'station.none', params: {} },
    })
  })
})
