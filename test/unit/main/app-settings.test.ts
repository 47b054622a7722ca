import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { pcSettings as storedSettings } from '#support/pc-settings.ts'
import { channels } from '#shared/bridge/channels.ts'
import { contract } from '#shared/bridge/contract.ts'
import { controlOf, pcSettingNames, pcSettings, setupSettingNames } from '#shared/bridge/pc-settings.ts'
import { holdSettings } from '../../../electron/main/app-settings.ts'
import { parseCommandLine } from '../../../electron/main/command-line.ts'
import { readSettings } from '../../../electron/main/settings-schema.ts'

describe('the settings of the window', () => {
  const options = (...argv: string[]): ReturnType<typeof parseCommandLine>['settings'] =>
    parseCommandLine(argv).settings

  it.each([
    ['--lang=en', 'nl', 'nl-BE', 'en'],
    ['', 'nl', 'en-GB', 'nl'],
    ['', undefined, 'nl-BE', 'nl'],
    ['--lang=xx', undefined, 'fr-FR', 'en'],
  ] as const)(
    'take the language from the option %j, the stored value %j and the system’s language %j: %s',
    (option, language, system, holds) => {
      const store = storedSettings(language === undefined ? {} : { language })
      expect(holdSettings(store, options(option), system).read()).toMatchObject({ language: holds })
    },
  )

  it('take a new value immediately and store it, even if the command line had set the earlier value', () => {
    const store = storedSettings({})
    const shown = holdSettings(store, options('--lang=en'), 'en')
    shown.change({ language: 'nl' })
    expect([shown.read().language, store.read().language]).toEqual(['nl', 'nl'])
  })

  it('are changed by a call of the bridge that ignores all other settings', () => {
    const { args } = contract.app.change
    expect(channels.app).toContain('change')
    expect(args.parse({ language: 'nl', keepDays: 30 })).toEqual({ language: 'nl' })
    expect(args.safeParse({ language: 'xx' }).success).toBe(false)
  })
})

describe('a row of the settings', () => {
  it.each(pcSettingNames)('has a valid standard value: %s', (name) => {
    const { schema, standard } = pcSettings[name]
    for (const system of ['en-GB', 'nl-BE', 'fr-FR', ''])
      expect(schema.safeParse(standard(system)).success).toBe(true)
  })

  it.each(setupSettingNames)('has a control that the set-up can draw: %s', (name) => {
    expect(['choice', 'number', 'switch']).toContain(controlOf(pcSettings[name].schema).kind)
  })

  it('has, in the set-up, the control that its schema determines', () => {
    expect(controlOf(z.enum(['a', 'b']))).toEqual({ kind: 'choice', values: ['a', 'b'] })
    expect(controlOf(z.number().int().min(0).max(60))).toEqual({ kind: 'number', min: 0, max: 60 })
    expect(controlOf(z.boolean())).toEqual({ kind: 'switch' })
    expect(() => controlOf(z.string())).toThrow()
  })
})

describe('a setting that cannot be read', () => {
  it('gets its standard value; it is reported as lost if it is `keepDays`, but not if it is the language', () => {
    const { settings, lost } = readSettings(JSON.stringify({ language: 7, keepDays: 'long', stations: [] }))
    const held = holdSettings(storedSettings(settings), {}, 'nl-BE').read()
    expect(held).toEqual({ language: 'nl', logLevel: 'info', keepDays: 180 })
    expect(lost).toEqual(['keepDays'])
  })
})
