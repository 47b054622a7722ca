import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'out/test/playwright',
  // The app, its middleware and Chromium share the machine with nothing else of ours.
  workers: 1,
  retries: 0,
  timeout: 60_000,
  // a busy machine is no failure; durations are the benches' affair
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: 'out/test/e2e.json' }]],
})
