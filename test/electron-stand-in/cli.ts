// Reads Electron's command line as its binary does, then runs the app's main bundle.
import { readFileSync } from 'node:fs'
import { open as openInspector } from 'node:inspector'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app, identify } from './app.ts'
import { commandLine } from './command-line.ts'

interface CommandLine {
  /** Modules to load before the app, such as Playwright's loader. */
  preloads: string[]
  switches: string[]
  /** The app's folder or file, then the arguments of the app. */
  rest: string[]
}

function parse(raw: readonly string[]): CommandLine {
  const preloads: string[] = []
  const switches: string[] = []
  for (let at = 0; at < raw.length; at++) {
    const argument = raw[at] ?? ''
    if (argument === '-r' || argument === '--require') preloads.push(raw[++at] ?? '')
    else if (argument === '--') return { preloads, switches, rest: raw.slice(at + 1) }
    else if (argument.startsWith('-')) switches.push(argument)
    else return { preloads, switches, rest: raw.slice(at) }
  }
  return { preloads, switches, rest: [] }
}

interface Manifest {
  name?: string
  productName?: string
  version?: string
  main?: string
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

const raw = process.argv.slice(2)
const { preloads, switches, rest } = parse(raw)
if (switches.includes('--version') || switches.includes('-v')) {
  console.log(`v${process.versions.electron}`)
  process.exit(0)
}
for (const entry of switches.filter((given) => given.startsWith('--inspect'))) {
  // Prints "Debugger listening on ws://…", because Playwright waits for this line.
  openInspector(Number(entry.split('=')[1] ?? 9229), '127.0.0.1')
}
for (const entry of [...switches, ...rest.slice(1)].filter((given) => given.startsWith('--'))) {
  if (!entry.startsWith('--inspect')) commandLine.appendArgument(entry)
}

const target = resolve(rest[0] ?? '.')
const manifest = readManifest(target)
const electronVersion = process.versions.electron
identify({
  appPath: manifest ? target : dirname(target),
  name: manifest?.productName ?? manifest?.name ?? 'Electron',
  version: manifest?.version ?? electronVersion,
})

// If Playwright's loader runs (one of `preloads`), `argv` also contains the switches before the app's path, as in
// Electron. The loader removes these switches.
process.argv = [process.execPath, ...(preloads.length > 0 ? raw : rest)]
const require = createRequire(import.meta.url)
for (const file of preloads) require(resolve(file))

await import(pathToFileURL(manifest ? resolve(target, manifest.main ?? 'index.js') : target).href)
// `start` emits 'ready'. As in Electron, this happens after the main bundle has been evaluated. If modules are loaded
// before the app (`preloads`), one of them is Playwright's loader, so a test drives the app (`isDriven`).
await app.start({ isDriven: preloads.length > 0 })
