import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  commandBarcode,
  commandKey,
  commands,
  commandSecretForm,
  commandSecretFrom,
  commandTails,
  digitOf,
  looksLikeCommand,
  namedBarcode,
  namedCommands,
  onlyWithKey,
  readCommand,
} from '#shared/domain/commands.ts'
import { parseCommand, parseNamed } from '#support/command-readings.ts'
import { count } from '#support/counts.ts'

const alphabet = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const runs = { seed: 7, numRuns: count(300, 20_000) }
const names = fc.constantFrom(...namedCommands)
const keys = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 6, maxLength: 6 })

/** Returns the text of a scan with the letter case that Caps Lock causes. */
function capsLocked(text: string): string {
  return Array.from(text, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('')
}

describe('a command barcode', () => {
  it.each(commands)(
    'is read as the command %s in upper and lower case and after an AIM identifier; parseNamed() does not accept it',
    (word) => {
      const text = commandBarcode(word)
      expect(text).toMatch(/^[A-Z]+$/)
      for (const read of [text, text.toLowerCase(), capsLocked(text), ` ${text}\r`, `]C0${text}`])
        expect([parseCommand(read), parseNamed(read)]).toEqual([word, null])
    },
  )

  it('never begins with the complete barcode of another command', () => {
    const words: readonly string[] = [...commands, ...namedCommands]
    for (const one of words)
      for (const other of words)
        if (one !== other) expect([other, other.startsWith(one)]).toEqual([other, false])
    expect(new Set(words).size).toBe(words.length)
  })

  it('is not read if its end is missing, or if another character follows', () => {
    for (const word of commands) {
      const text = commandBarcode(word)
      for (let end = 0; end < text.length; end++) expect(parseCommand(text.slice(0, end))).toBeNull()
      for (const more of alphabet) expect(parseCommand(text + more)).toBeNull()
    }
  })

  it('is not read if it contains a space or a non-ASCII letter, even one whose capital is an ASCII letter', () => {
    expect(parseCommand('\u017FDCMDHOME')).toBeNull()
    expect(parseCommand('SDCMDM\u0131NUS')).toBeNull()
    expect(parseCommand('SDCMD HOME')).toBeNull()
    expect(parseCommand('SDCMDPRİMARY')).toBeNull()
  })

  it('is not searched for in long texts, so that a long text takes little time', () => {
    expect(commandTails('S'.repeat(1_000_000))).toBeNull()
    expect(parseCommand(`SDCMDHOME${' '.repeat(100)}`)).toBeNull()
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const found = parseCommand(text)
        if (found === null) return
        expect(text.trim().toUpperCase().endsWith(commandBarcode(found))).toBe(true)
      }),
      runs,
    )
  })

  it('exists for each digit from 0 to 9', () => {
    const found = commands.flatMap((word) => digitOf(word) ?? [])
    expect(found.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(digitOf('ENTER')).toBeNull()
  })
})

describe('the barcode of a named command', () => {
  it('yields its name and its key, even if it is read in lower case, and is never read as a plain command', () => {
    fc.assert(
      fc.property(names, keys, (name, key) => {
        const text = namedBarcode(name, key)
        expect(text).toMatch(/^SDCMD[A-Z]+1[0-9A-Z]{7}$/)
        for (const read of [text, text.toLowerCase(), capsLocked(text), `]C0${text}`])
          expect([parseNamed(read), parseCommand(read)]).toEqual([{ name, key }, null])
      }),
      runs,
    )
  })

  it('selects nothing if one character after SDCMD is wrong', () => {
    fc.assert(
      fc.property(names, keys, fc.nat(), fc.constantFrom(...alphabet), (name, key, where, wrong) => {
        const text = namedBarcode(name, key)
        const at = 5 + (where % (text.length - 5))
        fc.pre(text[at] !== wrong)
        expect(parseNamed(text.slice(0, at) + wrong + text.slice(at + 1))).toBeNull()
      }),
      runs,
    )
  })

  it('selects nothing if its end is missing', () => {
    fc.assert(
      fc.property(names, keys, (name, key) => {
        const text = namedBarcode(name, key)
        for (let end = 0; end < text.length; end++) expect(parseNamed(text.slice(0, end))).toBeNull()
      }),
      runs,
    )
  })

  it('is refused in more than 99.6 % of the cases if two neighbouring characters of its key and check character are exchanged', () => {
    const samples = fc.sample(fc.tuple(names, keys), { seed: 7, numRuns: count(1000, 20_000) })
    let tried = 0
    let taken = 0
    for (const [name, key] of samples) {
      const text = namedBarcode(name, key)
      for (let at = text.length - 7; at < text.length - 1; at++) {
        const [a = '', b = ''] = text.slice(at, at + 2)
        if (a === b) continue
        tried++
        if (parseNamed(text.slice(0, at) + b + a + text.slice(at + 2))) taken++
      }
    }
    expect(tried).toBeGreaterThan(samples.length)
    expect(taken / tried).toBeLessThan(0.004)
  })

  it('has the check character of ISO 7064', () => {
    // the check character over VIA1000000 is calculated from the definition of ISO 7064
    expect(namedBarcode('VIA', '000000')).toBe(`SDCMDVIA1000000${handCounted('VIA1000000')}`)
    expect(looksLikeCommand('SDCMDVIA1000000?')).toBe(false)
    expect(looksLikeCommand('SDCMDNONSENSE')).toBe(true)
    expect(looksLikeCommand('8712345678906')).toBe(false)
  })
})

