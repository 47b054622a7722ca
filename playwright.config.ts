import { defineConfig } from '@playwright/test'
import { slowChoice, slowSpecs } from './test/slow-tests.ts'

export default defineConfig({
  testDir: 'test/e2e',
  ...(slowChoice === 'only' && { testMatch: slowSpecs.map((spec) => `**/${spec}`) }),
  ...(slowChoice === 'without' && { testIgnore: slowSpecs.map((spec) => `**/${spec}`) }),
  outputDir: 'out/test/playwright',
  // two spec files run at once, because they share no app, folder or port; this saves time, because each of them spends
  // half of its duration waiting
  workers: 2,
  retries: 0,
  timeout: 120_000,
  // the timeout is long, because a test must not fail on a busy machine; only the benches measure durations
  expect: { timeout: 30_000 },
  reporter: [['list'], ['json', { outputFile: 'out/test/e2e.json' }]],
})
