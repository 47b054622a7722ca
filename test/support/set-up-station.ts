import type { ElectronApplication, Page } from '@playwright/test'
import type { MessageBoxOptions } from 'electron'
import { type Desk, expect } from './app.ts'
import type { Invitation } from './middleware-children.ts'

export type OpenDesk = Pick<Desk, 'app' | 'page'>

/**
 * Until the app ends, answers each dialog in which main asks about a new address with this button. Without this
 * replacement the Electron stand-in would cancel every dialog, and a real Electron would wait for a person. Returns a
 * function that reads the texts of the dialogs that main has opened since.
 */
export async function pressInAddressQuestions(
  app: ElectronApplication,
  button: 'connect' | 'cancel',
): Promise<() => Promise<MessageBoxOptions[]>> {
  await app.evaluate(({ dialog }, button) => {
    const asked: MessageBoxOptions[] = []
    Reflect.set(globalThis, 'askedAddresses', asked)
    const press = (first: unknown, second?: unknown): Promise<unknown> => {
      const question = (second ?? first) as MessageBoxOptions
      asked.push(question)
      const response = (question.buttons ?? []).findIndex(
        (_, at) => (at === question.cancelId) === (button === 'cancel'),
      )
      return Promise.resolve({ response, checkboxChecked: false })
    }
    Reflect.set(dialog, 'showMessageBox', press)
  }, button)
  return () => app.evaluate(() => Reflect.get(globalThis, 'askedAddresses') as MessageBoxOptions[])
}

/**
 * Connects the desk to a server on the setup screen like a person, who finds the fields by their labels. Confirms the
 * server's address.
 */
export async function setUpStation({ app, page }: OpenDesk, server: Invitation, name: string): Promise<void> {
  await pressInAddressQuestions(app, 'connect')
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
