import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Linter } from 'eslint'
import svelte from 'eslint-plugin-svelte'
import tseslint from 'typescript-eslint'
import { describe, expect, it } from 'vitest'
import { possibleImports, judge, modules } from '../../modules.config.js'
import plugin from '../../modules.plugin.js'

const root = join(import.meta.dirname, '../..')

/**
 * Returns the messages of the rule `modules/allowed-imports`, which `npm run check` uses, about this code in this file.
 */
function refusals(file: string, code: string): string[] {
  const linter = new Linter({ cwd: root })
  const config: Linter.Config = {
    files: ['**/*.ts'],
    plugins: { modules: plugin },
    rules: { 'modules/allowed-imports': 'error' },
    languageOptions: { sourceType: 'module' },
  }
  return linter.verify(code, config, { filename: join(root, file) }).map((message) => message.message)
}

/**
 * Returns the messages of the rule `modules/allowed-imports` about the script of a Svelte component. The parsers are
 * the same as in eslint.config.js.
 */
function refusalsInComponent(file: string, code: string): string[] {
  const linter = new Linter({ cwd: root })
  const config: Linter.Config[] = [
    ...svelte.configs.base,
    {
      files: ['**/*.svelte'],
      plugins: { modules: plugin },
      rules: { 'modules/allowed-imports': 'error' },
      languageOptions: { parserOptions: { parser: tseslint.parser } },
    },
  ]
  const component = `<script lang="ts">\n${code}\n</script>\n`
  return linter.verify(component, config, { filename: join(root, file) }).map((message) => message.message)
}

/** The table of ARCHITECTURE.md, repeated by hand, so that these tests fail if only `modules.config.js` changes. */
const allowed: Record<string, string[]> = {
  shared: ['shared'],
  kit: ['kit'],
  desk: ['desk', 'shared'],
  remote: ['remote', 'shared', 'kit'],
  local: ['local', 'shared', 'kit'],
  labels: ['labels', 'shared', 'kit'],
  printing: ['printing', 'shared', 'kit', 'labels'],
  'serial-scanner': ['serial-scanner', 'shared', 'kit'],
  'middleware/data': ['shared', 'kit'],
  'middleware/services': ['shared', 'kit', 'labels'],
  middleware: ['middleware', 'shared', 'kit', 'labels'],
  'catalogue-worker': ['shared', 'kit', 'desk', 'remote', 'local'],
  'compose-desk': ['compose-desk', 'shared', 'kit', 'desk', 'remote', 'local', 'labels', 'printing'],
  main: [
    ...['shared', 'kit', 'desk', 'remote', 'local', 'labels', 'printing', 'serial-scanner', 'compose-desk'],
    'messages',
  ],
  preload: [],
  messages: ['messages'],
  ui: ['ui', 'messages'],
  scanner: ['scanner', 'shared', 'messages'],
  place: ['place', 'ui', 'scanner', 'shared', 'messages'],
  features: ['place', 'ui', 'scanner', 'shared', 'messages'],
  app: ['features', 'place', 'ui', 'scanner', 'shared', 'messages'],
}

function moduleNamed(specifier: string): string {
  const found = Object.entries(modules).find(
    ([, module]) => module.alias !== undefined && specifier.startsWith(module.alias),
  )
  return found?.[0] ?? 'none'
}

