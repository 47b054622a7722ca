import type { Locator, Page } from '@playwright/test'

/** By Tab alone, as far as it takes. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let i = 0; i < 60; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead there')
}

/** As a hand types: slower than any scanner, and unevenly. */
export async function typeByHand(page: Page, text: string): Promise<void> {
  for (const [index, character] of Array.from(text).entries()) {
    await page.keyboard.press(character)
    await page.waitForTimeout(120 + (index % 3) * 60)
  }
}
