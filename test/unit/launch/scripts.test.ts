import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appOptions, electronArguments } from '../../../electron/launch/app-options.mjs'
import { readArguments } from '../../../electron/launch/arguments.mjs'
import { scripts } from '../../../electron/launch/scripts.mjs'
import { pcSettings, type SettingRow } from '#shared/bridge/pc-settings.ts'

const manifest = z.object({ scripts: z.record(z.string(), z.string()) })
const npmScripts = manifest.parse(JSON.parse(readFileSync('package.json', 'utf8'))).scripts
const started = Object.values(npmScripts).flatMap((line) =>
  line.startsWith('node electron/launch.mjs ') ? [line.split(' ').slice(2)] : [],
)

/** A checkout without packages, so that an error there occurs before any installation. */
let checkout: string
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'scandesk-scripts-'))
  for (const path of ['electron/launch', 'electron/launch.mjs'])
    cpSync(path, join(checkout, path), { recursive: true })
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

/** Returns the names in the first `options: { … }` of a module that uses parseArgs. */
function parsedBy(file: string): string[] {
  const block = /^( *)options: \{\n([\s\S]*?)\n\1\},\n/m.exec(readFileSync(file, 'utf8'))?.[2] ?? ''
  return [...block.matchAll(/^ +'?([a-z-]+)'?: \{/gm)].map(([, name = '']) => name)
}

function namesOf(script: string): string[] {
  const takes = scripts[script]?.takes
  if (takes === undefined || takes === 'its own') throw new Error(`${script} names no options`)
  return [...(takes.values ?? []), ...(takes.flags ?? [])].toSorted()
}

describe('the npm scripts', () => {
  it('call every script of the launcher, and no script that the launcher does not have', () => {
    expect(new Set(started.map(([name]) => name))).toEqual(new Set(Object.keys(scripts)))
  })

  it('are described in the table of commands of README.md or CONTRIBUTING.md', () => {
    const tables = ['README.md', 'CONTRIBUTING.md'].map((file) => readFileSync(file, 'utf8')).join('')
    const described = [...tables.matchAll(/^\| `npm (?:run )?([a-z:-]+)/gm)].map(([, name]) => name)
    expect(Object.keys(npmScripts).filter((name) => !described.includes(name))).toEqual([])
  })

  it.each(started.filter(([name = '']) => scripts[name]?.takes !== 'its own'))(
    'refuse an unknown argument to %s in one sentence that lists the accepted arguments',
    (...line) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['electron/launch.mjs', ...line, '--nonsense'],
        { cwd: checkout, encoding: 'utf8' },
      )
      expect(status).toBe(1)
      expect(stderr).toMatch(/^npm (?:run )?\S+ does not accept --nonsense\. It takes [^\n]+\n$/)
      expect(stdout).toBe('')
      expect(existsSync(join(checkout, 'out'))).toBe(false)
    },
  )

  it('accept every option of the programs that they start', () => {
    expect(namesOf('middleware')).toEqual(parsedBy('electron/middleware/entry/cli.ts').toSorted())
    expect(namesOf('faults')).toEqual(parsedBy('test/faults/run.ts').toSorted())
    const commandLine = readFileSync('electron/main/command-line.ts', 'utf8')
    const ofDesk = [...commandLine.matchAll(/valueOf\('--([a-z-]+)'\)/g)].map(([, name = '']) => name)
    const ofSettings = Object.values<SettingRow>(pcSettings).flatMap(
      ({ option }) => option?.name.slice(2) ?? [],
    )
    expect(ofDesk).toHaveLength(4)
    expect(appOptions.values).toEqual(expect.arrayContaining([...ofDesk, ...ofSettings]))
  })
})

describe('electronArguments()', () => {
  const options = { lang: 'nl', inspect: '9229', 'proxy-server': 'x:1', 'data-dir': 'a b' }

  it('puts the options for Electron before the folder of the app, and all other options after the folder', () => {
    const line = electronArguments('/app', options, { isRoot: false })
    expect(line).toEqual(['--inspect=9229', '--proxy-server=x:1', '/app', '--lang=nl', '--data-dir=a b'])
  })

  it('disables the sandbox only if the user is root', () => {
    expect(electronArguments('/app', {}, { isRoot: true })).toEqual(['--no-sandbox', '/app'])
    expect(electronArguments('/app', {}, { isRoot: false })).toEqual(['/app'])
  })
})

describe('.vscode/launch.json', () => {
  const launch = z
    .object({
      configurations: z.array(
        z.object({
          name: z.string(),
          runtimeArgs: z.array(z.string()).default([]),
          port: z.number().optional(),
        }),
      ),
      compounds: z.array(z.object({ configurations: z.array(z.string()) })),
    })
    .parse(JSON.parse(readFileSync('.vscode/launch.json', 'utf8')))
  const named = new Map(launch.configurations.map((one) => [one.name, one]))

  it('starts npm run dev with the ports to which its debuggers attach', () => {
    const [run, dev = '', dashes, ...given] = named.get('npm run dev')?.runtimeArgs ?? []
    expect([run, dev, dashes]).toEqual(['run', 'dev', '--'])
    expect(readArguments('npm run dev', given, appOptions).options).toEqual({
      inspect: String(named.get('Main process')?.port),
      'remote-debugging-port': String(named.get('Renderer')?.port),
    })
  })

  it('has compounds that consist of existing configurations', () => {
    for (const { configurations } of launch.compounds)
      expect([...named.keys()]).toEqual(expect.arrayContaining(configurations))
  })
})
