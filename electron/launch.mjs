#!/usr/bin/env node
// Every npm script except `format` starts here, with any Node of the machine (version 20 or later). This file and its
// imports must not import a dependency, because the dependencies are perhaps not installed yet. Later steps run with
// the project's own Node. This file is never packaged.
import { readArguments } from './launch/arguments.mjs'
import { explain, Stop } from './launch/report.mjs'
import { ensureInstalled } from './launch/install.mjs'
import { scripts } from './launch/scripts.mjs'

const [name = 'start', ...rest] = process.argv.slice(2)

try {
  const script = scripts[name]
  if (!script) throw new Stop(`unknown command ${name}; the commands are ${Object.keys(scripts).join(', ')}`)
  const typed = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`
  const read = script.takes === 'its own' ? null : readArguments(typed, rest, script.takes)
  await ensureInstalled()
  await script.run(read, rest)
} catch (error) {
  process.exitCode = explain(error)
}
