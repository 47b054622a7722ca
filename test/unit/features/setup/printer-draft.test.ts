import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PrinterDraft } from '#features/setup/printer-draft.svelte.ts'
import {
  ippForm,
  ippSettings,
  newForms,
  newIppForm,
  zplForm,
  zplSettings,
} from '#features/setup/printer-forms.ts'
import {
  plainLayout,
  type PrinterSettings,
  printerEntry,
  printerSettings,
} from '#shared/bridge/printer-views.ts'
import { count, seed } from '#support/counts.ts'

type ZplSettings = Extract<PrinterSettings, { kind: 'zpl' }>
type IppSettings = Extract<PrinterSettings, { kind: 'ipp' }>

function kept(settings: PrinterSettings): PrinterDraft {
  return new PrinterDraft({ id: 'pr-1', title: 'Dock', settings, layout: plainLayout })
}

/** Returns the draft of a new printer with a name and an address. `change`: other values for its fields. */
function typed(change: Partial<PrinterDraft['fields']> = {}): PrinterDraft {
  const draft = new PrinterDraft('pr-new')
  Object.assign(draft.fields, { title: 'Dock', kind: 'escpos', host: ' 10.0.0.7 ', port: '9100', ...change })
  return draft
}

function saved(draft: PrinterDraft): PrinterSettings | undefined {
  const entry = draft.entryToSave()
  expect(entry && printerEntry.parse(entry)).toEqual(entry)
  return entry?.settings
}

const inputs = readFileSync('src/features/setup/PrinterFields.svelte', 'utf8')

describe('the draft of a printer', () => {
  it.each(Object.keys(newForms().fields))('has an input in the form for its field %s', (field) => {
    expect(inputs).toMatch(new RegExp(`draft\\.fields\\.${field}\\b`))
  })

  it.each(Object.entries<object>({ ...newForms().forms }))(
    'has an input in the form for each field of a printer of the kind %s',
    (kind, form) => {
      for (const field of Object.keys(form)) {
        const isSize = /^(width|height)Mm$/.test(field) && inputs.includes(`sizeFields(draft.forms.${kind})`)
        const object = isSize ? 'size' : `draft\\.forms\\.${kind}`
        expect(inputs).toMatch(new RegExp(`\\b${object}\\.${field}\\b`))
      }
    },
  )

  it('has the values of a saved printer, and counts as changed only while a value differs from them', () => {
    const draft = kept({ kind: 'escpos', host: 'label-2', port: 9101, paperMm: 58, dpi: 300 })
    expect(draft.fields).toEqual({
      title: 'Dock',
      kind: 'escpos',
      connection: 'network',
      host: 'label-2',
      port: '9101',
      device: '/dev/usb/lp0',
      dpi: 300,
    })
    expect(draft.forms.escpos.paperMm).toBe(58)
    expect([draft.isNew, draft.isChanged]).toEqual([false, false])
    draft.forms.escpos.paperMm = 80
    expect(draft.isChanged).toBe(true)
    draft.forms.escpos.paperMm = 58
    expect(draft.isChanged).toBe(false)
  })

  it('counts as changed, for a new printer, once the operator has typed in a field', () => {
    const draft = new PrinterDraft('pr-new')
    expect([draft.isNew, draft.isChanged]).toEqual([true, false])
    draft.fields.host = 'a'
    expect(draft.isChanged).toBe(true)
  })

  it('needs a name to be saved, but not to be tested', () => {
    const draft = typed({ title: ' ' })
    expect(draft.settingsToTest()).toMatchObject({ host: '10.0.0.7' })
    expect(draft.isTitleMissing).toBe(false)
    expect(draft.entryToSave()).toBeNull()
    expect(draft.isTitleMissing).toBe(true)
  })

  it('marks no wrong field at first, and the wrong fields after the operator tried to test the printer', () => {
    const draft = typed({ host: ' ', port: '910O' })
    expect([draft.faultOf('host'), draft.faultOf('port')]).toEqual([null, null])
    expect(draft.settingsToTest()).toBeNull()
    expect([draft.faultOf('host'), draft.faultOf('port')]).toEqual(['missing', 'wrong'])
  })

  it('marks every wrong field after the operator tried to save the printer', () => {
    const draft = typed({ title: 'x'.repeat(61), host: 'http://10.0.0.7', port: '' })
    draft.layout.right = '0.3'
    expect(draft.entryToSave()).toBeNull()
    expect(draft.isTitleLong).toBe(true)
    expect(draft.faultOf('host')).toBe('wrong')
    expect(draft.faultOf('port')).toBe('wrong')
    expect(draft.isOffsetWrong('right')).toBe(true)
  })

  it.each(['http://10.0.0.7', '10.0.0.7:9100', 'label 2', 'label-2/raw', 'x'.repeat(254), ':9100'])(
    'refuses the address %s',
    (host) => {
      const draft = typed({ host })
      expect(draft.settingsToTest()).toBeNull()
      expect(draft.faultOf('host')).toBe('wrong')
    },
  )

  it.each(['10.0.0.7', 'label-2', 'label_2.example.com', 'drucker-südtor', '2001:db8::7', 'fe80::7%eth0'])(
    'accepts the address %s',
    (host) => {
      expect(typed({ host }).settingsToTest()).toMatchObject({ host })
    },
  )

  it.each(['0', '65536', '-1', '9100.5', ''])('refuses the port %s', (port) => {
    expect(typed({ port }).settingsToTest()).toBeNull()
  })

  it('is saved without spaces around its values', () => {
    expect(typed({ title: ' Dock 4 ' }).entryToSave()).toEqual({
      id: 'pr-new',
      title: 'Dock 4',
      settings: { kind: 'escpos', host: '10.0.0.7', port: 9100, paperMm: 104, dpi: 203 },
      layout: plainLayout,
    })
  })

  it('is saved with its layout, or with the plain layout if it is for a label folder', () => {
    const draft = typed()
    Object.assign(draft.layout, { turn: 180, right: '1,5', down: '-2' })
    expect(draft.entryToSave()?.layout).toEqual({ turn: 180, offsetXMm: 1.5, offsetYMm: -2 })
    draft.layout.right = '0.3'
    expect(draft.isOffsetWrong('right')).toBe(true)
    expect(draft.entryToSave()).toBeNull()
    expect(draft.settingsToTest()).not.toBeNull()
    draft.fields.kind = 'folder'
    expect(draft.entryToSave()?.layout).toEqual(plainLayout)
  })
})

