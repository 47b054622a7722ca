import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '#support/app.ts'
import { hasSocat, plugIn, type Pty } from '#support/pty.ts'
import { byHand } from '#support/keyboard.ts'

// The tests form one sequence on one desk with one scanner, which is a pseudo-terminal.
test.describe.configure({ mode: 'serial' })
test.skip(!hasSocat, 'socat is missing on this machine')
test.use({ deskPreloads: [resolve(import.meta.dirname, '../support/ptys-are-serial.cjs')] })

let folder: string
let pty: Pty

test.beforeAll(async () => {
  // The device is in /dev/shm, because the desk opens only ports below /dev.
  folder = mkdtempSync('/dev/shm/scandesk-serial-e2e-')
  if (hasSocat) pty = await plugIn(join(folder, 'scanner'))
})
test.afterAll(async () => {
  if (hasSocat) await pty.unplug()
  rmSync(folder, { recursive: true })
})

/** Expects these scans in the rail (the list of earlier scans), the newest first. */
async function scanned(page: Page, ...raws: readonly string[]): Promise<void> {
  await expect
    .poll(async () => {
      const texts = await page.locator('[data-rail]').allTextContents()
      return raws.map((raw) => texts.findIndex((text) => text.includes(raw)))
    })
    .toEqual(raws.map((_, at) => at))
}

test('a serial scanner that is in the settings works after the next start', async ({ desk }) => {
  await desk.page.locator('html[data-screen="login"]').waitFor()
  await desk.page.keyboard.press('Enter', byHand)
  await desk.page.locator('html[data-screen="stage"]').waitFor()
  const file = join(desk.dataDir, 'settings.json')
  await desk.restart({
    between: () => {
      const settings = JSON.parse(readFileSync(file, 'utf8')) as object
      const scanner = { id: 'dock', title: 'Dock', settings: { path: pty.path, baudRate: 9600 } }
      writeFileSync(file, JSON.stringify({ ...settings, scanners: [scanner] }))
    },
  })
  await desk.page.locator('html[data-screen="stage"]').waitFor()
  // The scanner also works while the window does not have the focus.
  await desk.page.evaluate(() => {
    window.dispatchEvent(new Event('blur'))
  })
  await pty.send('SERIAL-1\r\nSERIAL-2\r\n')
  await scanned(desk.page, 'SERIAL-2', 'SERIAL-1')
})

test('scans during a reload of the window keep their order, and each scan is handled once', async ({
  desk,
}) => {
  await Promise.all([desk.page.reload(), pty.send('SERIAL-3\rSERIAL-4\rSERIAL-5\r')])
  await scanned(desk.page, 'SERIAL-5', 'SERIAL-4', 'SERIAL-3', 'SERIAL-2', 'SERIAL-1')
})

test('the status bar reports an unplugged serial scanner, and the scanner works again after it is plugged in', async ({
  desk,
}) => {
  const lost = desk.page.locator('[data-lost-scanners]')
  await expect(lost).toHaveCount(0)
  await pty.unplug()
  await expect(lost).toContainText('unplugged')
  pty = await plugIn(pty.path)
  await expect(lost).toHaveCount(0)
  await pty.send('SERIAL-6\r')
  await scanned(desk.page, 'SERIAL-6', 'SERIAL-5')
})

test('the setup of scanners shows the received text with a mark for GS, and does not handle the text as a scan', async ({
  desk,
}) => {
  await pty.unplug()
  await desk.page.locator('[data-lost-scanners]').click()
  await expect(desk.page.locator('[data-scanner-trouble="stop"]')).toBeVisible()
  pty = await plugIn(pty.path)
  await expect(desk.page.locator('[data-scanner-row="dock"]')).toContainText('Ready')
  await pty.send(']C110A\u001d21B\r')
  await expect(desk.page.locator('[data-arrival] mark')).toHaveText('<GS>')
  await desk.page.keyboard.press('Escape')
  await scanned(desk.page, 'SERIAL-6', 'SERIAL-5')
})
