import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Shipment } from '#shared/wire/shipment.ts'
import { expect, shot, test } from '#support/app.ts'
import { labelFiles } from '#support/label-folder.ts'
import { type Meddle, MeddledMiddleware } from '#support/meddled-middleware.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { connect, type ServiceClient } from '#support/service-client.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'

// These tests use one desk and one server with manipulated responses. Each test causes a different fault and removes it
// again.
test.describe.configure({ mode: 'serial' })

let server: MeddledMiddleware
let service: ServiceClient
let shipments: Shipment[]

const answer = (status: number, body: string, type = 'application/json'): ReturnType<Meddle> => ({
  kind: 'answer',
  status,
  type,
  body,
})
const mended: Meddle = () => null
const password = (): string => server.invitation.password ?? ''

test.beforeAll(async () => {
  server = await MeddledMiddleware.start()
  service = await connect(server.truth)
  shipments = await service.shipments(20)
})
test.afterAll(() => server.stop())
test.afterEach(() => {
  server.meddle = mended
})

function untouched(): Shipment {
  const found = shipments.shift()
  if (!found) throw new Error('the demo has too few shipments for this file')
  return found
}

test('the login screen reports an unknown WMS code, and the login form keeps the user name', async ({
  desk,
  page,
}) => {
  await setUpStation(desk, { ...server.invitation, wms: 'NOPE' }, 'Typo')
  await page.getByLabel('Username').fill('desk')
  await page.getByLabel('Password').fill(password())
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.locator('[data-failure="session.unknown_wms"]')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue('desk')
  await shot(page, 'bad-unknown-wms')
})

test('a wrong password leads to the message for wrong credentials on the login screen', async ({
  desk,
  page,
}) => {
  await setUpStation(desk, server.invitation, 'Dock 7')
  await page.getByLabel('Username').fill('desk')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.locator('[data-failure="session.invalid_credentials"]')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue('desk')
  await logIn(page, 'desk', password())
})

test('a desk creates a label only once, even if the response to its creation was truncated', async ({
  page,
}) => {
  const shipment = untouched()
  let garbled = 0
  server.meddle = (method, path) => {
    if (method !== 'POST' || !path.startsWith('/wms/return-labels/') || garbled > 0) return null
    garbled++
    return { kind: 'garbled' }
  }
  await scan(page, shipment.reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase="printed"]')).toBeVisible({ timeout: 20_000 })
  expect(garbled).toBe(1)
  expect(await service.returnLabelsOf(shipment.id)).toHaveLength(1)
})

test('a label whose document is not a PDF is printed only after the service returns a PDF', async ({
  page,
  desk,
}) => {
  const shipment = untouched()
  const before = labelFiles(desk.dataDir).length
  server.meddle = (_, path) =>
    path.startsWith('/wms/files/') ? answer(200, '<html>sorry</html>', 'application/pdf') : null
  await scan(page, shipment.reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-outcome="stop"], [data-outcome="look"]')).toBeVisible()
  await expect(page.getByText('document.not_a_pdf')).toBeVisible()
  await shot(page, 'bad-not-a-pdf')
  expect(labelFiles(desk.dataDir)).toHaveLength(before)
  server.meddle = mended
  await scanCommand(page, 'HOME')
  await scan(page, shipment.reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase="printed"]')).toBeVisible({ timeout: 20_000 })
  expect(labelFiles(desk.dataDir)).toHaveLength(before + 1)
  expect(await service.returnLabelsOf(shipment.id)).toHaveLength(1)
})

test('a label that could not be printed is printed automatically after the fault is removed', async ({
  page,
  desk,
}) => {
  const folder = join(desk.dataDir, 'labels')
  rmSync(folder, { recursive: true, force: true })
  writeFileSync(folder, 'in the way')
  await scan(page, untouched().reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase="not_printed"]')).toBeVisible()
  await shot(page, 'bad-printer-refused')
  rmSync(folder)
  await expect(page.locator('[data-phase="printed"]')).toBeVisible({ timeout: 20_000 })
  expect(labelFiles(desk.dataDir)).toHaveLength(1)
})

test('a label that an operator makes without a connection waits, and is created and printed after the outage', async ({
  page,
}) => {
  const shipment = untouched()
  await scanCommand(page, 'HOME')
  await expect(page.getByText(/\d+ shipments on this desk/)).toBeVisible()
  await server.goOffline()
  await scan(page, shipment.reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase="waiting"]')).toBeVisible({ timeout: 20_000 })
  await shot(page, 'bad-middleware-gone')
  await server.goOnline()
  await expect(page.locator('[data-phase="printed"]')).toBeVisible({ timeout: 30_000 })
  expect(await service.returnLabelsOf(shipment.id)).toHaveLength(1)
})

test('an unknown code remains in the input field so that the operator can correct the code', async ({
  page,
}) => {
  await scan(page, 'QX-NOBODY-7')
  await expect(page.locator('[data-unknown="QX-NOBODY-7"]')).toBeVisible()
  await expect(page.getByRole('textbox').first()).toHaveValue('QX-NOBODY-7')
})

test('a label waits if the service refuses both tokens of the login, and is printed after a new login', async ({
  page,
}) => {
  const shipment = untouched()
  server.meddle = (_, path) => {
    if (path.startsWith('/wms/auth/refresh'))
      return answer(401, '{"code":401,"message":"Invalid JWT Refresh Token"}')
    return path.startsWith('/wms/auth/') ? null : answer(401, '{"code":401,"message":"Invalid JWT Token"}')
  }
  await scanCommand(page, 'HOME')
  await scan(page, shipment.reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase="login"]')).toBeVisible({ timeout: 20_000 })
  await shot(page, 'bad-session-over')
  server.meddle = mended
  await page.getByRole('button', { name: 'Log in' }).first().click()
  await logIn(page, 'desk', password())
  await expect(page.locator('[data-phase="printed"]')).toBeVisible({ timeout: 20_000 })
  expect(await service.returnLabelsOf(shipment.id)).toHaveLength(1)
})
