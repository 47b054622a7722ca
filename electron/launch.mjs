#!/usr/bin/env node
// Every npm script starts here, on whatever Node the machine has (20 and later): no dependency may be imported
// before it is installed. What runs afterwards runs on the project's own Node. Never packaged.
import { build, compileMessages } from './launch/build.mjs'
import { check } from './launch/check.mjs'
import { demo } from './launch/demo.mjs'
import { ensureInstalled } from './launch/install.mjs'
import { writeNotices } from './launch/notices.mjs'
import { packageApp } from './launch/package.mjs'
import { explain, Stop } from './launch/report.mjs'
import { runModule } from './launch/run.mjs'
import { start } from './launch/start.mjs'
import { test, testMore } from './launch/test.mjs'

const [command = 'start', ...rest] = process.argv.slice(2)

const commands = {
  start: () => start(rest),
  test: () => test({ long: rest.includes('--long') }),
  'test:more': testMore,
  check: async () => {
    await compileMessages()
    await check()
  },
  build: () => build({ force: true }),
  demo,
  middleware: () => runModule('electron/middleware/entry/cli.ts', rest),
  bench: async () => {
    await build()
    await runModule('test/bench/run.ts', rest)
  },
  faults: () => runModule('test/faults/run.ts', rest),
  screens: async () => {
    await compileMessages()
    await runModule('test/gallery/shoot.ts', rest)
  },
  package: async () => {
    await build({ force: true })
    writeNotices()
    await packageApp(rest)
  },
}

try {
  const run = commands[command]
  if (!run) throw new Stop(`no command is called ${command}; there are ${Object.keys(commands).join(', ')}`)
  await ensureInstalled()
  await run()
} catch (error) {
  process.exitCode = explain(error)
}
