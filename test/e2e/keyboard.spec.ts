import { repeatedReadMs } from '#place/repeated-reads.ts'
import { expect, test } from '#support/app.ts'
import { enterByHand, tabTo, typeByHand } from '#support/keyboard.ts'
import { connectEmbedded } from '#support/service-client.ts'

test('an operator can log in, find a shipment and print its label with the keyboard alone', async ({
  page,
  desk,
}) => {
  await expect(page.getByRole('button', { name: 'Log in' })).toBeFocused()
  await enterByHand(page)
  await page.locator('html[data-screen="stage"]').waitFor()
  const service = await connectEmbedded(desk.dataDir)
  const reference = (await service.shipments(10))[7]?.reference ?? ''
  const field = page.getByRole('textbox').first()
  await tabTo(page, field)
  await typeByHand(page, reference)
  await enterByHand(page)
  await page.locator(`[data-shipment="${reference}"]`).waitFor()
  // after a slow look-up, the desk ignores an Enter until the operator has had the time to read the card
  await page.waitForTimeout(repeatedReadMs)
  await enterByHand(page)
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')
})
