import type { Page } from '@playwright/test'
import { expect } from './app.ts'
import type { Invitation } from './middleware-children.ts'

/** Connects the desk to a server on the setup screen, by keyboard and labels like a person. */
export async function setUpStation(page: Page, server: Invitation, name: string): Promise<void> {
  await page.locator('html[data-screen="login"]').waitFor()
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await page.getByLabel('Server address').fill(server.url)
  await page.getByLabel('WMS code').fill(server.wms)
  await page.getByLabel('Customer code').fill(server.customer)
  await page.getByLabel('Name of this station').fill(name)
  await page.getByRole('button', { name: 'Save and use' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'login')
  await expect(page.getByText(name).first()).toBeVisible()
}

/** Fills the login form and waits for the stage. */
export async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'stage')
}