describe('the import table', () => {
  const forbidden = possibleImports().filter(
    ({ from, specifier }) =>
      !allowed[from]?.includes(moduleNamed(specifier)) && moduleNamed(specifier) !== from,
  )
  const permitted = possibleImports().filter(
    ({ from, specifier }) =>
      moduleNamed(specifier) !== from && allowed[from]?.includes(moduleNamed(specifier)),
  )

  it('contains exactly the modules of the table in this test', () => {
    expect(Object.keys(modules).sort()).toEqual(Object.keys(allowed).sort())
    expect(forbidden.length).toBeGreaterThan(150)
  })

  it.each(forbidden)('refuses an import of $specifier in the module $from', ({ file, specifier }) => {
    expect(refusals(file, `import { x } from '${specifier}'`)).toHaveLength(1)
    expect(refusals(file, `export { x } from '${specifier}'`)).toHaveLength(1)
    expect(refusals(file, `const x = await import('${specifier}')`)).toHaveLength(1)
  })

  it.each(permitted)('allows an import of $specifier in the module $from', ({ file, specifier }) => {
    expect(refusals(file, `import { x } from '${specifier}'`)).toEqual([])
  })

  it('allows an adapter to import the ports of the desk, and no other file of the desk', () => {
    for (const module of ['remote', 'local', 'labels', 'printing', 'serial-scanner']) {
      expect(refusals(`electron/${module}/x.ts`, `import { x } from '#desk/ports/store.ts'`)).toEqual([])
      expect(refusals(`electron/${module}/x.ts`, `import { x } from '#desk/outbox/outbox.ts'`)).toHaveLength(
        1,
      )
    }
  })

  const drawing = ['ui', 'features', 'app']
  it.each(forbidden.filter(({ from }) => drawing.includes(from)))(
    'refuses an import of $specifier in a component of the module $from',
    ({ from, file, specifier }) => {
      const component = file.replace('file.ts', 'File.svelte')
      expect(refusalsInComponent(component, `import { x } from '${specifier}'`)).toHaveLength(1)
      expect(refusalsInComponent(component, `const x = import('${specifier}')`)).toHaveLength(1)
      const areTypesAllowed = judge(component, specifier, true) === null
      expect(areTypesAllowed).toBe(from === 'ui' && specifier.startsWith('#shared/'))
      const ofTypes = refusalsInComponent(component, `import type { X } from '${specifier}'`)
      expect(ofTypes).toHaveLength(areTypesAllowed ? 0 : 1)
    },
  )

  it('refuses a component that imports a type of another feature, also by a relative path', () => {
    for (const path of ['#features/stage/card.ts', '../stage/card.ts'])
      expect(
        refusalsInComponent('src/features/login/X.svelte', `import type { Card } from '${path}'`),
      ).toHaveLength(1)
  })

  it('allows `ui` and `preload` to import only types from `shared`; `preload` may also import the channel names', () => {
    expect(judge('src/ui/X.svelte', '#shared/bridge/views.ts', true)).toBeNull()
    expect(judge('src/ui/X.svelte', '#shared/bridge/views.ts')).not.toBeNull()
    expect(judge('electron/preload/preload.ts', '#shared/bridge/contract.ts', true)).toBeNull()
    expect(judge('electron/preload/preload.ts', '#shared/bridge/contract.ts')).not.toBeNull()
    expect(judge('electron/preload/preload.ts', '#shared/bridge/channels.ts')).toBeNull()
    expect(judge('src/ui/X.svelte', '#desk/ports/store.ts', true)).not.toBeNull()
  })

  it.each([
    ['src/features/login/x.ts', '../stage/y.ts'],
    ['src/app/x.ts', '../ui/Button.svelte'],
    ['electron/desk/session.ts', '../remote/client.ts'],
    ['electron/desk/ports/store.ts', '../../local/desk-db.ts'],
    ['electron/middleware/services/a.ts', '../routes/b.ts'],
    ['electron/middleware/data/a.ts', '../services/b.ts'],
  ])('refuses in the file %s the relative import %s, which leaves the module', (file, specifier) => {
    expect(judge(file, specifier)).not.toBeNull()
  })

  it.each([
    ['electron/desk/x.ts', 'better-sqlite3'],
    ['electron/desk/x.ts', 'electron'],
    ['electron/desk/x.ts', 'node:https'],
    ['electron/desk/x.ts', 'node:fs'],
    ['electron/remote/x.ts', 'better-sqlite3'],
    ['electron/remote/x.ts', 'electron'],
    ['electron/local/x.ts', 'electron'],
    ['electron/local/x.ts', 'kysely'],
    ['electron/labels/x.ts', 'node-thermal-printer'],
    ['electron/labels/x.ts', 'zxing-wasm'],
    ['electron/printing/x.ts', '@hyzyla/pdfium'],
    ['electron/printing/x.ts', 'zxing-wasm/reader'],
    ['electron/printing/x.ts', 'fast-png'],
    ['electron/printing/x.ts', 'serialport'],
    ['electron/serial-scanner/x.ts', 'electron'],
    ['electron/main/x.ts', 'serialport'],
    ['electron/middleware/services/x.ts', '@hyzyla/pdfium'],
    ['electron/compose-desk.ts', 'electron'],
    ['electron/middleware/app.ts', 'electron'],
    ['electron/middleware/routes/x.ts', 'better-sqlite3'],
    ['electron/middleware/services/x.ts', 'fastify'],
    ['electron/middleware/services/x.ts', 'kysely'],
    ['electron/preload/x.ts', 'zod'],
    ['electron/preload/x.ts', 'node:fs'],
    ['src/shared/domain/x.ts', 'node:crypto'],
    ['src/shared/domain/x.ts', 'svelte'],
    ['src/app/x.ts', 'electron'],
    ['src/features/login/x.ts', 'electron-store'],
  ])('refuses in the file %s an import of the package %s', (file, specifier) => {
    expect(refusals(file, `import x from '${specifier}'`)).toHaveLength(1)
  })
})

describe('the source tree', () => {
  const files = ['electron', 'src', 'test'].flatMap((folder) => filesBelow(join(root, folder)))

  it('has no file over 600 lines', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 601)
    expect(long.map((file) => relative(root, file))).toEqual([])
  })

  it('has in every module of the app a README of at most 30 lines, tables not counted', () => {
    for (const module of Object.values(modules)) {
      if (
        !module.files.endsWith('/') ||
        module.files === 'src/messages/' ||
        module.files.includes('middleware/')
      )
        continue
      const readme = readFileSync(join(root, module.files, 'README.md'), 'utf8')
      const lines = readme
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('|'))
      expect(lines.length, module.files).toBeLessThanOrEqual(30)
    }
  })

  it('has no catch-all module such as utils', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|manager)(\.|\/)/
    expect(files.map((file) => relative(root, file)).filter((file) => vague.test(file))).toEqual([])
  })
})

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (path.includes('src/messages')) return []
    if (statSync(path).isDirectory()) return filesBelow(path)
    return /\.(ts|mts|mjs|js|cjs|svelte)$/.test(name) ? [path] : []
  })
}
