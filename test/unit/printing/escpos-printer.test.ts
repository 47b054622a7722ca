import { describe, expect, it } from 'vitest'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import { escposJob, escposStatus } from '#printing/escpos-printer.ts'
import type { RawConnection } from '#printing/raw-connection.ts'
import { escposBytes } from '#support/escpos-bytes.ts'
import { turnsDuring } from '#support/turns.ts'

const black = (widthDots: number, heightDots: number): Bitmap => ({
  widthDots,
  heightDots,
  bytes: new Uint8Array(Math.ceil(widthDots / 8) * heightDots).fill(0xff),
})
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const init = '1b40'
const feedCutInit = '1b64041d56001b40'

describe('the ESC/POS printer', () => {
  describe('the bytes of a job', () => {
    it('are, for one label, a reset, a raster, a feed and a cut', async () => {
      expect(hex(await escposBytes([black(16, 3)]))).toBe(
        `${init}1d76300002000300${'ff'.repeat(6)}${feedCutInit}`,
      )
    })

    it('contain a cut after each label', async () => {
      expect(hex(await escposBytes([black(8, 1), black(8, 2)]))).toBe(
        `${init}1d76300001000100ff${feedCutInit}1d76300001000200ffff${feedCutInit}`,
      )
    })

    it('contain a raster of more than 256 rows in bands of 256 rows', async () => {
      const bands = `1d76300001000001${'ff'.repeat(256)}1d76300001000001${'ff'.repeat(256)}1d76300001000100ff`
      expect(hex(await escposBytes([black(8, 513)]))).toBe(`${init}${bands}${feedCutInit}`)
    })

    it('contain the correct raster width for labels of 2048 dots and more', async () => {
      expect(hex(await escposBytes([black(2048, 1)])).slice(4, 20)).toBe('1d76300000010100')
      expect(hex(await escposBytes([black(2056, 1)])).slice(4, 20)).toBe('1d76300001010100')
    })

    it('contain nothing of the previous job', async () => {
      const first = hex(await escposBytes([black(8, 1)]))
      await escposBytes([black(16, 9)])
      expect(hex(await escposBytes([black(8, 1)]))).toBe(first)
    })

    it('are encoded with at most one label per turn of the event loop', async () => {
      const labels = Array.from({ length: 10 }, () => black(16, 2))
      expect(await turnsDuring(escposBytes(labels))).toBeGreaterThanOrEqual(9)
    })

    it('are produced in pieces of at most one label, so that no step copies the whole job', async () => {
      const longest: number[] = []
      for (const count of [1, 50]) {
        const lengths: number[] = []
        for await (const piece of escposJob(Array.from({ length: count }, () => black(832, 1_218))))
          lengths.push(piece.length)
        longest.push(Math.max(...lengths))
      }
      expect(longest[1]).toBe(longest[0])
    })
  })

  it('the printer has a readable status even if it sends bytes without end', async () => {
    let hear: (bytes: Uint8Array) => void = () => undefined
    const flood = new Uint8Array(1_000_000).fill(0x12)
    const connection = {
      onBytes: (listener: (bytes: Uint8Array) => void) => void (hear = listener),
      write: () => {
        hear(flood)
        return Promise.resolve(null)
      },
      until: (arrange: (done: () => void) => void) => new Promise<void>((done) => arrange(done)),
    }
    const status = escposStatus(connection as unknown as RawConnection)
    // the job has more bytes than an array can contain, so the test would fail if it stored each byte
    for (let piece = 0; piece < 200; piece++) hear(flood)
    expect(await status.now(1_000)).toEqual({ cause: null, text: 'DLE EOT 12 12 12 12' })
  })
})
