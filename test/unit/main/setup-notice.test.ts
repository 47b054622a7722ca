import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type SettingsLoss, lostParts } from '#shared/bridge/setup-views.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { provision } from '../../../electron/main/provisioning.ts'
import type { SettingsStore } from '../../../electron/main/settings.ts'
import { SetupNotices } from '../../../electron/main/setup-notice.ts'
import { Stations } from '../../../electron/main/stations.ts'

const path = '/etc/scandesk/scandesk.provision.json'
const station = { name: 'Dock', baseUrl: 'https://wms.example.com', wmsCode: 'LIVE', customerCode: 'ACME' }
const lost: SettingsLoss = {
  at: '2026-03-01T12:00:00.000Z',
  extent: 'all',
  parts: [...lostParts],
  copy: 'settings.json.1.bak',
  restoredBy: null,
}

/** Starts the app with these settings and this set-up file; null: the file does not exist. */
function start(settings: SettingsStore, content: unknown): SetupNotices {
  const bytes = new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content))
  return new SetupNotices(settings, provision(settings, content === null ? null : { path, bytes }))
}

function saveAndUse(settings: SettingsStore): void {
  const stations = new Stations(settings)
  const saved = stations.save({ ...station, documentHosts: '' })
  if (saved.ok) stations.use(saved.value.id)
}

describe('the notice about a refused set-up file', () => {
  it('appears at every start until a set-up file is applied', () => {
    const settings = pcSettings()
    expect(start(settings, '{"stations":').read().refused?.problems).toMatchObject([{ code: 'not_json' }])
    expect(start(settings, '{"stations":').read().refused).not.toBeNull()
    expect(start(settings, { stations: [station] }).read()).toEqual({ refused: null, lost: null })
    expect(new Stations(settings).current().name).toBe('Dock')
  })

  it('stays after the refused file was removed', () => {
    const settings = pcSettings()
    start(settings, { keepDays: 0 })
    const { refused } = start(settings, null).read()
    expect(refused).toMatchObject({ file: path, state: 'wrong', problems: [{ code: 'gone' }] })
  })

  it('appears if the set-up file named on the command line does not exist', () => {
    const settings = pcSettings()
    const notices = new SetupNotices(settings, provision(settings, { path, cause: 'ENOENT' }))
    expect(notices.read().refused?.problems).toMatchObject([{ code: 'not_there' }])
  })

  it('disappears when the file that was applied earlier is there again', () => {
    const settings = pcSettings()
    start(settings, { keepDays: 30 })
    expect(start(settings, { keepDays: 0 }).read().refused).not.toBeNull()
    expect(start(settings, { keepDays: 30 }).read().refused).toBeNull()
    expect(start(settings, null).read().refused).toBeNull()
  })

  it('is not shown after it was acknowledged, until a file with different content is refused', () => {
    const settings = pcSettings()
    expect(start(settings, { keepDays: 0 }).acknowledge()).toEqual({ refused: null, lost: null })
    expect(start(settings, { keepDays: 0 }).read().refused).toBeNull()
    expect(start(settings, null).read().refused).toBeNull()
    expect(start(settings, { keepDays: 1 }).read().refused).not.toBeNull()
  })

  it('disappears if the operator replaces the sandbox with a real station, or chooses the sandbox', () => {
    const first = pcSettings()
    const notices = start(first, { keepDays: 0 })
    saveAndUse(first)
    expect(notices.read().refused).toBeNull()

    const second = pcSettings()
    const others = start(second, { keepDays: 0 })
    new Stations(second).use('sandbox')
    expect(others.read().refused).toBeNull()
  })

  it('stays when the operator replaces a real station with a second real station', () => {
    const settings = pcSettings()
    saveAndUse(settings)
    const stations = new Stations(settings)
    const gate = stations.save({ ...station, name: 'Gate', customerCode: 'B', documentHosts: '' })
    const notices = start(settings, { keepDays: 0 })
    if (gate.ok) stations.use(gate.value.id)
    expect(notices.read().refused).not.toBeNull()
  })
})

describe('the notice about lost settings', () => {
  it('stays when a real station is saved, and disappears when this station is in use', () => {
    const settings = pcSettings({ lost })
    new Stations(settings).save({ ...station, documentHosts: '' })
    expect(start(settings, null).read().lost).toEqual(lost)
    saveAndUse(settings)
    expect(start(settings, null).read().lost).toBeNull()
  })

  it('names the lost parts that an applied set-up file did not restore', () => {
    const settings = pcSettings({ lost })
    const printers = [{ id: 'folder', title: 'Scans', settings: { kind: 'folder' } }]
    const notices = start(settings, { stations: [station], printers, keepDays: 30 })
    expect(notices.read()).toMatchObject({
      refused: null,
      lost: { restoredBy: path, parts: ['stations', 'routes', 'scanners', 'calibration'] },
    })
    expect(notices.acknowledge().lost).toBeNull()
  })

  it('stays unchanged if an applied set-up file restores none of the lost parts', () => {
    const settings = pcSettings({ lost })
    expect(start(settings, { language: 'nl' }).read().lost).toEqual(lost)
  })

  it('disappears if an applied set-up file restores every lost part', () => {
    const settings = pcSettings({ lost: { ...lost, extent: 'part', parts: ['printers', 'keepDays'] } })
    const printers = [{ id: 'folder', title: 'Scans', settings: { kind: 'folder' } }]
    expect(start(settings, { printers, keepDays: 30 }).read().lost).toBeNull()
  })

  it('stays if the set-up file is not applied because it was applied earlier', () => {
    const file = { keepDays: 30 }
    const hash = createHash('sha256').update(JSON.stringify(file)).digest('hex')
    const settings = pcSettings({ lost, provisioned: { hash, at: lost.at } })
    expect(start(settings, file).read().lost).toEqual(lost)
  })
})

describe('a set-up file that names stations', () => {
  it('makes its first station the current one on a PC in the sandbox', () => {
    const settings = pcSettings()
    new Stations(settings).use('sandbox')
    start(settings, { stations: [station] })
    expect(new Stations(settings).current().name).toBe('Dock')
  })
})
