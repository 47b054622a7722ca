import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '#support/app.ts'

test('settings that cannot be read are put aside, and the desk opens', async ({ desk }) => {
  await desk.page.locator('html[data-screen="login"]').waitFor()
  const file = join(desk.dataDir, 'settings.json')
  await desk.restart({
    between: () => writeFileSync(file, '{"language":"nl", broken'),
  })
  await expect(desk.page.locator('html')).toHaveAttribute('data-screen', 'login')
  expect(readFileSync(`${file}.1.bak`, 'utf8')).toBe('{"language":"nl", broken')
})
