import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type WedgeDecision, WedgeDecoder } from '#shared/domain/wedge/wedge-decoder.ts'
import type { WedgeKey } from '#shared/domain/wedge/stroke.ts'
import { count, seed } from '#support/counts.ts'

type Field = WedgeKey['field']

/** A keyboard with a clock, and one field. A swallowed key types nothing into the field, as in the window. */
class Desk {
  field: Field
  value = ''
  readonly scans: string[] = []
  /**
   * The scans that began so soon after other characters that one barcode may contain both the scan and these
   * characters.
   */
  readonly inBurst: string[] = []
  /** Number of keys that type no character (such as Enter) and that the decoder let through to the page. */
  pressed = 0
  nowMs = 1000
  readonly #decoder: WedgeDecoder<string>
  /** The text that an operator typed into the field and that no key has removed. */
  #typed = ''

  /** @param gapMs - time between two keys of the calibrated scanner; null if the scanner was not calibrated. */
  constructor(field: Field = 'none', gapMs: number | null = null) {
    this.field = field
    const profile = { prefix: [], suffix: [], keys: {}, terminator: 'Enter' as const, sendsSeparator: false }
    this.#decoder = new WedgeDecoder(() => (gapMs === null ? null : { ...profile, gapMs }))
  }

  /** Gives the field time to receive the keys that were held back, as a pause of the operator does. */
  settle(): void {
    this.#typed = this.field === 'none' ? '' : this.value
  }

  key(key: string, gapMs: number, more: Partial<WedgeKey> = {}): WedgeDecision<string> {
    this.nowMs += gapMs
    const decision = this.#decoder.feed(
      {
        key,
        code: '',
        timeStampMs: this.nowMs,
        ctrl: false,
        alt: false,
        meta: false,
        altGraph: false,
        shift: false,
        capsLock: false,
        repeat: false,
        composing: false,
        field: this.field,
        hasTyped: this.#typed !== '',
        ...more,
      },
      () => this.value,
    )
    if (decision.kind === 'scan' || decision.kind === 'drop') {
      if (decision.kind === 'scan') this.scans.push(decision.text)
      if (decision.kind === 'scan' && decision.inBurst) this.inBurst.push(decision.text)
      this.value = decision.restore ?? this.value
    } else if (decision.kind !== 'swallow') {
      if (key.length > 1) this.pressed++
      else if (key.length === 1 && !more.ctrl && this.field !== 'none') this.value += key
    }
    return decision
  }

  type(text: string, gapsMs: number | readonly number[], endGapMs = 150): void {
    for (const [i, key] of Array.from(text).entries())
      this.key(key, typeof gapsMs === 'number' ? gapsMs : (gapsMs[i] ?? 0))
    this.key('Enter', endGapMs)
  }

  scan(text: string, gapMs: number, terminator = 'Enter'): void {
    for (const [i, key] of Array.from(text).entries()) this.key(key, i === 0 ? 500 : gapMs)
    this.key(terminator, gapMs)
  }
}

const fields: readonly Field[] = ['none', 'text', 'secret']
const printable = fc.string({
  unit: fc.integer({ min: 33, max: 126 }).map((c) => String.fromCharCode(c)),
  minLength: 6,
  maxLength: 40,
})

