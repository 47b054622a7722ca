import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { createWindowsPrinter, windowsPrinters } from '#printing/windows-printer.ts'
import { bundledSumatra, windowsPrinting, type WindowsPrograms } from '#printing/windows-programs.ts'
import { waitUntil } from '#support/child-program.ts'
import { inspectPdf } from '#support/inspect-pdf.ts'
import { labelSpec } from '#support/label-specs.ts'
import { printOn } from '#support/print-on.ts'
import {
  canStandInForWindows,
  createStandInWindows,
  queueAnswer,
  type StandInWindows,
} from '#support/stand-in-windows.ts'

const queue = 'Zebra returns'
const job = { jobId: 'job/7', isReprint: false, externalReference: 'WEB-1.R', createdAt: 0 }
let document: Uint8Array
let windows: StandInWindows

beforeAll(async () => {
  document = await drawLabel(labelSpec())
})
beforeEach(() => {
  windows = createStandInWindows()
  // the package refuses to work elsewhere
  vi.spyOn(os, 'platform').mockReturnValue('win32')
})
afterEach(() => {
  expect(readdirSync(windows.folder)).toEqual([])
  windows.close()
})
afterAll(() => vi.restoreAllMocks())

function printer(programs: WindowsPrograms = {}): ReturnType<typeof createWindowsPrinter> {
  const { sumatra, powershell, folder } = windows
  return createWindowsPrinter({
    ...{ name: `windows ${queue}`, queue, media: { widthMm: 102, heightMm: 152 }, dpi: 203, folder },
    printing: windowsPrinting({ sumatra, powershell, ...programs }),
  })
}

