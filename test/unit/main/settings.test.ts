import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SettingsStore } from '../../../electron/main/settings.ts'

// Outside Electron the module `electron` exports a path. So electron-store finds no app and uses the given folder.
process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= new URL('../../electron-stand-in', import.meta.url).pathname

let folder: string
let faults: unknown[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-settings-'))
  faults = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(): Promise<SettingsStore> {
  const { openSettings } = await import('../../../electron/main/settings.ts')
  return openSettings(folder, (error) => faults.push(error))
}

/** Returns `count` secrets of `length` characters, each of which needs two bytes. */
function secretsOf(count: number, length: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`refresh ${at}`, 'é'.repeat(length)]))
}

describe('openSettings()', () => {
  it.each([1_000, 10_000, 40_000, 50_000, 65_000, 200_000])(
    'reads at the next start all settings that an update accepted: 40 secrets of %i characters',
    async (length) => {
      const settings = await open()
      settings.update({ sandboxPort: 4010 })
      settings.update({ secrets: secretsOf(40, length) })
      settings.update({ sandboxPort: 4011 })
      const again = await open()
      expect(again.read()).toEqual(settings.read())
      expect(again.read()).toMatchObject({ sandboxPort: 4011, lost: null })
      expect(readdirSync(folder)).toEqual(['settings.json'])
    },
  )

  it('drops and reports a change that would make the file too large', async () => {
    const settings = await open()
    settings.update({ secrets: secretsOf(1, 1_000) })
    settings.update({ secrets: secretsOf(40, 60_000), sandboxPort: 4010 })
    expect(Object.keys(settings.read().secrets)).toEqual(['refresh 0'])
    expect([settings.read().sandboxPort, faults.length]).toEqual([null, 1])
  })
})