describe('a scan of a keyboard scanner', () => {
  it.each(fields)(
    'is read at the usual speed with the focus on %s, and leaves the text of the field unchanged',
    (field) => {
      const desk = new Desk(field)
      desk.value = 'half typed'
      desk.scan('3SABCD1234567', 6)
      expect(desk).toMatchObject({ scans: ['3SABCD1234567'], value: 'half typed', pressed: 0 })
    },
  )

  it('is read even if it ends with Tab in place of Enter', () => {
    const desk = new Desk('text')
    desk.scan('SHP00000000412', 8, 'Tab')
    expect(desk).toMatchObject({ scans: ['SHP00000000412'], pressed: 0 })
  })

  it('is read as two scans when the second begins 20 ms after the end of the first', () => {
    const desk = new Desk('text')
    desk.scan('8712345678906', 5)
    desk.nowMs -= 480
    desk.scan('8712345678913', 5)
    expect(desk.scans).toEqual(['8712345678906', '8712345678913'])
  })

  it('is separated from text that an operator typed just before', () => {
    const desk = new Desk('text')
    for (const key of 'Anna') desk.key(key, 140)
    for (const [i, key] of Array.from('WEB-100412').entries()) desk.key(key, i === 0 ? 200 : 5)
    desk.key('Enter', 5)
    expect(desk).toMatchObject({ scans: ['WEB-100412'], value: 'Anna', pressed: 0 })
  })

  it('is read even if a wireless scanner makes a short pause in it', () => {
    const desk = new Desk('text')
    for (const [i, key] of Array.from('3SABCD1234567').entries()) desk.key(key, i === 7 ? 180 : 6)
    desk.key('Enter', 6)
    expect(desk.scans).toEqual(['3SABCD1234567'])
  })

  it('ends with the LF of a CR LF, so that the LF does not act as the Enter key for the primary button', () => {
    const desk = new Desk()
    desk.scan('SHP00000000412', 6)
    desk.key('Enter', 6)
    expect(desk.pressed).toBe(0)
    desk.key('Enter', 900)
    expect(desk.pressed).toBe(1)
  })

  it('presses no button if it is too short to be read as a scan', () => {
    const desk = new Desk()
    desk.scan('A1', 6)
    expect(desk).toMatchObject({ scans: [], pressed: 0 })
  })

  it.each(fields)(
    'leaves a field unchanged and submits nothing if it has one or two characters, with the focus on %s',
    (field) => {
      for (const text of ['9', '99', 'ZZ'])
        for (const terminator of ['Enter', 'Tab'])
          for (const gapMs of [1, 8, 20]) {
            const desk = new Desk(field)
            desk.value = 'Anna'
            desk.scan(text, gapMs, terminator)
            desk.key('Enter', gapMs)
            expect(desk).toMatchObject({ scans: [], value: 'Anna', pressed: 0 })
          }
    },
  )

  it.each(['text', 'secret'] as const)(
    'submits nothing if it has one or two characters and follows typed text, with the focus on %s',
    (field) => {
      for (const text of ['9', '99', 'ZZ'])
        for (const terminator of ['Enter', 'Tab'])
          for (const gapMs of [1, 8, 20]) {
            const desk = new Desk(field)
            for (const key of 'Anna') desk.key(key, 140)
            desk.settle()
            desk.scan(text, gapMs, terminator)
            desk.key('Enter', gapMs)
            expect(desk).toMatchObject({ scans: [], value: `Anna${text}`, pressed: 0 })
          }
    },
  )

  it('of only two characters leaves no character in the field, if its characters reach the field before its Enter', () => {
    const desk = new Desk('text')
    desk.key('4', 500)
    desk.key('7', 6)
    desk.settle()
    desk.key('Enter', 6)
    expect(desk).toMatchObject({ scans: [], value: '', pressed: 0 })
  })

  it('changes at most two characters of a typed text if keys that type nothing separate its characters', () => {
    for (const chunk of [1, 2]) {
      const desk = new Desk('text')
      for (const key of 'Anna') desk.key(key, 140)
      desk.settle()
      desk.nowMs += 500
      const keys = Array.from('Smokkelaar').flatMap((key, i) => ((i + 1) % chunk === 0 ? [key, 'F9'] : [key]))
      for (const key of [...keys, 'Enter']) desk.key(key, 8)
      expect(desk).toMatchObject({ scans: [], value: 'AnnaSm', pressed: 3 - chunk })
    }
  })

  it('types nothing into a field if keys that type nothing separate its characters', () => {
    for (const chunk of [1, 2, 5])
      for (const other of ['F9', 'ArrowLeft']) {
        const desk = new Desk('text')
        desk.value = 'Zoe'
        desk.key('a', 500, { ctrl: true, code: 'KeyA' })
        const keys = Array.from('Smokkelaar').flatMap((key, i) =>
          (i + 1) % chunk === 0 ? [key, other] : [key],
        )
        for (const key of [...keys, 'Enter']) desk.key(key, 8)
        expect(desk).toMatchObject({ scans: [], value: 'Zoe', pressed: 0 })
      }
  })

  it('submits nothing if a key that changes a field, or a chord of Enter, ends it', () => {
    const desk = new Desk('text')
    desk.key('Delete', 500)
    desk.key('Enter', 8)
    expect(desk.pressed).toBe(1)
    for (const key of 'Smokkelaar') desk.key(key, 8)
    desk.key('Enter', 8, { ctrl: true })
    expect(desk).toMatchObject({ scans: [], value: '', pressed: 1 })
  })

  it('keeps the separator GS if the scanner sends it as Ctrl+] or as Alt+029', () => {
    const desk = new Desk()
    const control = { ctrl: true, code: 'BracketRight' }
    for (const key of ']C1010871') desk.key(key, 6)
    desk.key(']', 6, control)
    for (const key of '10LOT') desk.key(key, 6)
    for (const digit of '029') desk.key(digit, 6, { alt: true, code: `Numpad${digit}` })
    desk.key('Alt', 6, { alt: true, code: 'AltLeft' })
    for (const key of '21SN') desk.key(key, 6)
    desk.key('Enter', 6)
    expect(desk.scans).toEqual([']C1010871\x1d10LOT\x1d21SN'])
  })

  it('is recognised by its even pace and typical form if the scanner types into a field with 80 ms between two keys', () => {
    const desk = new Desk('text')
    desk.scan('SHP00000000412', 80)
    desk.scan('8712345678906', 80)
    desk.scan('hello there', 80)
    expect(desk).toMatchObject({ scans: ['SHP00000000412', '8712345678906'], pressed: 1 })
  })

  it.each([
    [45, ['125', '40001', 'WEB-100412']],
    [60, ['125', '40001', 'WEB-100412']],
    [90, ['WEB-100412']],
    [95, ['WEB-100412', '8712345678906']],
    [100, ['WEB-100412', '8712345678906']],
  ])(
    'leaves a text field unchanged, whatever its text is, if the scanner is calibrated for %i ms between two keys',
    (gapMs, texts) => {
      for (const text of texts) {
        const desk = new Desk('text', gapMs)
        desk.value = '12'
        desk.scan(text, gapMs)
        expect(desk).toMatchObject({ scans: [text], value: '12', pressed: 0 })
      }
    },
  )

  it('is recognised with 105 ms before its last character only if the scanner is calibrated and this pace fits the calibration', () => {
    const gapsMs = [500, 90, 90, 90, 90, 90, 90, 90, 90, 105]
    const desk = new Desk('text', 90)
    desk.value = '12'
    desk.type('WEB-100412', gapsMs, 90)
    expect(desk).toMatchObject({ scans: ['WEB-100412'], value: '12', pressed: 0 })
    for (const otherMs of [null, 8, 70]) {
      const other = new Desk('text', otherMs)
      other.type('WEB-100412', gapsMs, 90)
      expect(other).toMatchObject({ scans: [], value: 'WEB-100412', pressed: 1 })
    }
  })

  it('is read unchanged, wherever the focus is, if it has at least six characters and at most 30 ms between two keys', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(printable, fc.constantFrom(...fields), fc.integer({ min: 1, max: 30 })), {
          minLength: 1,
          maxLength: 5,
        }),
        (scans) => {
          const desk = new Desk()
          for (const [text, field, gapMs] of scans) {
            desk.field = field
            desk.value = 'kept'
            desk.scan(text, gapMs)
            expect(desk.value).toBe('kept')
          }
          expect(desk.scans).toEqual(scans.map(([text]) => text))
          expect(desk.pressed).toBe(0)
        },
      ),
      { seed, numRuns: count(200, 20_000) },
    )
  })
})

