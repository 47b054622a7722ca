import { svelte } from '@sveltejs/vite-plugin-svelte'
import { configDefaults, defineConfig } from 'vitest/config'
import { slowChoice, slowTests } from './test/slow-tests.ts'

const excluded = [...configDefaults.exclude, ...(slowChoice === 'without' ? slowTests : [])]

/** Contract tests that replace a module which others load, or that measure the memory of their process. */
const contractTestsAlone = [
  'test/contract/middleware-connections-bodies.test.ts',
  'test/contract/middleware-logins.test.ts',
]

const isOnPostgres = process.env['SCANDESK_TEST_POSTGRES'] !== undefined
const setupFiles = isOnPostgres ? ['test/support/refused-transactions.ts'] : []

export default defineConfig({
  plugins: [svelte()],
  test: {
    // forks, not threads: better-sqlite3 handles and child processes end with their file
    pool: 'forks',
    // one more than the two cores that it is made for: tests of printers and outages wait more than they work
    maxWorkers: 3,
    // full counts take what they take
    testTimeout: process.env['SCANDESK_LONG'] === '1' ? 3_600_000 : 30_000,
    // a busy machine is no failure
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
    // starts PostgreSQL for `npm run test:postgres`, nothing otherwise
    globalSetup: 'test/support/postgres-server.ts',
    // without the summary of running tests, which would overwrite lines of the e2e specs that run beside
    reporters: [
      ['default', { summary: false }],
      ['json', { outputFile: 'out/test/vitest.json' }],
    ],
    restoreMocks: true,
    projects: [
      {
        extends: true,
        // they leave nothing behind, so one process for many of them saves starting a hundred
        test: {
          name: 'unit',
          include: slowChoice === 'only' ? [] : ['test/unit/**/*.test.ts'],
          exclude: excluded,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          setupFiles,
          include:
            slowChoice === 'only'
              ? slowTests
              : [...contractTestsAlone, 'test/{integration,faults}/**/*.test.ts'],
          exclude: excluded,
        },
      },
      {
        extends: true,
        // loading the middleware takes a second of CPU time, so one process loads it for many files
        test: {
          name: 'shared',
          setupFiles,
          include: slowChoice === 'only' ? [] : ['test/contract/**/*.test.ts'],
          exclude: [...excluded, ...contractTestsAlone],
          isolate: false,
        },
      },
    ],
  },
})
