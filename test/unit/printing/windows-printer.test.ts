import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from 'fast-png'
import { PDFDocument } from 'pdf-lib'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { inkBox } from '#labels/pixels/bitmap.ts'
import { pngOf } from '#labels/pixels/png.ts'
import { plainLayout } from '#shared/bridge/printer-views.ts'
import { createWindowsPrinter, windowsPrinters } from '#printing/windows-printer.ts'
import { printScript, windowsPrinting, type WindowsPrograms } from '#printing/windows-powershell.ts'
import { waitUntil } from '#support/child-program.ts'
import { labelSpec } from '#support/label-specs.ts'
import { turnsDuring } from '#support/turns.ts'
import { evidenceOf, printOn } from '#support/print-on.ts'
import {
  canFakeWindows,
  createFakeWindows,
  queueAnswer,
  type FakeWindowsMode,
  type FakeWindows,
} from '#support/fake-windows.ts'

const queue = 'Zebra returns'
const media = { widthMm: 102, heightMm: 152 }
const job = { jobId: 'job/7', isReprint: false, externalReference: 'WEB-1.R', createdAt: 0 }
let document: Uint8Array
let windows: FakeWindows

beforeAll(async () => {
  document = await drawLabel(labelSpec())
})
beforeEach(() => {
  windows = createFakeWindows()
})
afterEach(() => windows.close())

function printer(
  programs: WindowsPrograms = {},
  options: Partial<Parameters<typeof createWindowsPrinter>[0]> = {},
): ReturnType<typeof createWindowsPrinter> {
  return createWindowsPrinter({
    ...{ name: `windows ${queue}`, queue, media, dpi: 203, ...options },
    printing: windowsPrinting({ powershell: windows.powershell, ...programs }),
  })
}

/** Returns the input of the script: the job, and the pictures of its pages. */
function handed(): { readonly header: unknown; readonly pictures: readonly Buffer[] } {
  const [run, ...others] = windows.runs('print')
  expect(others).toEqual([])
  const [header = '', ...pages] = (run?.input ?? '').trimEnd().split('\n')
  return { header: JSON.parse(header), pictures: pages.map((page) => Buffer.from(page, 'base64')) }
}

