import type { Locator, Page } from '@playwright/test'

/**
 * Makes Playwright hold a key as long as a person does. Without it, the desk takes Enter or a space for a key of a
 * scanner (`heldMs` in src/shared/domain/wedge/lone-keys.ts).
 */
export const byHand = { delay: 60 }

/**
 * Moves the focus with Tab. Waits 100 ms before the first Tab and after each Tab, because the desk stops keys that
 * follow each other faster than an operator presses them (src/shared/domain/wedge/lone-keys.ts).
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  await page.waitForTimeout(100)
  for (let i = 0; i < 60; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
    await page.waitForTimeout(100)
  }
  throw new Error('Tab does not lead there')
}

/** Types like a person: slower than any scanner, and at an uneven pace. */
export async function typeByHand(page: Page, text: string): Promise<void> {
  for (const [index, character] of Array.from(text).entries()) {
    await page.keyboard.press(character)
    await page.waitForTimeout(120 + (index % 3) * 60)
  }
}

/**
 * Presses Enter 100 ms after the previous key, like a person. The desk treats an Enter within 60 ms of another key as
 * part of a barcode (src/shared/domain/wedge/lone-keys.ts), and a test without this pause can be that fast.
 * @param target - gets the focus first; without it, Enter acts on the element that has the focus
 */
export async function enterByHand(page: Page, target?: Locator): Promise<void> {
  await page.waitForTimeout(100)
  await (target ?? page.keyboard).press('Enter', byHand)
}