describe('the draft of a printer on a cable', () => {
  const inUse = {
    kind: 'escpos',
    host: '',
    port: 9100,
    device: '/dev/usb/lp1',
    paperMm: 80,
    dpi: 203,
  } as const

  it('takes the settings of a saved printer, and returns them unchanged', () => {
    const draft = kept(inUse)
    expect(draft.fields).toMatchObject({ connection: 'device', device: '/dev/usb/lp1', port: '9100' })
    expect(saved(draft)).toEqual(inUse)
  })

  it.each(['escpos', 'zpl'] as const)(
    'is saved without spaces around the path of the device file: %s',
    (kind) => {
      const draft = typed({ kind, connection: 'device', host: '', device: ' /dev/usb/lp1 ' })
      expect(saved(draft)).toMatchObject({ kind, host: '', device: '/dev/usb/lp1' })
    },
  )

  it('is saved without the device file when the operator selects the network', () => {
    expect(saved(typed({ device: '/dev/usb/lp1' }))).not.toHaveProperty('device')
  })

  const wrong = [
    '',
    'lp0',
    '/dev',
    '/dev/',
    '/etc/passwd',
    '/dev/../etc/passwd',
    '/dev/usb//lp0',
    '/dev/.x',
    '/dev/a b',
  ]
  it.each(wrong)('refuses the path %j, as the contract does', (device) => {
    const draft = typed({ connection: 'device', device })
    expect(draft.entryToSave()).toBeNull()
    expect(draft.faultOf('device')).toBe('wrong')
    expect(printerSettings.safeParse({ ...inUse, device }).success).toBe(false)
  })

  it.each(['/dev/usb/lp0', '/dev/lp0', '/dev/serial/by-id/usb-Zebra_ZD420-if00', '/dev/ttyACM0'])(
    'accepts the path %j, as the contract does',
    (device) => {
      expect(saved(typed({ connection: 'device', device }))).toMatchObject({ device })
      expect(printerSettings.safeParse({ ...inUse, device }).success).toBe(true)
    },
  )

  it('is refused by the contract if its settings contain neither an address nor a device file', () => {
    expect(printerSettings.safeParse({ ...inUse, device: undefined }).success).toBe(false)
  })
})

