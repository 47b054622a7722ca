import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [svelte()],
  test: {
    include: ['test/{unit,integration,contract,faults}/**/*.test.ts'],
    // forks, not threads: better-sqlite3 handles and child processes end with their file
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'out/test/vitest.json' }]],
    restoreMocks: true,
  },
})
