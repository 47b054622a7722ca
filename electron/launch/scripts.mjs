import { appOptions } from './app-options.mjs'
import { build, compileMessages } from './build.mjs'
import { check } from './check.mjs'
import { writeNotices } from './notices.mjs'
import { packageApp } from './package.mjs'
import { Stop } from './report.mjs'
import { demo, dev, start } from './run-desk.mjs'
import { runModule } from './run.mjs'
import { test, testFiles, testMore, testPostgres, testUnits } from './test.mjs'

const tests = 'paths of tests'

/**
 * The npm scripts by name. Each has its function and, in `takes`, the arguments that it accepts after `--`
 * (arguments.mjs). The value `its own` means that the program that the script starts checks the arguments.
 *
 * @type {Record<string, { takes?: import('./arguments.mjs').Known | 'its own', run: (read: any, given: string[]) =>
 * Promise<unknown> }>}
 */
export const scripts = {
  start: { takes: appOptions, run: ({ options }) => start(options) },
  dev: { takes: appOptions, run: ({ options }) => dev(options) },
  test: {
    takes: { values: ['t'], flags: ['long'], free: tests },
    run: ({ options, free }) => {
      const long = options.long === true
      if (options.t && free.length === 0) throw new Stop('npm test -- -t TITLE needs paths of tests, too.')
      return free.length === 0 ? test({ long }) : testFiles(free, { long, title: options.t })
    },
  },
  'test:unit': { takes: { free: tests }, run: ({ free }) => testUnits(free) },
  'test:watch': { takes: { free: tests }, run: ({ free }) => testUnits(free, { watch: true }) },
  'test:more': { run: testMore },
  'test:postgres': { run: testPostgres },
  check: { run: () => checkAfterMessages('check') },
  lint: { run: () => checkAfterMessages('lint') },
  typecheck: { run: () => checkAfterMessages('typecheck') },
  build: { run: () => build({ force: true }) },
  demo: { run: demo },
  gallery: {
    run: async () => {
      await compileMessages()
      await runModule('test/gallery/open.ts')
    },
  },
  middleware: {
    takes: {
      values: [
        ...[
          'port',
          'host',
          'data',
          'database',
          'seed',
          'warehouse',
          'pace',
          'webhook-ca',
          'webhook-retry-seconds',
          'proxy',
          'public-url',
        ],
        ...['jwt-secret-file', 'signing-secret-file', 'add-warehouse-user', 'roles'],
      ],
      flags: ['sandbox', 'quirks', 'allow-demo-passwords', 'help'],
    },
    run: (_, given) => runModule('electron/middleware/entry/cli.ts', given),
  },
  bench: {
    takes: { free: 'names of benches' },
    run: async ({ free }) => {
      await build()
      await runModule('test/bench/run.ts', free)
    },
  },
  faults: {
    takes: { values: ['suite', 'kills', 'seed', 'control', 'via'] },
    run: (_, given) => runModule('test/faults/run.ts', given),
  },
  screens: {
    takes: { flags: ['secret'], free: 'beginnings of names of screens' },
    run: async (_, given) => {
      await compileMessages()
      await runModule('test/gallery/shoot.ts', given)
    },
  },
  package: {
    takes: 'its own',
    run: async (_, given) => {
      await build({ force: true })
      writeNotices()
      await packageApp(given)
    },
  },
}

async function checkAfterMessages(group) {
  await compileMessages()
  await check(group)
}