describe('an operator at the keyboard', () => {
  it('can type and press Enter at 45 ms a key without causing a scan', () => {
    const desk = new Desk('text')
    desk.type('retourbalie', [45, 38, 52, 61, 44, 40, 49, 57, 36, 48, 66], 90)
    expect(desk).toMatchObject({ scans: [], value: 'retourbalie', pressed: 1 })
  })

  it('can press three keys within 50 ms without causing a scan', () => {
    const desk = new Desk('text')
    desk.type('the', [0, 22, 28], 120)
    expect(desk).toMatchObject({ scans: [], value: 'the', pressed: 1 })
  })

  it.each([21, 25, 30, 35, 60])(
    'can type one or two characters and press Enter or Tab at %i ms a key, which then takes effect',
    (gapMs) => {
      for (const text of ['9', '12'])
        for (const end of ['Enter', 'Tab']) {
          const desk = new Desk('text')
          desk.key('a', 500, { ctrl: true, code: 'KeyA' })
          desk.nowMs += 200
          desk.type(text, gapMs, gapMs)
          desk.key(end, gapMs + 100)
          expect(desk).toMatchObject({ scans: [], value: text, pressed: 2 })
        }
    },
  )

  it.each([100, 180, 400])(
    'keeps a digit that is typed %i ms after another digit and directly before Enter; the next Enter sends the number',
    (pauseMs) => {
      for (const gapMs of [null, 30, 100]) {
        const desk = new Desk('text', gapMs)
        desk.key('1', 500)
        // after a longer pause the first digit is already in the field
        if (pauseMs > 130) desk.settle()
        desk.key('2', pauseMs)
        desk.key('Enter', 1)
        expect(desk).toMatchObject({ scans: [], value: '12', pressed: 0 })
        desk.key('Enter', 200)
        expect(desk).toMatchObject({ scans: [], value: '12', pressed: 1 })
      }
    },
  )

  it('can press a key that types nothing together with a character of a typed text', () => {
    const desk = new Desk('text')
    desk.key('1', 500)
    desk.settle()
    desk.key('2', 200)
    desk.key('Backspace', 1)
    expect(desk).toMatchObject({ value: '12', pressed: 1 })
  })

  it.each([28, 30, 35])(
    'who types a digit and presses Enter at the pace of a calibrated scanner is not taken for a scanner, %i ms a key',
    (gapMs) => {
      const desk = new Desk('text', gapMs)
      desk.type('5', 500, gapMs)
      expect(desk).toMatchObject({ scans: [], value: '5', pressed: 1 })
    },
  )

  it('can press a key that types nothing within 21 ms of a character, and Enter within 21 ms of a paste', () => {
    const desk = new Desk('text')
    for (const key of ['1', '2', 'Backspace', '3', 'ArrowLeft']) desk.key(key, 21)
    expect(desk).toMatchObject({ value: '123', pressed: 2 })
    desk.key('v', 300, { ctrl: true, code: 'KeyV' })
    desk.key('Enter', 21)
    expect(desk.pressed).toBe(3)
  })

  it('can press Enter directly after a key that was held down, without causing a scan', () => {
    const desk = new Desk('text')
    desk.key('ArrowDown', 500)
    for (let held = 0; held < 5; held++) desk.key('ArrowDown', held === 0 ? 400 : 30, { repeat: true })
    expect(desk.key('Enter', 3).kind).toBe('ignore')
  })

  it.each([45, 60, 90, 150])(
    'can type a text beside a scanner that is calibrated for %i ms, if one key has another pace',
    (gapMs) => {
      for (const text of ['125', 'retourbalie']) {
        const desk = new Desk('text', gapMs)
        desk.type(text, [500, gapMs * 1.5, ...Array.from(text, () => gapMs)], gapMs)
        desk.type(text, [500, ...Array.from(text, () => gapMs)], gapMs * 1.5)
        expect(desk).toMatchObject({ scans: [], value: text + text, pressed: 2 })
      }
    },
  )

  it('can leave a field with Tab at the pace of a calibrated scanner, 90 ms a key, because that scanner ends with Enter', () => {
    const desk = new Desk('text', 90)
    const gapsMs = [500, 70, 110, 85, 95, 72]
    for (const [i, key] of Array.from('Jansen').entries()) desk.key(key, gapsMs[i] ?? 0)
    desk.key('Tab', 108)
    expect(desk).toMatchObject({ scans: [], value: 'Jansen', pressed: 1 })
  })

  it('can type a short number at an even pace beside a scanner that is calibrated for more than 60 ms', () => {
    const desk = new Desk('text', 90)
    desk.type('125', 90, 90)
    expect(desk).toMatchObject({ scans: [], value: '125', pressed: 1 })
  })

  it('can type a number with a valid check digit into a password field without causing a scan', () => {
    const desk = new Desk('secret')
    desk.type('8712345678906', 80, 80)
    expect(desk).toMatchObject({ scans: [], value: '8712345678906', pressed: 1 })
  })

  it('can press Enter without typed text and without causing a scan', () => {
    const desk = new Desk()
    expect(desk.key('Enter', 500).kind).toBe('ignore')
  })

  it('can use shortcuts, held keys and compositions without causing a scan', () => {
    const desk = new Desk('text')
    expect(desk.key('c', 10, { ctrl: true }).kind).toBe('ignore')
    expect(desk.key('a', 10, { repeat: true }).kind).toBe('ignore')
    expect(desk.key('Process', 10, { composing: true }).kind).toBe('ignore')
  })

  it('can type any text of small letters and spaces into a field at 40 ms a key or slower without causing a scan', () => {
    const gaps = fc.array(fc.integer({ min: 40, max: 240 }), { minLength: 40, maxLength: 40 })
    const lower = fc.string({
      unit: fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz ')),
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(lower, gaps, fc.integer({ min: 60, max: 600 }), (text, gapsMs, endGapMs) => {
        const desk = new Desk('text')
        desk.type(text, gapsMs, endGapMs)
        expect(desk).toMatchObject({ scans: [], value: text, pressed: 1 })
      }),
      { seed, numRuns: count(300, 30_000) },
    )
  })
})

describe('one barcode whose text contains several codes', () => {
  const keysOf = (text: string): string[] =>
    text
      .split(/(\r|\t|\x1b)/)
      .flatMap((part) => ({ '\r': ['Enter'], '\t': ['Tab'], '\x1b': ['Escape'] })[part] ?? Array.from(part))
  const send = (desk: Desk, text: string, gapMs: number): void => {
    for (const key of keysOf(text)) desk.key(key, gapMs)
  }
  const parcel = fc.constantFrom('SHP00000000400', '8712345678906', 'A1', 'WEB-1', '3SABCD1234567')
  const separator = fc.constantFrom('\r', '\t', '\r\r', '\t\r', '\x1b', '\r\x1b', '\r\t\r')

  it('has its command marked as part of a burst if the command becomes a separate scan, at every pace and with every separator of the codes', () => {
    fc.assert(
      fc.property(
        fc.tuple(parcel, separator, fc.constantFrom('\r', '\t'), fc.integer({ min: 1, max: 90 })),
        fc.constantFrom('none' as const, 'text' as const),
        ([code, between, end, gapMs], field) => {
          const desk = new Desk(field)
          desk.nowMs += 2_000
          send(desk, `${code}${between}SDCMDPRIMARY${end}`, gapMs)
          if (desk.scans.includes('SDCMDPRIMARY')) expect(desk.inBurst).toContain('SDCMDPRIMARY')
          else expect(desk.scans.join(' ')).not.toMatch(/(^| )SDCMDPRIMARY( |$)/)
        },
      ),
      { seed, numRuns: count(400, 20_000) },
    )
  })

  it('has its command marked as part of a burst if the command becomes a separate scan, whatever keys are between the codes', () => {
    const alt = fc.integer({ min: 1, max: 99_999 }).map((number) => ['Alt', ...Array.from(`${number}`)])
    const text = fc.string({ unit: fc.constantFrom(...Array.from('ab1-')), minLength: 1, maxLength: 30 })
    const typed = text.map((it) => Array.from(it))
    const others = fc.constantFrom(['Enter'], ['Tab'], ['F2'], ['Shift'], ['Dead'], ['Escape', 'ArrowDown'])
    const between = fc.array(
      fc.tuple(fc.oneof(alt, typed, others), fc.nat(60), fc.constantFrom(0, 0, 0, 40, 239)),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(parcel, between, fc.constantFrom(...fields), (code, filler, field) => {
        const desk = new Desk(field)
        desk.nowMs += 2_000
        send(desk, `${code}\r`, 6)
        for (const [keys, gapMs, hiccupMs] of filler) {
          desk.nowMs += hiccupMs
          for (const key of keys) {
            const isAlt = keys[0] === 'Alt'
            desk.key(key, gapMs, isAlt ? { alt: true, code: key === 'Alt' ? 'AltLeft' : `Numpad${key}` } : {})
          }
        }
        send(desk, '\rSDCMDPRIMARY\r', 6)
        if (desk.scans.includes('SDCMDPRIMARY')) expect(desk.inBurst).toContain('SDCMDPRIMARY')
      }),
      { seed, numRuns: count(600, 20_000) },
    )
  })

  it('is not assumed if only F2, Escape, Enter or Shift precedes a command: the command is not marked as part of a burst', () => {
    for (const key of ['F2', 'Escape', 'Enter', 'Shift']) {
      const desk = new Desk()
      desk.nowMs += 2_000
      desk.key(key, 6)
      send(desk, 'SDCMDPRIMARY\r', 6)
      expect([desk.scans, desk.inBurst]).toEqual([['SDCMDPRIMARY'], []])
    }
  })

  it('has each command marked as part of a burst, even if a wireless scanner pauses between the codes', () => {
    const desk = new Desk()
    send(desk, 'SHP00000000400\r', 6)
    for (const command of ['SDCMDPRIMARY', 'SDCMDYES']) {
      desk.nowMs += 240
      send(desk, `${command}\r`, 6)
    }
    expect(desk.inBurst).toEqual(['SDCMDPRIMARY', 'SDCMDYES'])
  })

  it('is not confused with several scans that an operator triggers one after the other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(parcel, fc.integer({ min: 301, max: 2_000 }), fc.integer({ min: 1, max: 30 })), {
          minLength: 2,
          maxLength: 6,
        }),
        fc.constantFrom(...fields),
        (scans, field) => {
          const desk = new Desk(field)
          desk.nowMs += 2_000
          for (const [code, pauseMs, gapMs] of scans) {
            desk.nowMs += pauseMs
            send(desk, `${code}\r`, gapMs)
          }
          expect(desk.inBurst).toEqual([])
        },
      ),
      { seed, numRuns: count(200, 10_000) },
    )
  })

  it('passes to the window none of the keys Enter, Tab, Escape and F2 that follow a code, however many follow', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Enter', 'Tab', 'Escape', 'F2'), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(...fields),
        (keys, gapMs, field) => {
          const desk = new Desk(field)
          desk.scan('SHP00000000400', gapMs)
          for (const key of keys) desk.key(key, gapMs)
          expect(desk.pressed).toBe(0)
        },
      ),
      { seed, numRuns: count(200, 10_000) },
    )
  })

  it('is read as one text, and not as a command, if its separator is sent as Ctrl+M, Ctrl+J or Ctrl+]', () => {
    const control = (letter: string, code: string): Partial<WedgeKey> & { key: string } => ({
      ...{ key: letter, code, ctrl: true },
    })
    for (const key of [control('m', 'KeyM'), control('j', 'KeyJ'), control(']', 'BracketRight')]) {
      const desk = new Desk()
      send(desk, 'SHP00000000400', 6)
      desk.key(key.key, 6, key)
      send(desk, 'SDCMDPRIMARY\r', 6)
      expect(desk.scans).toHaveLength(1)
      expect(desk.scans[0]).toMatch(/^SHP00000000400.SDCMDPRIMARY$/s)
    }
  })

  it('is not confused with a Backspace that is kept pressed, or with Enter 180 ms after a scan', () => {
    const desk = new Desk('text')
    for (const key of 'Anna') desk.key(key, 140)
    desk.key('Backspace', 120)
    for (let held = 0; held < 5; held++) desk.key('Backspace', 30, { repeat: true })
    expect(desk.pressed).toBe(6)
    desk.scan('SHP00000000400', 6)
    desk.key('Enter', 180)
    expect(desk.pressed).toBe(7)
  })
})
