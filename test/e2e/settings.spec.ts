import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandBarcode } from '#shared/domain/commands.ts'
import { expect, shot, test, type Desk } from '#support/app.ts'
import { scan } from '#support/scan.ts'
import { byHand } from '#support/keyboard.ts'

const folder = mkdtempSync(join(tmpdir(), 'scandesk-set-up-'))
const setUpFile = join(folder, 'scandesk.provision.json')
const station = { name: 'Dock', baseUrl: 'https://wms.example.com', wmsCode: 'LIVE', customerCode: 'ACME' }

test.use({ deskArgs: [`--provision=${setUpFile}`] })

test.afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Presses Enter on the element that has the focus on the login screen. Expects that this opens the set-up and does not
 * log in. Then returns to the login screen.
 */
async function pressEnter({ page }: Desk): Promise<void> {
  await page.keyboard.press('Enter', byHand)
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'setup')
  await page.keyboard.press('Escape')
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'login')
}

test('a set-up file that is configured but does not exist blocks the sandbox, and the login screen shows the reason', async ({
  desk,
}) => {
  const notice = desk.page.locator('[data-setup-notice=holds]')
  await expect(notice).toContainText('The set-up file of this PC was refused')
  await expect(notice).toContainText('The file is not there. Nothing of it was taken.')
  await expect(notice).toContainText(setUpFile)
  await expect(desk.page.getByLabel('Username')).toHaveCount(0)
  await pressEnter(desk)
  // Nothing logs in here: not Enter on the keyboard, not the Enter that the scanner sends after a code, and not the
  // command barcode that logs in at a sandbox.
  for (const raw of ['SHP00000000345', commandBarcode('PRIMARY')]) {
    await scan(desk.page, raw)
    await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'login')
    await expect(notice).toBeVisible()
  }
})

test('a wrong set-up file is refused at every start, with the place of the mistake: line and column, or the station', async ({
  desk,
}) => {
  const write = (text: string): void => writeFileSync(setUpFile, text)
  for (const text of [
    '{\n  "keepDays": 30\n  "language": "nl"\n}',
    '{\n  "keepDays": 30\n  "language": "nl"\n}',
  ]) {
    await desk.restart({ between: () => write(text) })
    await expect(desk.page.locator('[data-setup-notice=holds]')).toContainText('Line 3, column 3')
  }
  await shot(desk.page, 'set-up-file-refused')
  await desk.restart({
    between: () => write(JSON.stringify({ stations: [{ ...station, baseUrl: 'http://wms.example.com' }] })),
  })
  await expect(desk.page.locator('[data-setup-notice=holds]')).toContainText(
    'Station 1 “Dock”: the address (“baseUrl”) must begin with https:// (http:// is allowed for this PC only).',
  )
  await pressEnter(desk)
})

test('practice in the sandbox requires a confirmation, but only once for the same set-up file', async ({
  desk,
}) => {
  const { page } = desk
  await page.getByRole('button', { name: 'Use for practice only' }).click()
  await expect(
    page.getByText('nothing that is scanned, booked or labelled there reaches a warehouse'),
  ).toBeVisible()
  // The notice is hidden and the button that shows it again has the focus. The Enter presses this button.
  await page.keyboard.press('Enter', byHand)
  await expect(page.getByText('was refused')).toBeVisible()
  await page.getByRole('button', { name: 'Use for practice only' }).click()
  await page.getByRole('button', { name: 'Practise in the sandbox' }).click()
  await expect(page.getByLabel('Username')).not.toHaveValue('')
  await desk.restart()
  await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'login')
  await expect(desk.page.locator('[data-setup-notice]')).toHaveCount(0)
})

test('a correct set-up file ends the practice in the sandbox, and the desk starts with the station of the file', async ({
  desk,
}) => {
  await desk.restart({ between: () => writeFileSync(setUpFile, JSON.stringify({ stations: [station] })) })
  await expect(desk.page.getByRole('heading', { name: 'Dock' })).toBeVisible()
  await expect(desk.page.locator('[data-setup-notice]')).toHaveCount(0)
})

test('a truncated settings.json is kept as a copy, and a notice lists the settings that are lost', async ({
  desk,
}) => {
  const file = join(desk.dataDir, 'settings.json')
  const whole = readFileSync(file, 'utf8')
  const half = whole.slice(0, whole.length / 2)
  await desk.restart({ between: () => writeFileSync(file, half) })
  await expect(desk.page.getByRole('heading', { name: 'Dock' })).toBeVisible()
  expect(readFileSync(`${file}.1.bak`, 'utf8')).toBe(half)
  const notice = desk.page.locator('[data-setup-notice=works]')
  await expect(notice).toContainText('put back what it names')
  await expect(notice).toContainText('serial scanners')
  await expect(notice).toContainText('settings.json.1.bak')
  await shot(desk.page, 'settings-restored')
})

test('a PC that lost its settings and has an empty set-up file has no station until a person selects the sandbox', async ({
  desk,
}) => {
  const file = join(desk.dataDir, 'settings.json')
  await desk.restart({
    between: () => {
      // A set-up file without settings removes no settings.
      writeFileSync(setUpFile, '{}')
      writeFileSync(file, '{"language":"nl", broken')
    },
  })
  expect(readFileSync(`${file}.2.bak`, 'utf8')).toBe('{"language":"nl", broken')
  for (const start of ['first', 'second']) {
    if (start === 'second') await desk.restart()
    const notice = desk.page.locator('[data-setup-notice=holds]')
    await expect(notice).toContainText('settings.json.2.bak')
    await expect(desk.page.getByRole('heading', { name: 'This PC has no station to work at' })).toBeVisible()
    await pressEnter(desk)
  }
  await shot(desk.page, 'settings-lost')
  const { page } = desk
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await expect(page.locator('[data-lost]')).toContainText('settings.json.2.bak')
  await page.locator('[data-station=sandbox]').getByRole('button', { name: 'Use' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'login')
  // The login screen moves the focus to the login button when it has filled in the login of the sandbox.
  await expect(page.locator('form button[type=submit]')).toBeFocused()
  await page.keyboard.press('Enter', byHand)
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'stage')
})
