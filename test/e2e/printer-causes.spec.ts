import type { Page } from '@playwright/test'
import type { PrinterEntry, PrinterSettings } from '#shared/bridge/printer-views.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { expect, shot, test } from '#support/app.ts'
import { type FakeEscposPrinter, startFakeEscposPrinter } from '#support/fake-escpos-printer.ts'
import { type FakeIppBehaviour, type FakeIppPrinter, startFakeIppPrinter } from '#support/fake-ipp-printer.ts'
import { type FakeZplPrinter, startFakeZplPrinter } from '#support/fake-zpl-printer.ts'
import { expectPhase, openShipment } from '#support/label-form.ts'
import { LabelStation } from '#support/label-station.ts'
import { scanCommand } from '#support/scan.ts'
import { zplOptions } from '#support/zpl-options.ts'

// These tests form one sequence on one desk.
test.describe.configure({ mode: 'serial' })

/** Faults of a printer. When an operator has removed such a fault, waiting labels print automatically. */
const causes = ['paper_out', 'cover_open', 'offline'] as const
type Cause = (typeof causes)[number]

interface Printer {
  readonly settings: PrinterSettings
  readonly words: Readonly<Record<Cause, readonly string[]>>
  become(state: Cause | 'ready' | 'unplugged_in_the_middle'): Promise<void> | void
  /** Returns the number of labels that the printer printed completely. */
  printed(): number
  close(): Promise<void>
}

/** The sentences on the screen that name each cause and its remedy. */
const words: Printer['words'] = {
  paper_out: ['The printer is out of paper.', 'Put in paper; waiting labels then print automatically.'],
  cover_open: ['The printer’s cover is open.', 'Close it; waiting labels then print automatically.'],
  offline: [
    'The printer is there, but not ready.',
    'Press its ready button; waiting labels then print automatically.',
  ],
}
const switchedOff = [
  'The printer cannot be reached.',
  'Switch it on and check its cable; waiting labels then print automatically.',
]

async function escposPrinter(): Promise<Printer> {
  const fake: FakeEscposPrinter = await startFakeEscposPrinter()
  return {
    settings: { kind: 'escpos', host: '127.0.0.1', port: fake.port, paperMm: 104, dpi: 203 },
    words,
    become(state) {
      fake.behaviour =
        state === 'unplugged_in_the_middle' ? { kind: 'resets', afterBytes: 20_000 } : { kind: state }
    },
    printed: () => fake.jobs.flatMap(({ labels }) => labels).length,
    close: () => fake.close(),
  }
}

/** A ZPL printer that is switched off cannot be reached, so it cannot report its state. */
async function zplPrinter(): Promise<Printer> {
  let fake: FakeZplPrinter = await startFakeZplPrinter()
  const { port } = fake
  let earlier = 0
  let isOff = false
  return {
    settings: {
      ...({ kind: 'zpl', host: '127.0.0.1', port, widthMm: 104, dpi: 203 } as const),
      ...zplOptions,
    },
    words: { ...words, offline: switchedOff },
    async become(state) {
      if (isOff) {
        earlier += fake.printed.length
        fake = await startFakeZplPrinter({ kind: 'ready' }, port)
      }
      isOff = state === 'offline'
      if (state === 'offline') await fake.close()
      else if (state === 'ready') fake.behaviour = { kind: 'ready' }
      else if (state === 'unplugged_in_the_middle')
        fake.behaviour = { kind: 'resets', afterBytes: 2_000, answers: true }
      else fake.behaviour = { kind: 'wrong', wrong: state }
    },
    printed: () => earlier + fake.printed.length,
    close: () => fake.close(),
  }
}

const ippStates: Record<Parameters<Printer['become']>[0], FakeIppBehaviour> = {
  ready: {},
  paper_out: { printer: { state: 5, reasons: ['media-empty-error', 'media-needed'] } },
  cover_open: { printer: { state: 5, reasons: ['cover-open-error'] } },
  offline: { printer: { state: 5, reasons: ['offline-report'] } },
  // A printer that loses its power also loses the jobs that it has received.
  unplugged_in_the_middle: { document: { resetsAfter: 500 }, job: ['gone'] },
}

