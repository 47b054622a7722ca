import { describe, expect, it } from 'vitest'
import { pcSettings as storedSettings } from '#support/pc-settings.ts'
import { channels } from '#shared/bridge/channels.ts'
import { pcSettings, setterArguments } from '#shared/bridge/pc-settings.ts'
import { holdAppSettings } from '../../../electron/main/app-settings.ts'
import { parseCommandLine } from '../../../electron/main/command-line.ts'
import { readSettings } from '../../../electron/main/settings-schema.ts'

describe('the settings that the window shows', () => {
  const options = (...argv: string[]): ReturnType<typeof parseCommandLine> => parseCommandLine(argv)

  it.each([
    ['--lang=en', 'nl', 'nl-BE', 'en'],
    ['', 'nl', 'en-GB', 'nl'],
    ['', undefined, 'nl-BE', 'nl'],
    ['--lang=xx', undefined, 'fr-FR', 'en'],
  ] as const)(
    'are by the option %j, the kept %j and the system’s %j: %s',
    (option, language, system, holds) => {
      const store = storedSettings(language === undefined ? {} : { language })
      expect(holdAppSettings(store, options(option), system).read()).toMatchObject({ language: holds })
    },
  )

  it('are changed at once, whatever the command line said, and kept', () => {
    const store = storedSettings({})
    const shown = holdAppSettings(store, options('--lang=en'), 'en')
    shown.change({ language: 'nl' })
    expect([shown.read().language, store.read().language]).toEqual(['nl', 'nl'])
  })

  it('have one call each, which takes what the row takes', () => {
    for (const [name, args] of Object.entries(setterArguments)) {
      expect(channels.app).toContain(name)
      expect(args.safeParse({}).success).toBe(false)
    }
    expect(setterArguments.setLanguage.safeParse({ language: 'nl' }).success).toBe(true)
    expect(setterArguments.setLanguage.safeParse({ language: 'xx' }).success).toBe(false)
  })
})

describe('a setting that cannot be read', () => {
  it('is as its row has it, and is told as lost where somebody would miss it', () => {
    const { settings, lost } = readSettings(JSON.stringify({ language: 7, keepDays: 'long', stations: [] }))
    expect([settings.language, settings.keepDays]).toEqual([undefined, pcSettings.keepDays.standard])
    expect(lost).toEqual(['keep_days'])
  })
})
