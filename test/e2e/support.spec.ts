import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { expect, shot, test } from '#support/app.ts'

test('the support page opens from the login screen, lists the content of the support bundle and saves this bundle', async ({
  desk,
}) => {
  const { page } = desk
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'login')
  await page.getByRole('button', { name: 'Support' }).click()
  await expect(page.getByRole('heading', { name: 'Support', exact: true })).toBeVisible()
  const kinds = ['versions', 'settings', 'counts', 'errors', 'log']
  for (const kind of kinds) await expect(page.locator(`[data-file=${kind}]`)).toBeVisible()
  await expect(page.locator('ol')).toContainText('the app starts')
  // The list of log lines can be focused and scrolled without a mouse.
  await page.locator('ol').focus()
  await expect(page.locator('ol')).toBeFocused()

  await page.getByRole('button', { name: 'Save support bundle' }).click()
  await expect(page.locator('[data-support=saved]')).toBeVisible()
  const path = (await page.locator('.path').textContent()) ?? ''
  expect(path.startsWith(join(desk.dataDir, 'support'))).toBe(true)
  expect(existsSync(path)).toBe(true)
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
  const content = unzipSync(readFileSync(path))
  expect(Object.keys(content)).toEqual([
    ...['versions.json', 'settings.json', 'counts.json', 'errors.json', 'logs/desk.log'],
  ])
  expect(strFromU8(content['logs/desk.log'] ?? new Uint8Array())).toContain('the app starts')
  if (desk.engine === 'stand-in') {
    // The stand-in opens no file manager when the buttons `Show file` and `Show logs` are pressed. Electron would need
    // a file manager, which this system does not have.
    await page.getByRole('button', { name: 'Show file' }).click()
    await page.getByRole('button', { name: 'Show logs' }).click()
  }
  await expect(page.locator('[data-failure]')).toHaveCount(0)
  await shot(page, 'support')
  // The link to the set-up opens the page of the stations, not the support page, which was open before.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await expect(page.locator('[data-part=server]')).toBeVisible()
})

test('a changed log level is kept after a restart and already applies when the app starts', async ({
  desk,
}) => {
  await desk.restart({ fresh: true })
  const { page } = desk
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await page.getByRole('button', { name: 'Computer' }).click()
  await page.locator('[data-setting=logLevel]').getByText('error', { exact: true }).click()
  await desk.restart()
  const log = join(desk.dataDir, 'logs', 'desk.log')
  const starts = readFileSync(log, 'utf8').split('the app starts').length - 1
  expect(starts).toBe(1)
  await desk.page.getByRole('button', { name: 'Stations and servers' }).click()
  await desk.page.getByRole('button', { name: 'Computer' }).click()
  await expect(desk.page.locator('[data-setting=logLevel] input:checked + .mark + .words')).toHaveText(
    'error',
  )
})