describe.skipIf(!canStandInForWindows)('a printer of Windows', () => {
  it('is handed the placed label without a question, on the paper that its driver names', async () => {
    expect(await printOn(printer(), { ...job, document })).toEqual({ kind: 'spooled' })
    const [run, ...others] = windows.runs('sumatra')
    expect(others).toEqual([])
    expect(run?.args.slice(0, -1)).toEqual([
      ...['-print-to', queue, '-silent'],
      ...['-print-settings', 'noscale,paper=4 x 6 in'],
    ])
    expect(run?.args.at(-1)).toMatch(/[\\/]job-7\.pdf$/)
    const [page, ...more] = (await inspectPdf(Buffer.from(run?.document ?? '', 'base64'))).pages
    expect(more).toEqual([])
    expect(page).toMatchObject({ widthPt: (102 * 72) / 25.4, heightPt: (152 * 72) / 25.4 })
    expect(windows.runs('powershell').map((asked) => asked.queue)).toEqual([queue, queue])
  })

  it('is handed exactly what was looked at', async () => {
    const prepared = await printer().prepare({ ...job, document, placement: null })
    if (!prepared.ok) throw new Error(prepared.error.code)
    expect(windows.runs('sumatra')).toEqual([])
    expect(prepared.value.pages).toHaveLength(1)
    expect(prepared.value.pages[0]?.codes).not.toEqual([])
    expect(await prepared.value.send()).toEqual({ kind: 'spooled' })
  })

  it('is left to find the page’s size where no paper has a name that says it', async () => {
    windows.become('powershell', { kind: 'answers', text: queueAnswer([{ papers: ['A4', 'User'] }]) })
    expect(await printOn(printer(), { ...job, document })).toEqual({ kind: 'spooled' })
    expect(windows.runs('sumatra')[0]?.args).toContain('noscale')
  })

  it.each([
    ['paper_out', { status: 'Error, PaperOut' }],
    ['offline', { status: '128' }],
    ['no_queue', { name: 'Another printer' }],
  ])('refuses, and hands nothing over: %s', async (cause, said) => {
    windows.become('powershell', { kind: 'answers', text: queueAnswer([said]) })
    expect(await printer().status()).toMatchObject({ state: 'refused', failure: { params: { cause } } })
    expect(await printOn(printer(), { ...job, document })).toMatchObject({
      kind: 'refused',
      failure: { code: 'printer.refused', params: { cause } },
    })
    expect(windows.runs('sumatra')).toEqual([])
  })

  it.each([
    { kind: 'exit', code: 1, stderr: 'The spooler service is not running.' },
    { kind: 'answers', text: 'not JSON' },
    { kind: 'hangs' },
  ] as const)('refuses where nobody can say whether it is there: PowerShell $kind', async (mode) => {
    windows.become('powershell', mode)
    const asked = printer({ askMs: mode.kind === 'hangs' ? 1_000 : 60_000 })
    expect(await asked.status()).toMatchObject({ failure: { params: { cause: 'no_spooler' } } })
    expect(await printOn(asked, { ...job, document })).toMatchObject({ kind: 'refused' })
    expect(windows.runs('sumatra')).toEqual([])
  })

  it('is ready while its queue says nothing else', async () => {
    expect(await printer().status()).toEqual({ state: 'ready', failure: null })
    expect(windows.runs('powershell')[0]?.args).toContain('-NonInteractive')
  })

  it('refuses without its program, and where the system cannot start it', async () => {
    const missing = printer({ sumatra: join(windows.folder, 'gone.exe') })
    expect(await printOn(missing, { ...job, document })).toMatchObject({
      kind: 'refused',
      failure: { params: { cause: 'program_missing' } },
    })
    // a folder can be found, but not started
    const folder = printer({ sumatra: windows.folder })
    expect(await printOn(folder, { ...job, document })).toMatchObject({
      kind: 'refused',
      failure: { params: { cause: 'EACCES' } },
    })
  })

  it('refuses off Windows', async () => {
    vi.mocked(os.platform).mockReturnValueOnce('linux')
    expect(await printOn(printer(), { ...job, document })).toMatchObject({
      kind: 'refused',
      failure: { params: { cause: 'not_windows' } },
    })
    expect(windows.runs('sumatra')).toEqual([])
  })

  it('refuses where the document cannot be laid down', async () => {
    const folder = join(windows.folder, 'gone')
    const { sumatra, powershell } = windows
    const options = { name: 'w', queue, media: { widthMm: 102, heightMm: 152 }, dpi: 203, folder }
    const lost = createWindowsPrinter({ ...options, printing: windowsPrinting({ sumatra, powershell }) })
    expect(await printOn(lost, { ...job, document })).toMatchObject({
      kind: 'refused',
      failure: { params: { cause: 'ENOENT' } },
    })
  })

  it('does not know what became of a label whose program failed', async () => {
    windows.become('sumatra', { kind: 'exit', code: 3, stderr: 'could not initialise' })
    expect(await printOn(printer(), { ...job, document })).toMatchObject({
      kind: 'unconfirmed',
      failure: { code: 'printer.outcome_unknown', params: { cause: 'exit_3' } },
    })
    expect(windows.runs('sumatra')).toHaveLength(1)
  })

  it('ends a program that hangs, and does not know either', async () => {
    windows.become('sumatra', { kind: 'hangs' })
    expect(await printOn(printer({ printMs: 6_000 }), { ...job, document })).toMatchObject({
      kind: 'unconfirmed',
      failure: { params: { cause: 'timeout' } },
    })
    const [run] = windows.runs('sumatra')
    await waitUntil(() => !isRunning(run?.pid ?? 0), 'the end of the program')
  })

  it('does not know what became of a job that somebody took out', async () => {
    const jobs = [{ document: 'C:\\Temp\\scandesk-print-1\\job-7.pdf', status: 'Deleting' }]
    windows.become('powershell', {
      kind: 'answers',
      text: queueAnswer(),
      thenText: queueAnswer([{}], jobs),
    })
    expect(await printOn(printer(), { ...job, document })).toMatchObject({
      kind: 'unconfirmed',
      failure: { params: { cause: 'job_canceled' } },
    })
  })

  it('calls a job that waits for paper spooled: it will print by itself', async () => {
    const jobs = [
      { document: 'C:\\Temp\\scandesk-print-1\\job-7.pdf', status: 'Error, PaperOut' },
      { document: 'C:\\Temp\\scandesk-print-1\\job-8.pdf', status: 'Deleting' },
    ]
    windows.become('powershell', {
      kind: 'answers',
      text: queueAnswer(),
      thenText: queueAnswer([{ status: 'PaperOut' }], jobs),
    })
    expect(await printOn(printer(), { ...job, document })).toEqual({ kind: 'spooled' })
  })

  it('removes what a killed desk left behind, and nothing that is new or not its own', async () => {
    const [left, fresh, other] = ['scandesk-print-left', 'scandesk-print-new', 'letters'].map((name) => {
      const path = join(windows.folder, name)
      mkdirSync(path)
      writeFileSync(join(path, 'a.pdf'), 'x')
      return path
    })
    for (const old of [left, other]) utimesSync(old ?? '', 1_000_000, 1_000_000)
    expect(await printOn(printer(), { ...job, document })).toEqual({ kind: 'spooled' })
    expect(readdirSync(windows.folder).toSorted()).toEqual(['letters', 'scandesk-print-new'])
    for (const path of [fresh, other]) rmSync(path ?? '', { recursive: true })
  })

  it('has no evidence of what it printed before', async () => {
    expect(await printer().lookFor(job)).toBeNull()
  })
})

describe.skipIf(!canStandInForWindows)('the printers of a Windows', () => {
  it('are listed by name, each with whether it would print', async () => {
    const text = queueAnswer([{ name: 'Zebra' }, { name: 'Office: 2nd floor', status: 'Offline' }])
    windows.become('powershell', { kind: 'answers', text })
    expect(await windowsPrinters(windowsPrinting(windows))).toEqual([
      { name: 'Office: 2nd floor', makeAndModel: 'ZDesigner ZD421', isReady: false },
      { name: 'Zebra', makeAndModel: 'ZDesigner ZD421', isReady: true },
    ])
    expect(windows.runs('powershell')[0]?.queue).toBe('')
  })

  it('are none where nobody can be asked', async () => {
    rmSync(windows.powershell)
    expect(await windowsPrinters(windowsPrinting(windows))).toEqual([])
  })
})

describe('the program that the package brings', () => {
  it('is where it is looked for', () => {
    expect(readdirSync(join(bundledSumatra(), '..'))).toContain('SumatraPDF-3.4.6-32.exe')
  })

  it('lies outside of a packed app', () => {
    expect(bundledSumatra('/opt/app.asar/node_modules/pdf-to-printer/dist/bundle.js')).toMatch(
      /^.opt.app\.asar\.unpacked.node_modules.pdf-to-printer.dist.SumatraPDF-3\.4\.6-32\.exe$/,
    )
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
