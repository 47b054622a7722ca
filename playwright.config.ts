import { defineConfig } from '@playwright/test'
import { slowChoice, slowSpecs } from './test/slow-tests.ts'

export default defineConfig({
  testDir: 'test/e2e',
  ...(slowChoice === 'only' && { testMatch: slowSpecs.map((spec) => `**/${spec}`) }),
  ...(slowChoice === 'without' && { testIgnore: slowSpecs.map((spec) => `**/${spec}`) }),
  outputDir: 'out/test/playwright',
  // each spec file has an app, folders and ports of its own, and waits as much as it works
  workers: 2,
  retries: 0,
  timeout: 60_000,
  // a busy machine is no failure; durations are the benches' affair
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: 'out/test/e2e.json' }]],
})