/** The definition of ISO 7064, MOD 37,36: the check character makes the sum of the whole text 1 modulo 36. */
function handCounted(text: string): string {
  const whole = (check: string): number =>
    [...Array.from(text), check].reduce((p, c, i, all) => {
      const s = (p + alphabet.indexOf(c)) % 36 || 36
      return i === all.length - 1 ? s % 36 : (s * 2) % 37
    }, 36)
  return alphabet.find((check) => whole(check) === 1) ?? '?'
}

describe('a command barcode at a station with a secret', () => {
  const secrets = fc.string({
    unit: fc.constantFrom(...alphabet.filter((one) => !'ILOU'.includes(one))),
    minLength: 5,
    maxLength: 5,
  })
  const any = fc.constantFrom(...commands)

  it('is accepted, in upper and lower case, if it has the secret of that station, and is foreign at any other station', () => {
    fc.assert(
      fc.property(secrets, secrets, any, names, keys, (secret, other, command, name, key) => {
        fc.pre(secret !== other)
        const word = commandBarcode(command, secret)
        const named = namedBarcode(name, key, secret)
        for (const read of [word, word.toLowerCase(), capsLocked(word), ` ${word}\r`, `]C0${word}`])
          expect(readCommand(read, secret)).toEqual({ kind: 'command', command })
        expect(readCommand(capsLocked(named), secret)).toEqual({ kind: 'named', named: { name, key } })
        for (const text of [word, named])
          for (const station of [other, null]) expect(readCommand(text, station).kind).toBe('foreign')
      }),
      runs,
    )
  })

  it('is refused as foreign if it has no secret or the secret of another station', () => {
    fc.assert(
      fc.property(secrets, secrets, any, names, keys, (secret, other, command, name, key) => {
        fc.pre(secret !== other)
        for (const text of [commandBarcode(command), namedBarcode(name, key)])
          expect(readCommand(text, secret)).toEqual({ kind: 'foreign' })
        expect(readCommand(commandBarcode(command, other), secret)).toEqual({ kind: 'foreign' })
      }),
      runs,
    )
  })

  it('is never accepted if text other than spaces or an AIM identifier precedes or follows it, or if its end is missing', () => {
    fc.assert(
      fc.property(secrets, any, fc.string({ minLength: 1, maxLength: 4 }), (secret, command, more) => {
        fc.pre(more.trim() !== '' && !/^\][A-Z][0-9A-Z]$/i.test(more.trim()))
        const text = commandBarcode(command, secret)
        for (const read of [text + more, more + text]) {
          const reading = readCommand(read, secret)
          // spaces around a code are not part of it
          if (read.trim() !== text) expect([read, reading.kind]).not.toEqual([read, 'command'])
        }
        for (let end = 0; end < text.length; end++)
          expect(readCommand(text.slice(0, end), secret).kind).not.toBe('command')
      }),
      runs,
    )
  })

  it('is reported as unreadable if the part after the correct secret is wrong, and as no command if that part contains other characters than letters and digits', () => {
    expect(readCommand('SD7K2QXPRIMRAY', '7K2QX')).toEqual({ kind: 'unreadable' })
    expect(readCommand(`SD7K2QXVIA1000000?`, '7K2QX')).toEqual({ kind: 'none' })
  })

  it('is not found in other codes that begin with SD', () => {
    for (const code of ['SDUSRJANSEN', 'SDUSRHOME', 'SDTSTABQ', 'SD-1234', 'SD12345', 'SD7K2QXBOX', 'SD'])
      expect([code, readCommand(code, 'A1B2C').kind]).toEqual([code, 'none'])
  })

  it('has a secret of five characters, each of which encodes five bits', () => {
    const made = Array.from({ length: 32 }, (_, value) => commandSecretFrom(new Uint8Array(5).fill(value)))
    expect(new Set(made).size).toBe(32)
    for (const secret of made) expect(secret).toMatch(commandSecretForm)
    expect(commandSecretFrom(Uint8Array.of(255, 32, 31, 0, 1))).toBe('Z0Z01')
    expect(() => commandSecretFrom(new Uint8Array(4))).toThrow(RangeError)
  })

  it('is never read from the barcode of a command without a secret, even if the five characters after SD are the secret of the station', () => {
    const words = commands.map((command) => commandBarcode(command))
    for (const text of words) {
      const secret = text.slice(2, 7)
      if (commandSecretForm.test(secret)) expect(readCommand(text, secret).kind).not.toBe('command')
    }
  })
})

describe('the key of a command', () => {
  it('is different for thousands of ids, except that at most two of these ids may have the same key; it is also different for the parts `ab`, `c` and the parts `a`, `bc`', () => {
    const ids = Array.from({ length: count(2000, 20_000) }, (_, i) => {
      const hex = i.toString(16).padStart(12, '0')
      return commandKey(`0d0c3f2e-55a1-4c1e-9d0b-${hex}`)
    })
    // there are two billion possible keys, so the probability that two of 20,000 ids have the same key is about one
    // tenth
    expect(new Set(ids).size).toBeGreaterThanOrEqual(ids.length - 1)
    for (const id of ids) expect(id).toMatch(/^[0-9A-Z]{6}$/)
    expect(commandKey('ab', 'c')).not.toBe(commandKey('a', 'bc'))
  })

  it('selects the only entry with this key, and no entry if two entries have it', () => {
    const keyOf = (thing: string): string => thing.slice(0, 1)
    expect(onlyWithKey(['ax', 'by'], 'b', keyOf)).toBe('by')
    expect(onlyWithKey(['ax', 'ay'], 'a', keyOf)).toBeNull()
    expect(onlyWithKey(['ax'], 'c', keyOf)).toBeNull()
  })
})
