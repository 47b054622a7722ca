import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

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

/** Programs and libraries of an operating system; `.node` is a module of Node's, of which two packages are known. */
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

describe('what is installed', () => {
  it('is known by its content: each package of the lockfile has a SHA-512', () => {
    expect(project).toBeDefined()
    expect(all.length).toBeGreaterThan(700)
    expect(all.filter(([, one]) => !one.integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
  })

  it('comes from a registry: no package of the lockfile names a git repository, a file or another host', () => {
    const elsewhere = all.filter(([, { resolved = 'https://registry.npmjs.org/' }]) => {
      return !resolved.startsWith('https://registry.npmjs.org/')
    })
    expect(elsewhere).toEqual([])
  })

  it('runs no script of a package: npm is told so, and only these two have one', () => {
    expect(all.filter(([, one]) => one.hasInstallScript).map(([path]) => path)).toEqual([
      // brings a binary for every platform; its script would look for one or compile it
      'node_modules/@serialport/bindings-cpp',
      // builds installers of a kind that is not built here
      'node_modules/electron-winstaller',
    ])
    expect(readFileSync(join(root, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true')
  })
})

describe('what is shipped', () => {
  it('has no foreign program: of production packages, two bring modules of Node’s and none anything else that runs', () => {
    const shipped = all.filter(([, one]) => !one.dev && !one.optional).map(([path]) => path)
    expect(shipped).toContain('node_modules/serialport')
    const files = shipped.flatMap(filesOf)
    expect(files.filter(isProgram)).toEqual([])
    const native = files.filter((path) => path.endsWith('.node'))
    expect(native).not.toEqual([])
    expect(native.filter((path) => !modulesOfNode.some((one) => path.startsWith(`${one}/`)))).toEqual([])
  })
})