describe.skipIf(!canFakeWindows)('a Windows printer', () => {
  it('receives exactly the dots of the preview, and the size of its paper', async () => {
    const prepared = await printer().prepare({ ...job, document, placement: null })
    if (!prepared.ok) throw new Error(prepared.error.code)
    expect(windows.runs('print')).toEqual([])
    expect(prepared.value.pages).toHaveLength(1)
    expect(prepared.value.pages[0]?.codes).not.toEqual([])
    expect(await prepared.value.send()).toEqual({ kind: 'spooled' })
    const { header, pictures } = handed()
    expect(header).toEqual({
      ...{ queue, document: 'scandesk-job-7', dpi: 203, pages: 1 },
      // the size of the paper is in hundredths of an inch
      ...{ width: 402, height: 598 },
    })
    expect(pictures).toEqual(prepared.value.pages.map((page) => Buffer.from(pngOf(page))))
    expect(windows.runs('ask').map((asked) => asked.queue)).toEqual([queue, queue])
  })

  it('receives only pictures of the pages, and no byte of the PDF of the service', async () => {
    const foreign = await PDFDocument.load(document)
    foreign.setTitle('planted-in-the-document')
    expect(
      await printOn(printer(), { ...job, document: await foreign.save({ useObjectStreams: false }) }),
    ).toEqual({
      kind: 'spooled',
    })
    const [run] = windows.runs('print')
    expect(run?.args.at(-1)).toBe(printScript)
    for (const text of [
      ...(run?.args ?? []),
      ...handed().pictures.map((picture) => picture.toString('latin1')),
    ])
      expect(text).not.toMatch(/%PDF|planted|\/Type/)
    // each line is a picture in base64, not the name of a file
    for (const line of run?.input.trimEnd().split('\n').slice(1) ?? [])
      expect(line).toMatch(/^iVBOR[\w+/]+=*$/)
    expect(run?.input).not.toContain(tmpdir())
  })

  it.each([
    [media, 203],
    [media, 300],
    [{ widthMm: 101.6, heightMm: 152.4 }, 203],
    [{ widthMm: 210, heightMm: 297 }, 300],
    [{ widthMm: 62, heightMm: 150 }, 300],
  ])('receives a picture that covers its whole paper: %o at %i dots per inch', async (paper, dpi) => {
    const full = await PDFDocument.create()
    const [width, height] = [(paper.widthMm * 72) / 25.4, (paper.heightMm * 72) / 25.4]
    full.addPage([width, height]).drawRectangle({ x: 0, y: 0, width, height })
    expect(
      await printOn(printer({}, { media: paper, dpi }), { ...job, document: await full.save() }),
    ).toEqual({ kind: 'spooled' })
    const [picture = new Uint8Array(), ...more] = handed().pictures
    expect(more).toEqual([])
    const { width: across, height: down } = decode(picture)
    const dots = (mm: number): number => (mm / 25.4) * dpi
    expect(Math.abs(across - dots(paper.widthMm))).toBeLessThan(1)
    expect(Math.abs(down - dots(paper.heightMm))).toBeLessThan(1)
  })

  it('receives a picture of each page, in order', async () => {
    const two = await PDFDocument.load(document)
    two.addPage([289.13, 430.87]).drawRectangle({ x: 100, y: 100, width: 50, height: 50 })
    const prepared = await printer().prepare({ ...job, document: await two.save(), placement: null })
    if (!prepared.ok) throw new Error(prepared.error.code)
    await prepared.value.send()
    expect(handed().header).toMatchObject({ pages: 2 })
    expect(handed().pictures).toEqual(prepared.value.pages.map((page) => Buffer.from(pngOf(page))))
  })

  it('encodes each picture outside the turns of the event loop, so that scans do not wait for many pages', async () => {
    const long = await PDFDocument.create()
    const bar = { x: 100, y: 100, width: 50, height: 50 }
    for (let page = 0; page < 5; page++) long.addPage([289.13, 430.87]).drawRectangle(bar)
    const printing = {
      print: () => Promise.resolve({ kind: 'done' } as const),
      list: () => Promise.resolve([]),
      state: () => Promise.resolve({ queue: { name: queue, driver: '', cause: null }, jobs: [] }),
    }
    const options = { name: 'windows', queue, media, dpi: 203, printing }
    const prepared = await createWindowsPrinter(options).prepare({
      ...job,
      document: await long.save(),
      placement: null,
    })
    if (!prepared.ok) throw new Error(prepared.error.code)
    expect(await turnsDuring(prepared.value.send())).toBeGreaterThanOrEqual(5)
  })

  it('receives its pictures moved and rotated as configured', async () => {
    const moved = { turn: 'auto', offsetXMm: 3, offsetYMm: -2 } as const
    const turned = { turn: 180, offsetXMm: 0, offsetYMm: 0 } as const
    for (const layout of [moved, turned, plainLayout])
      await printOn(printer({}, { layout }), { ...job, document })
    const [off, over, plain] = windows.runs('print').map(({ input }) => {
      const { width, height, data } = decode(Buffer.from(input.split('\n')[1] ?? '', 'base64'))
      const bytes = Uint8Array.from(data, (byte) => ~byte)
      return { width, height, ink: inkBox({ widthDots: width, heightDots: height, bytes }) }
    })
    if (!off?.ink || !over?.ink || !plain?.ink) throw new Error('a picture without ink')
    expect([off.ink.x - plain.ink.x, off.ink.y - plain.ink.y]).toEqual([24, -16])
    expect(Math.abs(over.ink.x - (plain.width - plain.ink.x - plain.ink.width))).toBeLessThanOrEqual(1)
  })

  it.each([
    `Zebra"; Remove-Item C:\\ -Recurse; '`,
    '$(calc) `whoami` %PATH% & | > <',
    'Étiquettes 2. Stock – „Nord“ 🏷',
    'one\ntwo\r\nthree',
    '-Command calc',
  ])(
    'has its name passed as data and never as code, whatever characters the name contains: %s',
    async (name) => {
      windows.become('ask', { kind: 'says', text: queueAnswer([{ name }]) })
      expect(await printOn(printer({}, { queue: name }), { ...job, document })).toEqual({ kind: 'spooled' })
      const [run] = windows.runs('print')
      expect(run?.args.at(-1)).toBe(printScript)
      expect(run?.args.join(' ').replace(printScript, '')).not.toContain(name)
      expect(run?.input).toMatch(/^[\n -~]*$/)
      expect(handed().header).toMatchObject({ queue: name })
    },
  )

  it.each([
    ['paper_out', { status: 'Error, PaperOut' }],
    ['offline', { status: '128' }],
    ['no_queue', { name: 'Another printer' }],
  ])('refuses a job and sends nothing if its queue reports the cause %s', async (cause, said) => {
    windows.become('ask', { kind: 'says', text: queueAnswer([said]) })
    expect(await printer().status()).toMatchObject({ state: 'refused', failure: { params: { cause } } })
    expect(await printOn(printer(), { ...job, document })).toMatchObject({
      kind: 'refused',
      failure: { code: 'printer.refused', params: { cause } },
    })
    expect(windows.runs('print')).toEqual([])
  })

  it.each([{ kind: 'exit', code: 1 }, { kind: 'says', text: 'not JSON' }, { kind: 'hangs' }] as const)(
    'refuses a job if PowerShell cannot report whether the printer exists ($kind)',
    async (mode) => {
      windows.become('ask', mode)
      const asked = printer({ askMs: mode.kind === 'hangs' ? 1_000 : 60_000 })
      expect(await asked.status()).toMatchObject({ failure: { params: { cause: 'no_spooler' } } })
      expect(await printOn(asked, { ...job, document })).toMatchObject({ kind: 'refused' })
      expect(windows.runs('print')).toEqual([])
    },
  )

  it('is ready if its queue reports no fault', async () => {
    expect(await printer().status()).toEqual({ state: 'ready', failure: null })
    expect(windows.runs('ask')[0]?.args).toContain('-NonInteractive')
  })

  it.each([
    ['ENOENT', 'gone.exe'],
    // the path is that of a folder, which exists but cannot be started as a program
    ['EACCES', '.'],
  ])(
    'gets no job if the system cannot start PowerShell, and the result contains the cause: %s',
    async (cause, path) => {
      const powershell = join(windows.powershell, '..', path)
      const end = await windowsPrinting({ powershell }).print([], {
        ...{ queue, document: 'scandesk-1', paper: media, dpi: 203 },
      })
      expect(end).toEqual({ kind: 'not_started', cause })
    },
  )

  const nothing: readonly (readonly [cause: string, mode: FakeWindowsMode])[] = [
    ['no_queue', { kind: 'exit', code: 1, text: 'refused no_queue\r\n' }],
    ['no_queue', { kind: 'exit', code: 1, text: 'refused windows_1801\r\n' }],
    ['no_spooler', { kind: 'exit', code: 1, text: 'refused windows_1722\r\n' }],
    ['windows_-2147467259', { kind: 'exit', code: 1, text: 'refused windows_-2147467259\r\n' }],
    ['exit_1', { kind: 'exit', code: 1, text: '' }],
    ['ended', { kind: 'says', text: '' }],
  ]
  it.each(nothing)(
    'refuses a job if the print script ended before it sent anything: %s',
    async (cause, mode) => {
      windows.become('print', mode)
      expect(await printOn(printer(), { ...job, document })).toMatchObject({
        kind: 'refused',
        failure: { params: { cause } },
      })
    },
  )

  const half: readonly (readonly [cause: string, mode: FakeWindowsMode])[] = [
    ['not_allowed', { kind: 'exit', code: 1, text: 'printing\r\nfailed windows_5\r\n' }],
    ['incomplete', { kind: 'exit', code: 1, text: 'printing\r\nfailed incomplete\r\n' }],
    ['exit_3', { kind: 'exit', code: 3, text: 'printing\r\n' }],
    ['ended', { kind: 'says', text: 'printing\r\n' }],
  ]
  it.each(half)(
    'reports an unknown outcome for a label if the script failed during the sending: %s',
    async (cause, mode) => {
      windows.become('print', mode)
      expect(await printOn(printer(), { ...job, document })).toMatchObject({
        kind: 'unconfirmed',
        failure: { code: 'printer.outcome_unknown', params: { cause } },
      })
      expect(windows.runs('print')).toHaveLength(1)
    },
  )

  it.each(['', 'printing\r\n'])(
    'kills a script that hangs after the output "%s", and reports an unknown outcome',
    async (text) => {
      windows.become('print', { kind: 'hangs', text })
      expect(await printOn(printer({ printMs: 6_000 }), { ...job, document })).toMatchObject({
        kind: 'unconfirmed',
        failure: { params: { cause: 'timeout' } },
      })
      const [run] = windows.runs('print')
      await waitUntil(() => !isRunning(run?.pid ?? 0), 'the end of the program')
    },
  )

  it('reports a label as spooled if Windows has accepted it, even if the print script hangs afterwards', async () => {
    windows.become('print', { kind: 'hangs', text: 'printing\r\nprinted\r\n' })
    expect(await printOn(printer({ printMs: 6_000 }), { ...job, document })).toEqual({ kind: 'spooled' })
  })

  it('reports an unknown outcome for a job that was removed from the queue', async () => {
    windows.become('ask', {
      ...{ kind: 'says', text: queueAnswer() },
      thenText: queueAnswer([{}], [{ document: 'scandesk-job-7', status: 'Deleting' }]),
    })
    expect(await printOn(printer(), { ...job, document })).toMatchObject({
      kind: 'unconfirmed',
      failure: { params: { cause: 'job_canceled' } },
    })
  })

  it('reports a job as spooled while it waits for paper, because Windows will print it without the desk', async () => {
    const jobs = [
      { document: 'scandesk-job-7', status: 'Error, PaperOut' },
      { document: 'scandesk-job-78', status: 'Deleting' },
    ]
    windows.become('ask', {
      ...{ kind: 'says', text: queueAnswer() },
      thenText: queueAnswer([{ status: 'PaperOut' }], jobs),
    })
    expect(await printOn(printer(), { ...job, document })).toEqual({ kind: 'spooled' })
  })

  it('returns no evidence of earlier jobs', async () => {
    expect(await evidenceOf(printer(), job)).toBeNull()
  })
})

