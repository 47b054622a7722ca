import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Command, commandBarcode } from '#shared/domain/commands.ts'
import { count } from '#support/counts.ts'
import { readScan } from '#place/station-commands.svelte.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import { signedIn } from '#support/memory-desk/station.ts'
import { ModificationState } from '#features/modification/modification.state.svelte.ts'
import { echoText } from '#features/modification/booking-text.ts'
import { parseQuantity } from '#features/modification/number-entry.svelte.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const oats = '8712345678906'
const drink = '8712345678913'
const words: readonly Command[] = [
  'ZERO',
  'ONE',
  'TWO',
  'THREE',
  'FOUR',
  'FIVE',
  'SIX',
  'SEVEN',
  'EIGHT',
  'NINE',
]

let desk: MemoryDesk
let sounds: string[]
let commands: Command[]
let booking: ModificationState

async function begin(): Promise<void> {
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    session: signedIn,
    variants: sampleVariants(nowMs),
    locations: sampleLocations(nowMs),
  })
  sounds = []
  commands = []
  booking = new ModificationState({
    bridge: desk.bridge,
    session: () => signedIn,
    stationId: () => undefined,
    play: (sound) => sounds.push(sound),
    nowMs: () => nowMs,
    onCommand: (command) => commands.push(command),
    onRefused: (command) => commands.push(command),
    onElsewhere: () => undefined,
    onScanned: () => undefined,
  })
  await booking.load()
}

beforeEach(begin)

async function scan(...codes: string[]): Promise<void> {
  for (const code of codes) await booking.scan(readScan(code))
}

/** The barcodes of the digits of a number, in the order in which an operator scans them from the sheet. */
function digits(number: number): string[] {
  return Array.from(String(number), (digit) => commandBarcode(words[Number(digit)] ?? 'ZERO'))
}

function quantities(): number[] {
  return (booking.draft?.lines ?? []).map(({ quantity }) => quantity)
}

function said(): string {
  return booking.echo ? echoText(booking.echo, booking.draft) : ''
}

describe('a number of pieces that is scanned digit by digit', () => {
  it('becomes the quantity of the last scanned line at ENTER, and UNDO restores the old quantity', async () => {
    await scan(drink, oats, ...digits(12))
    expect(quantities()).toEqual([1, 1])
    expect(said()).toContain('12 ×')
    await scan('SDCMDENTER')
    expect(quantities()).toEqual([1, 12])
    await scan('SDCMDUNDO')
    expect(quantities()).toEqual([1, 1])
  })

  it('becomes a negative quantity if MINUS was scanned before the article', async () => {
    await scan('SDCMDMINUS', oats, ...digits(7), 'SDCMDENTER')
    expect(quantities()).toEqual([-7])
  })

  it('becomes a negative quantity if the reason is LOST, which allows only removals', async () => {
    await scan('SDCMDLOST', oats, ...digits(3), 'SDCMDENTER')
    expect(quantities()).toEqual([-3])
  })

  it.each(['SDCMDCLEAR', 'SDCMDUNDO', 'SDCMDHOME'])(
    'is dropped by the command %s, which does nothing else in this case',
    async (code) => {
      await scan(oats, ...digits(45), code)
      expect(quantities()).toEqual([1])
      expect(commands).toEqual([])
      await scan('SDCMDENTER')
      expect(quantities()).toEqual([1])
      expect(sounds.at(-1)).toBe('look')
    },
  )

  it('is dropped with a sound when another article is scanned before ENTER', async () => {
    await scan(oats, ...digits(45), drink)
    expect(said()).toMatch(/45/)
    expect(sounds.at(-1)).toBe('look')
    await scan('SDCMDENTER')
    expect(quantities()).toEqual([1, 1])
  })

  it('prevents booking until ENTER applies it', async () => {
    await scan('SDCMDCORRECTION', 'A-03-2', oats, ...digits(5), 'SDCMDPRIMARY')
    expect(desk.world.modifications).toHaveLength(0)
    expect(booking.echo?.kind).toBe('number_waits')
    await scan('SDCMDENTER', 'SDCMDPRIMARY')
    expect(desk.world.modifications[0]?.lines.map(({ quantity }) => quantity)).toEqual([5])
  })

  it('is refused without an article, and has at most five digits', async () => {
    await scan(...digits(5), 'SDCMDENTER')
    expect([quantities(), booking.echo?.kind]).toEqual([[], 'number_none'])
    await scan(oats, ...digits(99999))
    expect(sounds.at(-1)).toBe('done')
    await scan(...digits(1))
    expect(sounds.at(-1)).toBe('look')
    await scan('SDCMDENTER')
    expect(quantities()).toEqual([99999])
  })

  it('removes the line of the article if the number is zero', async () => {
    await scan(oats, ...digits(0), 'SDCMDENTER')
    expect(quantities()).toEqual([])
  })

  it('is entered only with command barcodes, and not with other barcodes that contain digits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(oats, '4006381333931', '12', '007', 'A-03-2'), { maxLength: 12 }),
        async (codes) => {
          await begin()
          await scan(oats, ...codes)
          expect(quantities()).toEqual([1 + codes.filter((code) => code === oats).length])
        },
      ),
      { seed: 5, numRuns: count(20, 500) },
    )
  })
})

describe('parseQuantity()', () => {
  it.each([
    ['3', 3],
    [' -2 ', -2],
    ['−12', -12],
    ['+7', 7],
    ['0', 0],
    ['99999', 99_999],
  ])('accepts the text “%s” as a number of pieces', (text, quantity) => {
    expect(parseQuantity(text)).toBe(quantity)
  })

  it.each(['', '-', '8712345678906', '100000', '1.5', '2x', '--2', '1 2', '0142', '00', '-07'])(
    'refuses the text “%s”',
    (text) => {
      expect(parseQuantity(text)).toBeNull()
    },
  )
})
