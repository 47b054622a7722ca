import { beforeEach, describe, expect, it } from 'vitest'
import { LocationsState } from '#features/locations/locations.state.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
let desk: MemoryDesk
let sounds: string[]
let locations: LocationsState
/** The station that the window shows. */
let station: string
/** The stations for which the window imported a file, in order. */
let importedFor: (string | undefined)[]

function file(text: string): { name: string; text: () => Promise<string> } {
  return { name: 'locations.csv', text: () => Promise.resolve(text) }
}

beforeEach(async () => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), locations: sampleLocations(nowMs) })
  sounds = []
  station = 'alder'
  importedFor = []
  const { bridge } = desk
  const noted: typeof bridge.location.import = (args, at) => {
    importedFor.push(at)
    return bridge.location.import(args, at)
  }
  locations = new LocationsState({
    bridge: { ...bridge, location: { ...bridge.location, import: noted } },
    stationId: () => station,
    play: (sound) => sounds.push(sound),
  })
  await locations.load()
})

describe('the list of the location book', () => {
  it('shows locations without a code first, and then the locations with a code in the order of the codes', () => {
    expect(locations.found.map(({ code }) => code)).toEqual([null, 'A-03-2', 'A-03-3', 'Q-01', 'RETOUR-1'])
  })

  it('sorts codes by the value of the numbers in them: A-9 before A-10', async () => {
    const [first] = sampleLocations(nowMs)
    if (!first) throw new Error('no sample')
    desk.world.locations = ['A-10', 'A-9', 'A-1'].map((code) => ({ ...first, id: code, code }))
    await locations.load()
    expect(locations.found.map(({ code }) => code)).toEqual(['A-1', 'A-9', 'A-10'])
  })

  it('is filtered by a part of the code in upper or lower case, or by the beginning of the id', () => {
    locations.filter = ' a-03 '
    expect(locations.found).toHaveLength(2)
    locations.filter = '5f0e1c62'
    expect(locations.found).toHaveLength(5)
    locations.filter = 'nowhere'
    expect(locations.found).toEqual([])
  })

  it('shows the reason when the location book cannot be read', async () => {
    desk.world.failures['location:list'] = failure('store.unavailable')
    await locations.load()
    expect(locations.failure?.code).toBe('store.unavailable')
  })
})

describe('an import into the location book', () => {
  it('reports the number of added locations, and shows the new list', async () => {
    await locations.importFile(file('B-01;1\nB-02;2'))
    expect(locations.imported).toMatchObject({ added: 2, skipped: [] })
    expect(locations.locations).toHaveLength(7)
    expect(locations.fileName).toBe('locations.csv')
    expect(sounds).toEqual(['done'])
  })

  it('plays the sound `look` when lines of the file were skipped', async () => {
    const skipped = [{ line: 2, why: 'no_id' as const }]
    desk.world.locationImport = { added: 1, changed: 0, unchanged: 0, skipped }
    await locations.importFile(file('B-01;1\nB-02;'))
    expect(locations.imported?.skipped).toEqual(skipped)
    expect(sounds).toEqual(['look'])
  })

  it.each([
    ['is not a list of locations', file('hello'), 'location.file_unreadable'],
    ['is far too long', file('x'.repeat(4_000_001)), 'location.file_too_large'],
    [
      'cannot be read',
      { name: 'gone.csv', text: () => Promise.reject(new Error('gone')) },
      'location.file_unreadable',
    ],
  ])('leaves the book unchanged when the file %s', async (_, unreadable, code) => {
    await locations.importFile(unreadable)
    expect(locations.importFailure?.code).toBe(code)
    expect(locations.importing).toBe(false)
    expect(locations.locations).toHaveLength(5)
    expect(sounds).toEqual(['stop'])
  })
})

describe('the screen of the location book after a change of the operator or the station', () => {
  it('does not show the locations of a file that was chosen before the change and read after it', async () => {
    const { promise: text, resolve } = Promise.withResolvers<string>()
    const imported = locations.importFile({ name: 'slow.csv', text: () => text })
    station = 'birch'
    locations.reset()
    resolve('B-01;1')
    await imported
    expect(importedFor).toEqual(['alder'])
    expect([locations.locations, locations.imported, locations.importing]).toEqual([null, null, false])
    expect(sounds).toEqual([])
  })

  it('no longer shows the list, the filter, the result of an import or the open question from before the change', async () => {
    await locations.importFile(file('B-01;1'))
    locations.filter = 'b'
    locations.askToForget('5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b04')
    locations.reset()
    expect(locations.found).toEqual([])
    expect([locations.types, locations.imported, locations.forgetting]).toEqual([null, null, null])
    expect([locations.filter, locations.fileName]).toEqual(['', ''])
  })

  it('ignores the results of calls that were made before the change', async () => {
    const named = locations.name('5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b04', 'Q-02')
    const loaded = locations.load()
    locations.reset()
    await Promise.all([named, loaded])
    expect(locations.locations).toBeNull()
    expect(locations.busy).toBe(false)
    expect(sounds).toEqual([])
  })
})

describe('a location in the location book', () => {
  const unnamed = '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b04'

  it('gets the typed code unless another location has that code', async () => {
    expect(await locations.name(unnamed, 'Q-01')).toBe(false)
    expect(locations.failure?.code).toBe('location.code_taken')
    expect(await locations.name(unnamed, ' Q-02 ')).toBe(true)
    expect(locations.failure).toBeNull()
    expect(locations.found.find(({ id }) => id === unnamed)?.code).toBe('Q-02')
    expect(await locations.name(unnamed, '  ')).toBe(false)
    expect(sounds).toEqual(['stop', 'done'])
  })

  it('is deleted only after the operator confirms', async () => {
    locations.askToForget(unnamed)
    expect(locations.forgetting).toBe(unnamed)
    locations.askToForget(null)
    expect(desk.calls).not.toContain('location:forget')
    locations.askToForget(unnamed)
    await locations.forget(unnamed)
    expect(locations.forgetting).toBeNull()
    expect(locations.locations).toHaveLength(4)
  })
})