async function ippPrinter(): Promise<Printer> {
  const fake: FakeIppPrinter = await startFakeIppPrinter()
  return {
    settings: { kind: 'ipp', uri: fake.uri, media: 'na_index-4x6_4x6in', dpi: 203 },
    words,
    become(state) {
      fake.behaviour = ippStates[state]
    },
    printed: () => fake.documents.length,
    close: () => fake.close(),
  }
}

const kinds = {
  'an ESC/POS printer': escposPrinter,
  'a ZPL printer': zplPrinter,
  'an IPP printer': ippPrinter,
}

let station: LabelStation

test.beforeAll(async ({ deskOf }, testInfo) => {
  station = await LabelStation.start(await deskOf(testInfo.file))
})
test.afterAll(() => station.server.stop())

async function usePrinter(page: Page, settings: PrinterSettings): Promise<void> {
  const layout = { turn: 'auto', offsetXMm: 0, offsetYMm: 0 } as const
  // The id is new, so the desk removes the previous printer and adds another one. With the same id the desk would treat
  // the printer as the previous printer with changed settings.
  const entry: PrinterEntry = {
    id: `${settings.kind} ${String(Date.now())}`,
    title: settings.kind,
    settings,
    layout,
  }
  const used = await page.evaluate(
    (printer) => window.scandesk.printer.save({ printers: [printer], routes: [] }),
    entry,
  )
  expect(used.ok).toBe(true)
}

/** Makes a label for a shipment that has no label. */
async function askForLabel(page: Page): Promise<Shipment> {
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await scanCommand(page, 'PRIMARY')
  return shipment
}

for (const [kind, start] of Object.entries(kinds)) {
  test.describe(kind, () => {
    let printer: Printer
    let expected = 0

    test.beforeAll(async ({ deskOf }, testInfo) => {
      printer = await start()
      await usePrinter((await deskOf(testInfo.file)).page, printer.settings)
    })
    test.afterAll(() => printer.close())

    for (const cause of causes) {
      test(`${cause} is shown with its remedy, and the label is printed exactly once after the fault was removed`, async ({
        page,
      }) => {
        await printer.become(cause)
        await askForLabel(page)
        await expectPhase(page, 'not_printed')
        const card = page.locator('article')
        for (const sentence of printer.words[cause]) await expect(card).toContainText(sentence)
        await shot(page, `cause-${printer.settings.kind}-${cause}`)
        expect(printer.printed()).toBe(expected)
        await printer.become('ready')
        await expectPhase(page, 'printed')
        expect(printer.printed()).toBe((expected += 1))
      })
    }

    test('a printer that is unplugged during a print leads to a question, and the label prints again only after an answer', async ({
      page,
    }) => {
      await printer.become('unplugged_in_the_middle')
      const shipment = await askForLabel(page)
      await expectPhase(page, 'print_unknown')
      await shot(page, `cause-${printer.settings.kind}-unplugged`)
      await printer.become('ready')
      // The printer prints a new label, but does not repeat the interrupted label before the operator decides about it.
      await askForLabel(page)
      await expectPhase(page, 'printed')
      expect(printer.printed()).toBe((expected += 1))
      await openShipment(page, shipment)
      await expectPhase(page, 'print_unknown')
      await scanCommand(page, 'PRINTS')
      await page.getByRole('button', { name: 'No, print again' }).waitFor()
      await scanCommand(page, 'NO')
      await expect.poll(() => printer.printed()).toBe((expected += 1))
      await scanCommand(page, 'HOME')
      await openShipment(page, shipment)
      await expectPhase(page, 'printed')
      expect(printer.printed()).toBe(expected)
    })
  })
}
