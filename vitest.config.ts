import { svelte } from '@sveltejs/vite-plugin-svelte'
import { configDefaults, defineConfig } from 'vitest/config'
import { slowChoice, slowFolders, slowUnitTests } from './test/slow-tests.ts'

const excludedUnits = [...configDefaults.exclude, ...(slowChoice === 'without' ? slowUnitTests : [])]

/** Returns the tests of this folder, or none if it is a slow folder and this run omits the slow tests. */
function testsOf(folder: string): string[] {
  return slowChoice === 'without' && slowFolders.includes(folder) ? [] : [`test/${folder}/**/*.test.ts`]
}

/** Contract tests that replace a module which other tests load, or that measure the memory of their process. */
const contractTestsAlone = [
  'test/contract/middleware-connections-bodies.test.ts',
  'test/contract/middleware-logins.test.ts',
]

const isOnPostgres = process.env['SCANDESK_TEST_POSTGRES'] !== undefined
const setupFiles = isOnPostgres ? ['test/support/refused-transactions.ts'] : []

export default defineConfig({
  plugins: [svelte()],
  test: {
    // forks, not threads: the database handles and child processes of a test file end with its process
    pool: 'forks',
    // three workers for two cores, because tests of printers and outages mostly wait
    maxWorkers: 3,
    // with the numbers of cases of a long run (SCANDESK_LONG=1), a test may take up to an hour; with the usual numbers
    // it takes seconds, but more on a busy machine
    testTimeout: process.env['SCANDESK_LONG'] === '1' ? 3_600_000 : 60_000,
    // the limit is long, because a hook may be slow on a busy machine
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
    // starts PostgreSQL for `npm run test:postgres`; otherwise starts nothing
    globalSetup: 'test/support/postgres-server.ts',
    // the summary of running tests is off, because it would overwrite the output of e2e specs that run at the same time
    reporters: [
      ['default', { summary: false }],
      ['json', { outputFile: 'out/test/vitest.json' }],
    ],
    restoreMocks: true,
    projects: [
      {
        extends: true,
        // these tests leave no state in their process, so one process runs many files; otherwise each file would need a
        // new process
        test: {
          name: 'unit',
          include: slowChoice === 'only' ? slowUnitTests : testsOf('unit'),
          exclude: excludedUnits,
          setupFiles: ['test/support/sandbox-commands.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          setupFiles,
          // these tests use processes, browsers and printers, and on a busy machine one of thousands may reach a time
          // limit; `npm run test:more` repeats it once and lists it (electron/launch/test.mjs)
          retry: slowChoice === 'only' ? 1 : 0,
          include: [
            ...(testsOf('contract').length > 0 ? contractTestsAlone : []),
            ...testsOf('integration'),
            ...testsOf('faults'),
          ],
        },
      },
      {
        extends: true,
        // loading the middleware takes a second of CPU time, so one process loads it for many files
        test: {
          name: 'shared',
          setupFiles,
          include: testsOf('contract'),
          exclude: [...configDefaults.exclude, ...contractTestsAlone],
          isolate: false,
        },
      },
    ],
  },
})
