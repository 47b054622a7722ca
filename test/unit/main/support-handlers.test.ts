import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { supportView, type SupportView } from '#shared/bridge/support-views.ts'
import { fail, ok } from '#shared/errors/result.ts'
import { pcSettings } from '#support/pc-settings.ts'
import type { BundleSources } from '../../../electron/main/support-bundle.ts'
import { holdSettings } from '../../../electron/main/app-settings.ts'
import { SpeedToday } from '../../../electron/main/speed-today.ts'

let opened: string[]
let problem: string
vi.mock('electron', () => ({
  shell: {
    openPath: (path: string) => (opened.push(path), Promise.resolve(problem)),
    showItemInFolder: (path: string) => void opened.push(path),
  },
}))
// the modules are loaded again, because test files of one worker share modules and this file has its own electron mock
vi.resetModules()
const { supportHandlers } = await import('../../../electron/main/ipc/support.ipc.ts')

let dataDir: string
let sources: BundleSources
let support: ReturnType<typeof supportHandlers>

beforeEach(() => {
  opened = []
  problem = ''
  dataDir = mkdtempSync(join(tmpdir(), 'scandesk-support-'))
  const settings = pcSettings()
  let now = Date.parse('2026-11-21T14:07:00Z')
  sources = {
    ...{ dataDir, version: '1.2.3', engine: 'Electron 1' },
    settings: () => settings.read(),
    held: () => holdSettings(settings, {}, 'en').read(),
    status: () => null,
    failures: () => [],
    logFault: () => null,
    speed: () => new SpeedToday().view(),
  }
  support = supportHandlers(sources, () => (now += 1_000))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function writeLog(): void {
  mkdirSync(join(dataDir, 'logs'))
  writeFileSync(join(dataDir, 'logs', 'desk.log'), '{"level":40,"time":0,"msg":"one"}\nnot JSON\n')
}

describe('the support handlers', () => {
  it('return the last lines of the log, and a list of the files that a bundle would contain', async () => {
    writeLog()
    const listed = await support.contents(undefined)
    const view = supportView.parse(listed.ok && listed.value)
    expect(view.files.map(({ kind }) => kind)).toEqual(['versions', 'settings', 'counts', 'errors', 'log'])
    expect(view.lines).toEqual([
      { at: null, level: 'warn', text: 'not JSON' },
      { at: '1970-01-01T00:00:00.000Z', level: 'warn', text: 'one' },
    ])
    expect([view.logFault, view.saved]).toEqual([null, null])
  })

  it('return the reason if the log cannot be read', async () => {
    mkdirSync(join(dataDir, 'logs', 'desk.log'), { recursive: true })
    expect(await support.contents(undefined)).toMatchObject({
      ok: true,
      value: { logFault: 'EISDIR', lines: [] },
    })
  })

  it('save one bundle for two parallel calls, and at most ten bundles in a minute', async () => {
    const saves = await Promise.all([support.save(undefined), support.save(undefined)])
    expect(saves[0]).toEqual(saves[1])
    expect(readdirSync(join(dataDir, 'support'))).toHaveLength(1)
    for (let n = 0; n < 9; n++) expect((await support.save(undefined)).ok).toBe(true)
    expect(await support.save(undefined)).toMatchObject({ error: { code: 'bridge.too_often' } })
  })

  it('return the reason if a bundle cannot be saved', async () => {
    writeFileSync(join(dataDir, 'support'), '')
    expect(await support.save(undefined)).toEqual(fail('support.not_saved', { cause: 'EEXIST' }))
  })

  it('open the folder of the logs and show the newest bundle, and refuse if there is no log or no bundle', async () => {
    expect(await support.show({ what: 'logs' })).toEqual(fail('support.not_shown', { cause: 'gone' }))
    expect(await support.show({ what: 'bundle' })).toEqual(fail('support.not_shown', { cause: 'gone' }))
    expect(opened).toEqual([])
    writeLog()
    await support.save(undefined)
    const saved = await support.save(undefined)
    expect(await support.show({ what: 'logs' })).toEqual(ok(undefined))
    expect(await support.show({ what: 'bundle' })).toEqual(ok(undefined))
    expect(opened).toEqual([
      join(dataDir, 'logs'),
      join(dataDir, 'support', (saved.ok && saved.value.saved?.name) || ''),
    ])
    problem = 'No program can open it.'
    expect(await support.show({ what: 'logs' })).toEqual(fail('support.not_shown', { cause: 'refused' }))
    for (let n = 0; n < 5; n++) await support.show({ what: 'logs' })
    expect(await support.show({ what: 'logs' })).toMatchObject({ error: { code: 'bridge.too_often' } })
  })
})

describe('the view of the support bundle', () => {
  let now: number
  let reads: PromiseWithResolvers<SupportView>[]
  const view = (folder: string): SupportView => ({
    ...{ files: [], lines: [], logFault: null, saved: null, folder },
  })
  beforeEach(() => {
    now = 0
    reads = []
    const read = (): Promise<SupportView> => {
      const next = Promise.withResolvers<SupportView>()
      reads.push(next)
      return next.promise
    }
    support = supportHandlers(sources, () => now, read)
  })

  it('is read once for all parallel calls and for the calls in the next three seconds', async () => {
    const calls = Array.from({ length: 60 }, () => support.contents(undefined))
    expect(reads).toHaveLength(1)
    reads[0]?.resolve(view('first'))
    for (const call of calls) expect(await call).toEqual(ok(view('first')))
    now = 2_999
    expect(await support.contents(undefined)).toEqual(ok(view('first')))
    now = 3_000
    void support.contents(undefined)
    expect(reads).toHaveLength(2)
  })

  it('is read again after a read has failed', async () => {
    const failed = support.contents(undefined)
    reads[0]?.reject(new Error('the disk is gone'))
    await expect(failed).rejects.toThrow('the disk is gone')
    void support.contents(undefined)
    expect(reads).toHaveLength(2)
  })

  it('is read again after a bundle was saved, as soon as the running read has ended', async () => {
    const before = support.contents(undefined)
    const saved = support.save(undefined)
    await vi.waitFor(() => expect(readdirSync(join(dataDir, 'support'))[0]).toMatch(/zip$/))
    expect(reads).toHaveLength(1)
    reads[0]?.resolve(view('before'))
    expect(await before).toEqual(ok(view('before')))
    await vi.waitFor(() => expect(reads).toHaveLength(2))
    reads[1]?.resolve(view('after'))
    expect(await saved).toEqual(ok(view('after')))
  })
})
