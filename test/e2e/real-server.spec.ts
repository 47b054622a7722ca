import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { expect, shot, test } from '#support/app.ts'
import { labelFiles, readLabelFile } from '#support/label-folder.ts'
import { canDecodeLabels, readLabel } from '#support/label-raster.ts'
import { exitCode, firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { connect } from '#support/service-client.ts'
import { pressInAddressQuestions } from '#support/set-up-station.ts'

// These tests form one sequence on one desk.
test.describe.configure({ mode: 'serial' })

let server: Invitation
let process: ChildProcess
let serverData: string

test.beforeAll(async () => {
  serverData = mkdtempSync(join(tmpdir(), 'scandesk-server-'))
  process = spawnCli('--port', '0', '--data', serverData, '--seed', 'demo', '--sandbox')
  server = await firstLine(process)
})
test.afterAll(async () => {
  await stopServer()
  rmSync(serverData, { recursive: true, force: true })
})

async function stopServer(): Promise<void> {
  process.kill()
  await exitCode(process)
}

test('the setup tests the connection to a real server, shows what fails, and saves the station', async ({
  desk,
  page,
}) => {
  await page.locator('html[data-screen="login"]').waitFor()
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await page.getByLabel('Server address').fill(`${server.url}/foo`)
  await page.getByLabel('WMS code').fill(server.wms)
  await page.getByLabel('Customer code').fill(server.customer)
  await page.getByLabel('Name of this station').fill('Dock 4')
  const result = async (): Promise<string | null> => {
    await page.getByRole('button', { name: 'Test connection' }).click()
    return page.locator('[data-connection]').getAttribute('data-connection')
  }
  const environment = page.getByLabel('Result of the test').locator('[data-environment]')
  await pressInAddressQuestions(desk.app, 'cancel')
  await page.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.locator('[data-failure="setup.not_confirmed"]')).toBeVisible()
  await shot(page, 'setup-not-confirmed')
  await pressInAddressQuestions(desk.app, 'connect')
  // The result of the connection test has no details, because the address uses plain http and is not saved yet.
  expect(await result()).toBe('unreachable')
  await expect(page.getByText('The middleware cannot be reached at 127.0.0.1')).toBeVisible()
  await expect(environment).toHaveCount(0)
  await shot(page, 'setup-wrong-path')
  await page.getByLabel('Server address').fill(server.url.replace('http:', 'https:'))
  expect(await result()).toBe('no_tls')
  await expect(page.locator('[data-state=failed]')).toHaveAttribute('data-step', 'tls')
  await expect(environment).toHaveCount(0)
  await page.getByLabel('Server address').fill(server.url)
  expect(await result()).toBe('good')
  // The customer is not checked, because this requires a login.
  await expect(page.locator('[data-step=customer]')).toHaveAttribute('data-state', 'at_login')
  await expect(environment).toHaveAttribute('data-environment', 'production')
  await shot(page, 'setup-tested')
  await page.getByRole('button', { name: 'Save and use' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'login')
  await expect(page.getByText('Dock 4').first()).toBeVisible()
})

test('the setup marks every wrong field of a station when an operator tries to save the station', async ({
  page,
}) => {
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await page.getByLabel('Server address').fill('ftp://wms.example.com')
  await page.getByRole('button', { name: 'Save and use' }).click()
  await expect(page.locator('form [aria-invalid=true]')).toHaveCount(4)
  await expect(page.getByLabel('Server address')).toBeFocused()
  await expect(page.getByText('The address must start with https://')).toBeVisible()
  await page.getByLabel('Server address').fill('')
  await page.getByRole('button', { name: 'Back to login' }).click()
})

test('a login with a wrong password shows an explanation, and the form keeps the user name', async ({
  page,
}) => {
  await page.getByLabel('Username').fill(server.username)
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue(server.username)
  await shot(page, 'login-refused')
  await page.getByLabel('Password').fill(server.password ?? '')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'stage')
})

test('a desk without a connection to its server prints an existing label again and finds a shipment', async ({
  page,
  desk,
}) => {
  const service = await connect(server.url)
  const [first, second] = await service.shipments(20)
  if (!first || !second) throw new Error('the demo has no shipments')
  await scan(page, first.reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')
  const [original] = labelFiles(desk.dataDir)
  await scanCommand(page, 'HOME')
  await expect(page.getByText(/\d+ shipments on this desk/)).toBeVisible()
  await scan(page, first.reference)
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')

  await stopServer()
  await scanCommand(page, 'REPRINT')
  await scanCommand(page, 'DAMAGED')
  await expect.poll(() => labelFiles(desk.dataDir).length).toBe(2)
  const copy = labelFiles(desk.dataDir).find((name) => name !== original)
  // The second print is marked as a copy and has the same barcodes as the first print.
  const [printed, reprinted] = [original, copy].map((name) => readLabelFile(desk.dataDir, name ?? ''))
  expect(reprinted).not.toEqual(printed)
  if (await canDecodeLabels())
    expect((await readLabel(reprinted ?? new Uint8Array())).codes).toEqual(
      (await readLabel(printed ?? new Uint8Array())).codes,
    )
  await shot(page, 'reprinted-offline')

  await scan(page, second.reference)
  await expect(page.locator(`[data-shipment="${second.reference}"]`)).toBeVisible()
  await expect(page.getByText('Offline').first()).toBeVisible()
  await shot(page, 'shipment-offline')
})

test('a label that is made without a connection waits, and the screen counts this label among the waiting writes', async ({
  page,
}) => {
  await scanCommand(page, 'PRIMARY')
  await expect(page.getByText('2 waiting').first()).toBeVisible()
  await shot(page, 'label-waits')
})

test('a restart without a connection returns to the same station and does not start the sandbox', async ({
  desk,
}) => {
  const settings = z.object({ sandboxPort: z.number() })
  const { sandboxPort } = settings.parse(
    JSON.parse(readFileSync(join(desk.dataDir, 'settings.json'), 'utf8')),
  )
  await desk.restart()
  await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'stage')
  await expect(desk.page.getByText('Dock 4').first()).toBeVisible()
  await expect(desk.page.getByText('2 waiting').first()).toBeVisible()
  await expect(fetch(`http://127.0.0.1:${sandboxPort}/`)).rejects.toThrow()
})
