import { expect, test } from '#support/app.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { connectEmbedded } from '#support/service-client.ts'
import { byHand } from '#support/keyboard.ts'

test('a restart keeps the login, the scans and the port of the sandbox', async ({ desk }) => {
  await desk.page.locator('html[data-screen="login"]').waitFor()
  await desk.page.keyboard.press('Enter', byHand)
  await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'stage')
  const before = await connectEmbedded(desk.dataDir)
  const [shipment] = await before.shipments(1)
  await scan(desk.page, shipment?.reference ?? '')
  await expect(desk.page.locator(`[data-shipment="${shipment?.reference ?? ''}"]`)).toBeVisible()
  await desk.restart()
  await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'stage')
  await expect(desk.page.getByText(shipment?.reference ?? '').first()).toBeVisible()
  expect((await connectEmbedded(desk.dataDir)).url).toBe(before.url)
})

test('the next start after a logout shows the login screen', async ({ desk }) => {
  await scanCommand(desk.page, 'LOGOUT')
  await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'login')
  await desk.restart()
  await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'login')
})

test('a page whose process has ended loads again', async ({ desk }) => {
  // Playwright cannot use a page that has crashed, so the test reads it through main
  const screenOf = (): Promise<unknown> =>
    desk.app.evaluate(async ({ BrowserWindow }) => {
      const script = 'performance.timeOrigin + " " + document.documentElement.dataset.screen'
      const loaded: unknown = await BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(script)
      return loaded
    })
  await expect.poll(screenOf).toMatch(/ login$/)
  const before = await screenOf()
  await desk.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer()
  })
  // Repeats the check, because the script cannot run between the crash and the load of the new page.
  await expect(async () => {
    const after = await screenOf()
    expect(after).not.toBe(before)
    expect(after).toMatch(/ login$/)
  }).toPass()
  await desk.restart()
})
