import type { Page } from '@playwright/test'
import { decode } from 'fast-png'
import { expect, it } from 'vitest'
import type { Bitmap } from '#labels/pixels/bitmap.ts'
import { readCommand } from '#shared/domain/commands.ts'
import { canDecodeLabels, readBitmap } from '#support/label-raster.ts'
import { useGallery } from '../gallery/use-gallery.ts'

// A station with a secret has the longest command barcodes. A scanner must be able to read them on the screen.
const gallery = useGallery()
const secret = '7K2QX'
const canDecode = await canDecodeLabels()
if (!canDecode) console.warn('barcodes on screens are not decoded: zbar-tools or poppler-utils are missing')

const screens = [
  'home-first',
  'help',
  'shipment',
  'label-printed',
  'label-decide',
  'label-failed',
  'article',
  'location',
  'ambiguous',
  'failed',
  'booking',
  'booked-done',
  'form-hand',
  'form-change',
  'list',
  'queue-outcome',
  'prints-unknown',
  'sheets',
  'leave-logout',
  'prints-move',
  'label-reprint-asked',
  'queue-waits',
  'booking-filling',
] as const

/**
 * Returns the picture in black and white and three times as large. zbar misses bars of one pixel, but a real scanner
 * reads them.
 */
function enlarged(png: Uint8Array): Bitmap {
  const { width, height, data, channels } = decode(png)
  const factor = 3
  const stride = Math.ceil((width * factor) / 8)
  const bytes = new Uint8Array(stride * height * factor)
  for (let y = 0; y < height * factor; y++)
    for (let x = 0; x < width * factor; x++) {
      const level = data[(Math.floor(y / factor) * width + Math.floor(x / factor)) * channels] ?? 255
      if (level < 128) bytes[y * stride + (x >> 3)] = (bytes[y * stride + (x >> 3)] ?? 0) | (128 >> (x & 7))
    }
  return { widthDots: width * factor, heightDots: height * factor, bytes }
}

/** Returns each command barcode on a screen once, with the text that zbar decodes from its pixels. */
async function drawnOn(page: Page): Promise<{ text: string; read: readonly string[] }[]> {
  const drawn: { text: string; read: readonly string[] }[] = []
  const dialog = page.locator('dialog[open]')
  // Reads only barcodes that can be scanned. Barcodes behind a dialog and barcodes of disabled commands are dimmed and
  // cannot be scanned.
  const place = (await dialog.count()) > 0 ? dialog : page
  for (const barcode of await place.locator('svg[data-barcode]:not(:disabled *)').all()) {
    const text = (await barcode.getAttribute('data-barcode')) ?? ''
    if (!text.startsWith('SD') || !(await barcode.isVisible())) continue
    const codes = await readBitmap(enlarged(await barcode.screenshot()))
    drawn.push({ text, read: codes.map((code) => code.text) })
  }
  return drawn
}

it.skipIf(!canDecode).each(screens)(
  'each command barcode on the screen %s contains the secret of the station and can be decoded',
  { timeout: 120_000 },
  async (screen) => {
    const page = await gallery.newPage()
    await gallery.show(page, screen, { language: 'nl', more: `&secret=${secret}` })
    const drawn = await drawnOn(page)
    await page.close()
    expect(drawn.length).toBeGreaterThan(0)
    for (const { text, read } of drawn) {
      expect([text, read]).toEqual([text, [text]])
      expect([text, readCommand(text, secret).kind]).toEqual([
        text,
        expect.stringMatching(/^(command|named)$/),
      ])
    }
  },
)

it('a new secret for command barcodes is created only if the operator confirms the question about it', async () => {
  const page = await gallery.newPage()
  await gallery.show(page, 'sheets-secret-asked')
  const question = page.getByText(
    'Every command sheet of this station that was printed until now stops working.',
  )
  await question.waitFor()
  await page.getByRole('button', { name: 'Keep this one' }).click()
  await question.waitFor({ state: 'detached' })
  const first = await page.locator('footer svg[data-barcode]').first().getAttribute('data-barcode')
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  await page.locator('footer svg[data-barcode^="SD3W8ZT"]').first().waitFor()
  expect(first).toMatch(/^SD7K2QX/)
  await page.close()
})