describe.skipIf(!canFakeWindows)('the list of Windows printers', () => {
  it('is sorted by name, and contains for each printer whether it is ready to print', async () => {
    const text = queueAnswer([{ name: 'Zebra' }, { name: 'Office: 2nd floor', status: 'Offline' }])
    windows.become('ask', { kind: 'says', text })
    expect(await windowsPrinters(windowsPrinting(windows))).toEqual([
      { name: 'Office: 2nd floor', makeAndModel: 'ZDesigner ZD421', isReady: false },
      { name: 'Zebra', makeAndModel: 'ZDesigner ZD421', isReady: true },
    ])
    expect(windows.runs('ask')[0]?.queue).toBe('')
  })

  it('is empty if PowerShell does not respond', async () => {
    rmSync(windows.powershell)
    expect(await windowsPrinters(windowsPrinting(windows))).toEqual([])
  })
})

describe('the PowerShell script that prints', () => {
  it('contains no double quote, because Windows would require escaping it', () => {
    expect(printScript).not.toContain('"')
    expect(printScript).not.toContain('undefined')
  })

  it('fits on the command line of Windows', () => {
    expect(printScript.length).toBeLessThan(8_000)
  })

  it('closes every bracket and quote that it opens', () => {
    const open: string[] = []
    for (const sign of printScript.replaceAll(/'[^'\n]*'/g, '')) {
      if ('({['.includes(sign)) open.push(sign)
      if (')}]'.includes(sign)) expect(open.pop()).toBe('({['[')}]'.indexOf(sign)])
    }
    expect(open).toEqual([])
    expect(printScript.split("'").length % 2).toBe(1)
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
