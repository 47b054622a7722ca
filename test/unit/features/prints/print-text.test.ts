import { describe, expect, it } from 'vitest'
import { lineWords, nextText, outcomeOfPrintLine, printerOf, whyText } from '#features/prints/print-text.ts'
import type { PrintHold } from '#shared/domain/print-job.ts'
import { deskStopped, failure } from '#shared/errors/catalogue.ts'
import {
  heldPrint,
  labelFolder,
  paperPrint,
  refusedPrint,
  samplePrint,
  unknownPrint,
  zebra,
} from '#support/memory-desk/prints.ts'

const now = Date.parse('2026-11-21T14:07:00Z')
const printers = [zebra, labelFolder]
const broken = {
  ...zebra,
  state: 'refused' as const,
  failure: failure('printer.refused', { cause: 'cover_open' }),
}

describe('the text of an entry in the print list', () => {
  it('names the reason of a refusal if the printer reported a known reason', () => {
    expect(whyText(refusedPrint(now), zebra, now)).toBe('The printer is out of paper.')
    const silent = refusedPrint(now, { failure: failure('printer.refused', { cause: 'E42' }) })
    expect(whyText(silent, zebra, now)).toBe('The printer refused the label.')
  })

  it('names the fault of a printer that refuses jobs, and otherwise says that the job waits for its turn', () => {
    expect(whyText(samplePrint(now), zebra, now)).toContain('in line')
    expect(whyText(samplePrint(now), broken, now)).toContain('cover is open')
    expect(nextText(samplePrint(now), broken)).toContain('Close it')
    const mute = { ...broken, failure: null }
    expect(nextText(samplePrint(now), mute)).toContain('once the printer is ready')
  })

  it('names the reason why the job is held, and not the fault of its printer', () => {
    const held = heldPrint(now, { kind: 'another_label', code: '3S1', title: '' }, { state: 'refused' })
    expect(whyText(held, broken, now)).toBe('It bears the code of 3S1')
    expect(outcomeOfPrintLine(held)).toBe('decide')
  })

  it('names the reason for printing a copy', () => {
    expect(nextText(paperPrint(now, { isReprint: true, reason: 'lost' }), zebra)).toBe('Marked COPY · Lost')
    expect(nextText(paperPrint(now, { isReprint: true }), zebra)).toBe('Marked COPY')
    expect(nextText(paperPrint(now), zebra)).not.toContain('COPY')
  })

  it('says that a paper came out only if the printer or an operator confirmed it', () => {
    expect(whyText(paperPrint(now), zebra, now)).toMatch(/^Sent at/)
    expect(whyText(paperPrint(now, { state: 'confirmed' }), zebra, now)).toMatch(/^Came out at/)
  })

  it('names the printer of the job, even if that printer is not set up any more', () => {
    expect(printerOf({ printer: labelFolder.name, printerTitle: labelFolder.title }, printers)).toBe(
      'Label folder',
    )
    const renamed = { printer: labelFolder.name, printerTitle: 'Scans of the dock' }
    expect(printerOf(renamed, printers)).toBe('Scans of the dock')
    expect(printerOf({ printer: 'Old one', printerTitle: 'Old one' }, printers)).toBe('Old one')
  })
})

describe('the text of a print job that is open', () => {
  it.each([
    [unknownPrint(now), 'decide', 'Did label SHP00000000412 come out?'],
    [refusedPrint(now), 'stop', 'Not printed: the printer refuses'],
    [samplePrint(now), 'none', 'Waits for its printer'],
    [samplePrint(now, { state: 'sending' }), 'none', 'On its way to the printer'],
    [paperPrint(now), 'look', 'Not scanned back yet'],
  ] as const)(
    'has the question or the statement for the state of the job: case %#',
    (line, outcome, title) => {
      expect(outcomeOfPrintLine(line)).toBe(outcome)
      expect(lineWords(line, 'choose', printers, now).title).toBe(title)
    },
  )

  it('says whether Scandesk or the queue of the printer was stopped during the print', () => {
    const text = (cause: string): string => {
      const cut = failure('printer.outcome_unknown', { cause })
      return lineWords(unknownPrint(now, { failure: cut }), 'choose', printers, now).text
    }
    expect(text(deskStopped)).toMatch(/^Scandesk was stopped while it printed on /)
    expect(text(deskStopped)).not.toMatch(/queue|broke off/)
    expect(text('stopped')).toContain('queue is stopped')
  })

  it('says that the desk could not draw the label, and names the decisions about it', () => {
    const words = lineWords(heldPrint(now, { kind: 'not_drawn' }), 'choose', printers, now)
    expect(words.title).toBe('Scandesk could not draw it')
    expect(words.text).toMatch(/^Nothing was printed\. .* Print it anyway to try it again/)
  })

  it('asks for a scan of the label only if this scan would confirm the print', () => {
    const text = (scanProves: boolean): string =>
      lineWords(unknownPrint(now, { scanProves }), 'choose', printers, now).text
    expect(text(true)).toMatch(/Look in the printer, then answer\. Or scan the tracking code/)
    expect(text(false)).toMatch(/Look in the printer, then answer\.$/)
  })

  it('names the paper width that the label needs, in millimetres, if this width is known', () => {
    const text = (hold: PrintHold): string => lineWords(heldPrint(now, hold), 'choose', printers, now).text
    expect(text({ kind: 'does_not_fit', neededMm: 71.42, printableMm: 48 })).toContain('71.4 mm are needed')
    expect(text({ kind: 'does_not_fit', neededMm: null, printableMm: 48 })).not.toContain('mm are')
  })

  it('says that the operator can confirm that the paper came out, unless this is already confirmed', () => {
    const text = (state: 'sent' | 'confirmed'): string =>
      lineWords(paperPrint(now, { state }), 'choose', printers, now).text
    expect(text('sent')).toContain('say so here')
    expect(text('confirmed')).not.toContain('say so here')
  })
})
