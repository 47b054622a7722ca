import { beforeEach, describe, expect, it } from 'vitest'
import { SetupState } from '#features/setup/setup.state.svelte.ts'
import { stationDraft, type StationView } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { lostSettings, productionStation, sandboxStation } from '#support/memory-desk/station.ts'

let desk: MemoryDesk
let used: StationView[]
let setup: SetupState

function fill(): void {
  Object.assign(setup.server.draft, {
    name: ' Dock 4 ',
    baseUrl: 'https://wms.example.com',
    wmsCode: 'dev',
    customerCode: 'ZILVER',
    documentHosts: '',
  })
}

beforeEach(() => {
  desk = new MemoryDesk()
  used = []
  setup = new SetupState(desk.bridge, (station) => used.push(station))
})

describe('the form of a new station', () => {
  it('starts neither a test nor a save while a required field is empty', async () => {
    fill()
    setup.server.draft.wmsCode = ' '
    expect(setup.server.faultOf('wmsCode')).toBeNull()
    await setup.server.runTest()
    await setup.server.saveAndUse()
    expect(desk.calls).toEqual([])
    expect(setup.server.faultOf('wmsCode')).toBe('missing')
    expect(setup.server.faultOf('name')).toBeNull()
  })

  it('marks wrong fields after the operator tried to test the station, and a missing name only after an attempt to save it', async () => {
    Object.assign(setup.server.draft, {
      name: '',
      baseUrl: 'ftp://wms.example.com',
      wmsCode: '',
      customerCode: 'ALDÉR',
      documentHosts: 'https://labels.example.com',
    })
    const faults = (): unknown[] =>
      (['name', 'baseUrl', 'wmsCode', 'customerCode', 'documentHosts'] as const).map((field) =>
        setup.server.faultOf(field),
      )
    expect(faults()).toEqual([null, null, null, null, null])
    await setup.server.runTest()
    expect(faults()).toEqual([null, 'other_scheme', 'missing', 'code', 'hosts'])
    await setup.server.saveAndUse()
    expect(faults()).toEqual(['missing', 'other_scheme', 'missing', 'code', 'hosts'])
    expect(desk.calls).toEqual([])
  })

  it.each([
    ['name', 'x'.repeat(61), 'long'],
    ['baseUrl', `https://${'x'.repeat(300)}`, 'long'],
    ['baseUrl', 'http://wms.example.com', 'insecure'],
    ['baseUrl', 'https://wms.example.com/?a=b', 'query'],
    ['wmsCode', 'A\u200bB', 'code'],
  ] as const)('sends nothing to main if the field %s is “%s”', async (field, text, fault) => {
    fill()
    setup.server.draft[field] = text
    await setup.server.saveAndUse()
    expect(setup.server.faultOf(field)).toBe(fault)
    expect(desk.calls).toEqual([])
  })

  it('needs a name to save the station, but not to test it', async () => {
    fill()
    setup.server.draft.name = ''
    await setup.server.runTest()
    expect(desk.calls).toEqual(['station:test'])
    expect(setup.server.test?.steps.service).toBe('passed')
    expect(setup.server.faultOf('name')).toBeNull()
    await setup.server.saveAndUse()
    expect(desk.calls).toEqual(['station:test'])
    expect(setup.server.faultOf('name')).toBe('missing')
    await setup.server.runTest()
    expect(setup.server.faultOf('name')).toBeNull()
  })

  it('sends main a valid draft if the operator tests a station that has no name yet', async () => {
    fill()
    setup.server.draft.name = ' '
    const drafts: unknown[] = []
    const { station } = desk.bridge
    const test: typeof station.test = (draft) => {
      drafts.push(draft)
      return station.test(draft)
    }
    setup = new SetupState({ ...desk.bridge, station: { ...station, test } }, () => undefined)
    fill()
    setup.server.draft.name = ' '
    await setup.server.runTest()
    expect(stationDraft.safeParse(drafts[0]).success).toBe(true)
  })

  it('saves the station without spaces around its values, and then switches to the station', async () => {
    fill()
    await setup.server.saveAndUse()
    expect(used).toMatchObject([{ name: 'Dock 4', environment: 'development' }])
    expect(desk.world.currentStation).toBe(used[0]?.id)
  })

  it('keeps the saved station in the list even if main refuses to switch to the station', async () => {
    fill()
    desk.world.failures['station:use'] = failure('setup.not_confirmed', { host: 'wms.example.com:443' })
    await setup.server.saveAndUse()
    expect(setup.server.failure?.code).toBe('setup.not_confirmed')
    expect(setup.server.list.map(({ name }) => name)).toContain('Dock 4')
    expect(used).toEqual([])
  })

  it('removes the result of the connection test when a field is changed', async () => {
    fill()
    await setup.server.runTest()
    expect(setup.server.test?.steps.service).toBe('passed')
    setup.server.changed()
    expect(setup.server.test).toBeNull()
  })

  it('shows why the station could not be saved', async () => {
    fill()
    desk.world.failures['station:save'] = failure('station.insecure_url')
    await setup.server.saveAndUse()
    expect(setup.server.failure?.code).toBe('station.insecure_url')
    expect(setup.server.busy).toBeNull()
    expect(used).toEqual([])
  })

  it('takes the server address from the command line, but not after the operator changed the field', () => {
    setup.suggest('https://one.example.com')
    setup.suggest('https://two.example.com')
    expect(setup.server.draft.baseUrl).toBe('https://one.example.com')
    // no address is suggested in a field that the operator cleared
    setup.server.draft.baseUrl = ''
    setup.suggest('https://one.example.com')
    expect(setup.server.draft.baseUrl).toBe('')
  })
})

