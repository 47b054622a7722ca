import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ScannerDraft } from '#features/setup/scanner-draft.svelte.ts'
import { scannerEntry, type ScannerEntry } from '#shared/bridge/scanner-views.ts'
import { count, seed } from '#support/counts.ts'

const pane = readFileSync('src/features/setup/ScannerPane.svelte', 'utf8')

function typed(change: Partial<ScannerDraft['fields']> = {}): ScannerDraft {
  const draft = new ScannerDraft('sc-new')
  Object.assign(draft.fields, { title: 'Dock', path: ' COM3 ', ...change })
  return draft
}

describe('the draft of a scanner', () => {
  it.each(Object.keys(new ScannerDraft('sc-new').fields))(
    'has an input in the form for its field %s',
    (field) => {
      expect(pane).toMatch(new RegExp(`draft\\.fields\\.${field}\\b`))
    },
  )

  it('can be saved when it has a name and a port', () => {
    const draft = new ScannerDraft('sc-new')
    expect([draft.isNew, draft.isChanged, draft.isTitleMissing, draft.isPathMissing]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(draft.entryToSave()).toBeNull()
    expect([draft.isTitleMissing, draft.isPathMissing]).toEqual([true, true])
    Object.assign(draft.fields, { title: 'x'.repeat(61), path: 'COM3' })
    expect([draft.isTitleLong, draft.entryToSave()]).toEqual([true, null])
    const entry = typed().entryToSave()
    expect(entry).toEqual(
      scannerEntry.parse({ id: 'sc-new', title: 'Dock', settings: { path: 'COM3', baudRate: 9_600 } }),
    )
  })

  it('takes the port of the chosen scanner, and also its name if the name field is empty', () => {
    const draft = new ScannerDraft('sc-new')
    draft.choose({ path: '/dev/a', title: 'Datalogic' })
    draft.choose({ path: '/dev/b', title: 'Zebra' })
    expect([draft.fields.path, draft.fields.title]).toEqual(['/dev/b', 'Datalogic'])
  })

  it('reads control characters from marks such as <ETX>, and refuses unknown marks', () => {
    const settings = typed({
      ending: 'text',
      endText: '<ETX><cr>',
      prefix: '<0x02>',
      suffix: 'é',
    }).entryToSave()?.settings
    expect(settings).toMatchObject({ endText: '\u0003\r', prefix: '\u0002', suffix: 'é' })
    for (const wrong of ['<WHAT>', '€', 'x'.repeat(21)]) {
      const draft = typed({ prefix: wrong })
      expect(draft.isMarkedWrong('prefix')).toBe(false)
      expect(draft.entryToSave()).toBeNull()
      expect([draft.isMarkedWrong('prefix'), draft.isMarkedWrong('suffix')]).toEqual([true, false])
    }
    expect(typed({ ending: 'text', endText: '' }).entryToSave()).toBeNull()
    // an invalid value in a hidden field does not prevent saving
    expect(typed({ ending: 'cr', endText: '<WHAT>', pauseMs: '?' }).entryToSave()?.settings).toMatchObject({
      endText: '',
      pauseMs: 100,
    })
  })

  it.each(['19', '1001', '', '1e2', '5.5'])('refuses a pause of %j milliseconds', (pauseMs) => {
    const draft = typed({ ending: 'pause', pauseMs })
    expect([draft.entryToSave(), draft.isPauseWrong]).toEqual([null, true])
  })

  it('returns the settings of a saved scanner unchanged, also values that the form does not offer', () => {
    const text = fc.string({ unit: fc.constantFrom('\u0002', '\u001d', 'A', 'é', ' '), maxLength: 20 })
    const settings = fc.record({
      path: fc.constantFrom('COM3', '/dev/ttyACM0'),
      baudRate: fc.constantFrom(9_600, 115_200, 300, 230_400),
      dataBits: fc.constantFrom(7 as const, 8 as const),
      parity: fc.constantFrom('none' as const, 'even' as const, 'odd' as const),
      stopBits: fc.constantFrom(1 as const, 2 as const),
      ending: fc.constantFrom('line' as const, 'crlf' as const, 'pause' as const, 'text' as const),
      endText: fc.constant('\u0003'),
      prefix: text,
      suffix: text,
      pauseMs: fc.integer({ min: 20, max: 1000 }),
    })
    fc.assert(
      fc.property(settings, fc.boolean(), (one, isOn) => {
        // the text that ends a scan (`endText`) is stored only if `ending` is `text`
        const kept = { ...one, endText: one.ending === 'text' ? one.endText : '' }
        const entry: ScannerEntry = { id: 'a', title: 'Dock', isOn, settings: kept }
        const draft = new ScannerDraft(entry)
        expect([draft.isNew, draft.isChanged, draft.entryToSave()]).toEqual([false, false, entry])
        expect(draft.rates).toContain(one.baudRate)
      }),
      { seed, numRuns: count(200, 5_000) },
    )
  })
})
