import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from '#support/app.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { connectEmbedded } from '#support/service-client.ts'
import { byHand } from '#support/keyboard.ts'

test.describe.configure({ mode: 'serial' })

async function violations(page: Page): Promise<string[]> {
  // In legacy mode axe runs completely in the page itself. The default mode needs a second page, which the app does not
  // allow.
  const { violations: found } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return found.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.target.join(' ')).join(', ')}`)
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the screens from the login to a printed label violate no accessibility rule of axe (${colorScheme})`, async ({
    page,
    desk,
  }) => {
    await page.emulateMedia({ colorScheme })
    await page.locator('html[data-screen="login"]').waitFor()
    expect(await violations(page), 'login').toEqual([])
    await page.getByRole('button', { name: 'Stations and servers' }).click()
    expect(await violations(page), 'setup').toEqual([])
    await page.getByRole('button', { name: 'Back to login' }).click()
    await page.keyboard.press('Enter', byHand)
    await page.locator('html[data-screen="stage"]').waitFor()
    expect(await violations(page), 'home').toEqual([])
    const service = await connectEmbedded(desk.dataDir)
    const shipment = (await service.shipments(10))[colorScheme === 'light' ? 4 : 5]
    await scan(page, shipment?.reference ?? '')
    await page.locator(`[data-shipment="${shipment?.reference ?? ''}"]`).waitFor()
    expect(await violations(page), 'shipment').toEqual([])
    await scanCommand(page, 'PRIMARY')
    await page.locator('[data-phase="printed"]').waitFor()
    expect(await violations(page), 'printed').toEqual([])
    await scan(page, 'NOBODY-KNOWS-THIS')
    await page.getByText('NOBODY-KNOWS-THIS').first().waitFor()
    expect(await violations(page), 'unknown').toEqual([])
    await scanCommand(page, 'LOGOUT')
    await page.locator('html[data-screen="login"]').waitFor()
  })
}