describe('SetupState', () => {
  it('lists stations, switches to a station, and removes a station after a question', async () => {
    fill()
    await setup.server.saveAndUse()
    await setup.load()
    expect(setup.stations).toHaveLength(2)
    expect(setup.server.currentId).toBe(used[0]?.id)
    await setup.use('st-sandbox')
    expect(used.at(-1)?.environment).toBe('sandbox')
    setup.server.askToRemove(used[0]?.id ?? '')
    expect(setup.server.asked?.id).toBe(used[0]?.id)
    setup.server.stay()
    await setup.server.remove()
    expect([setup.stations.length, setup.server.asked]).toEqual([2, null])
    setup.server.askToRemove(used[0]?.id ?? '')
    const removed = setup.server.remove()
    expect([setup.server.removing, setup.server.asked]).toEqual([used[0]?.id, null])
    await removed
    expect(setup.server.removing).toBeNull()
    expect(setup.stations.map(({ id }) => id)).toEqual(['st-sandbox'])
  })
})

describe('leaving a page of the set-up', () => {
  it('waits while a printer has unsaved fields, and happens when the operator discards them', async () => {
    setup.openPart('printer')
    await setup.printers.load()
    Object.assign(setup.printers.draft?.fields ?? {}, { title: 'Dock' })
    setup.openPart('server')
    expect([setup.part, setup.printers.question]).toEqual(['printer', 'leave'])
    setup.printers.discard()
    expect([setup.part, setup.printers.isChanged]).toEqual(['server', false])
  })
})

describe('the provisioning file in the set-up', () => {
  it('is shown only if this computer has a provisioning file', async () => {
    await setup.load()
    expect(setup.provisioning).toBeNull()
    desk.world.provisioning = { file: '/etc/desk.json', state: 'applied', problems: [], at: null }
    await setup.load()
    expect(setup.provisioning?.file).toBe('/etc/desk.json')
  })

  it('is not shown when main cannot return its state', async () => {
    desk.world.failures['app:provisioning'] = failure('internal.unexpected')
    await setup.load()
    expect([setup.provisioning, setup.server.failure]).toEqual([null, null])
  })
})

describe('the set-up after a loss of settings', () => {
  it('does not show the sandbox as in use before an operator has chosen it', async () => {
    desk.world.stations = [sandboxStation, productionStation]
    await setup.load()
    expect(setup.isInUse(sandboxStation)).toBe(true)
    desk.world.setupNotice = { refused: null, lost: lostSettings(0) }
    await setup.load()
    expect(setup.isInUse(sandboxStation)).toBe(false)
    expect(setup.lost?.extent).toBe('all')
    await setup.use(sandboxStation.id)
    await setup.load()
    expect(setup.isInUse(sandboxStation)).toBe(true)
  })
})