describe('the draft of a label printer', () => {
  const inUse = {
    kind: 'zpl',
    host: 'zebra-1',
    port: 9100,
    widthMm: 80,
    dpi: 300,
    media: 'continuous',
    darkness: 0,
    inchesPerSecond: null,
    graphics: 'acs',
  } as const

  it('takes the settings of a saved printer, and returns them unchanged', () => {
    const draft = kept(inUse)
    expect(draft.fields).toMatchObject({ kind: 'zpl', host: 'zebra-1', port: '9100', dpi: 300 })
    expect(draft.forms.zpl).toEqual({
      widthMm: '80',
      darkness: '0',
      inchesPerSecond: '',
      media: 'continuous',
      graphics: 'acs',
    })
    expect(saved(draft)).toEqual(inUse)
    draft.forms.zpl.darkness = '1'
    expect(draft.isChanged).toBe(true)
  })

  it('is saved with the typed numbers converted from text', () => {
    const draft = typed({ kind: 'zpl' })
    Object.assign(draft.forms.zpl, { widthMm: ' 100 ', inchesPerSecond: '6' })
    expect(saved(draft)).toEqual({
      kind: 'zpl',
      host: '10.0.0.7',
      port: 9100,
      widthMm: 100,
      dpi: 203,
      media: 'label',
      darkness: null,
      inchesPerSecond: 6,
      graphics: 'z64',
    })
  })

  it.each([
    ['widthMm', ''],
    ['widthMm', '19'],
    ['widthMm', '221'],
    ['darkness', '31'],
    ['darkness', '-1'],
    ['inchesPerSecond', '1'],
    ['inchesPerSecond', 'fast'],
  ] as const)('refuses, in the field %s, the text “%s”', (field, text) => {
    const draft = typed({ kind: 'zpl' })
    draft.forms.zpl[field] = text
    expect(draft.faultOf(field)).toBeNull()
    expect(draft.entryToSave()).toBeNull()
    expect(draft.faultOf(field)).toBe('wrong')
  })

  it('accepts the same numbers as the contract', () => {
    const number = fc.integer({ min: -5, max: 300 })
    const draft = fc.record({
      widthMm: number,
      darkness: fc.option(number),
      inchesPerSecond: fc.option(number),
    })
    fc.assert(
      fc.property(draft, (numbers) => {
        const settings: ZplSettings = { ...inUse, ...numbers }
        const made = zplSettings(zplForm(settings), settings)
        expect(made).toEqual(printerSettings.safeParse(settings).data ?? null)
      }),
      { seed, numRuns: count(300, 5_000) },
    )
  })
})

describe('the draft of a CUPS queue or IPP printer', () => {
  const inUse = {
    kind: 'ipp',
    uri: 'ipp://localhost/printers/label',
    media: 'iso_a6_105x148mm',
    dpi: 300,
  } as const
  const queue = { name: 'label', address: inUse.uri }

  it('takes the settings of a saved printer, and returns them unchanged', () => {
    const draft = kept(inUse)
    expect(draft.fields).toMatchObject({ kind: 'ipp', dpi: 300 })
    expect(draft.forms.ipp).toMatchObject({ uri: inUse.uri, media: inUse.media })
    expect(saved(draft)).toEqual(inUse)
    draft.forms.ipp.media = 'na_index-4x6_4x6in'
    expect(draft.isChanged).toBe(true)
  })

  it('takes the address of a chosen queue, and also its name if the printer is new and has no name yet', () => {
    const draft = new PrinterDraft('pr-new')
    draft.choose('ipp', queue)
    expect(draft.entryToSave()).toMatchObject({
      title: 'label',
      settings: { ...inUse, media: 'na_index-4x6_4x6in', dpi: 203 },
    })
    const old = kept({ ...inUse, uri: 'ipp://localhost/printers/other' })
    old.choose('ipp', queue)
    expect(old.entryToSave()).toMatchObject({ title: 'Dock', settings: inUse })
  })

  it.each(['', 'label', 'http://localhost/printers/label', 'ipp://', 'ipp://me:secret@host/', 'ipp://a b/'])(
    'refuses the address %s',
    (uri) => {
      const draft = typed({ kind: 'ipp' })
      draft.forms.ipp.uri = uri
      expect(draft.faultOf('uri')).toBeNull()
      expect(draft.entryToSave()).toBeNull()
      expect(draft.faultOf('uri')).toBe('wrong')
    },
  )

  it.each([
    ['widthMm', '19'],
    ['widthMm', '301'],
    ['heightMm', '601'],
    ['heightMm', 'long'],
  ] as const)('refuses, in the field %s, the text “%s”', (side, text) => {
    const draft = typed({ kind: 'ipp' })
    Object.assign(draft.forms.ipp, { uri: inUse.uri, media: 'size', [side]: text })
    expect(draft.faultOf(side)).toBeNull()
    expect(draft.entryToSave()).toBeNull()
    expect(draft.faultOf(side)).toBe('wrong')
    draft.forms.ipp.media = 'na_index-4x6_4x6in'
    expect(draft.entryToSave()).not.toBeNull()
  })

  it('accepts the same settings as the contract', () => {
    const uri = fc.constantFrom(
      'ipp://a',
      'ipps://[::1]:443/ipp/print',
      'ipp://a/printers/x%20y',
      'ipp:/a',
      'a',
    )
    const side = fc.integer({ min: -5, max: 700 })
    const media = fc.oneof(
      fc.constantFrom('na_index-4x6_4x6in', 'custom_label_100x150mm'),
      fc.record({ widthMm: side, heightMm: side }),
    )
    fc.assert(
      fc.property(uri, media, (at, paper) => {
        const settings: IppSettings = { ...inUse, uri: at, media: paper }
        const made = ippSettings({ ...newIppForm, ...ippForm(settings) }, 300)
        expect(made).toEqual(printerSettings.safeParse(settings).data ?? null)
      }),
      { seed, numRuns: count(300, 5_000) },
    )
  })
})
