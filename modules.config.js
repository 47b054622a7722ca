/**
 * The modules of the program, and the modules that each may import (drawn in ARCHITECTURE.md). The lint rule in
 * modules.plugin.js reads this table and refuses every other import. test/unit/modules.test.ts tests the rule with each
 * forbidden import. The properties of a module:
 *
 * files     the folder or file of the module
 * alias     its name in package.json `imports`; no other module imports a module without a name
 * may       modules it may import; `module/path` allows only what lies under that path
 * mayTypes  modules from which it may import only types
 * packages  npm packages it may import; `*` at the end matches any ending
 * node      whether it may import Node's own modules
 */
export const modules = {
  shared: { files: 'src/shared/', alias: '#shared/', may: [], packages: ['zod'], node: false },
  kit: { files: 'electron/kit/', alias: '#kit/', may: [], packages: ['better-sqlite3', 'pino'], node: true },
  desk: { files: 'electron/desk/', alias: '#desk/', may: ['shared'], packages: [], node: false },
  remote: {
    files: 'electron/remote/',
    alias: '#remote/',
    may: ['shared', 'kit', 'desk/ports/'],
    packages: ['zod'],
    node: true,
  },
  local: {
    files: 'electron/local/',
    alias: '#local/',
    may: ['shared', 'kit', 'desk/ports/'],
    packages: ['better-sqlite3', 'zod'],
    node: true,
  },
  labels: {
    files: 'electron/labels/',
    alias: '#labels/',
    may: ['shared', 'kit', 'desk/ports/'],
    packages: ['pdf-lib', 'bwip-js*', '@hyzyla/pdfium', 'zxing-wasm/reader', 'fast-png'],
    node: true,
  },
  printing: {
    files: 'electron/printing/',
    alias: '#printing/',
    may: ['shared', 'kit', 'desk/ports/', 'labels'],
    packages: ['node-thermal-printer'],
    node: true,
  },
  'serial-scanner': {
    files: 'electron/serial-scanner/',
    alias: '#serial-scanner/',
    may: ['shared', 'kit', 'desk/ports/'],
    packages: ['serialport'],
    node: true,
  },
  'middleware/data': {
    files: 'electron/middleware/data/',
    may: ['shared', 'kit', 'middleware/warehouse/'],
    packages: ['better-sqlite3', 'kysely*', 'pg', 'pg-cursor', 'zod'],
    node: true,
  },
  'middleware/services': {
    files: 'electron/middleware/services/',
    may: ['shared', 'kit', 'labels', 'middleware/data', 'middleware/warehouse/'],
    packages: ['jose', 'zod'],
    node: true,
  },
  middleware: {
    files: 'electron/middleware/',
    alias: '#middleware/',
    may: ['shared', 'kit', 'labels', 'middleware/data', 'middleware/services'],
    packages: ['fastify*', '@fastify/*', 'jose', 'kysely', 'zod'],
    node: true,
  },
  // the module is the entry of a thread, so no other module imports it
  'catalogue-worker': {
    files: 'electron/catalogue-worker.ts',
    may: ['shared', 'kit', 'desk', 'remote', 'local'],
    packages: [],
    node: true,
  },
  'compose-desk': {
    files: 'electron/compose-desk.ts',
    alias: '#compose-desk',
    may: ['shared', 'kit', 'desk', 'remote', 'local', 'labels', 'printing'],
    packages: [],
    node: true,
  },
  main: {
    files: 'electron/main/',
    may: [
      ...['shared', 'kit', 'desk', 'remote', 'local', 'labels', 'printing', 'serial-scanner', 'compose-desk'],
      'messages',
    ],
    packages: ['csv-parse/sync', 'electron', 'electron-store', 'fflate', 'zod'],
    node: true,
  },
  preload: {
    files: 'electron/preload/',
    may: ['shared/bridge/channels.ts'],
    mayTypes: ['shared'],
    packages: ['electron'],
    node: false,
  },
  messages: { files: 'src/messages/', alias: '#messages/', may: [], packages: [], node: false },
  ui: {
    files: 'src/ui/',
    alias: '#ui/',
    may: ['messages'],
    mayTypes: ['shared'],
    packages: ['svelte', 'svelte/*', '@lucide/svelte/*', '@fontsource/*', 'bwip-js*'],
    node: false,
  },
  scanner: {
    files: 'src/scanner/',
    alias: '#scanner/',
    may: ['shared', 'messages'],
    packages: ['svelte', 'svelte/*'],
    node: false,
  },
  place: {
    files: 'src/place/',
    alias: '#place/',
    may: ['ui', 'scanner', 'shared', 'messages'],
    packages: ['svelte', 'svelte/*', '@lucide/svelte/*'],
    node: false,
  },
  features: {
    files: 'src/features/',
    alias: '#features/',
    // each subfolder is a separate module, and no subfolder may import another subfolder
    each: true,
    may: ['place', 'ui', 'scanner', 'shared', 'messages'],
    packages: ['svelte', 'svelte/*', '@lucide/svelte/*'],
    node: false,
  },
  app: {
    files: 'src/app/',
    may: ['features', 'place', 'ui', 'scanner', 'shared', 'messages'],
    packages: ['svelte', 'svelte/*', '@lucide/svelte/*', '@fontsource/*', 'zod'],
    node: false,
  },
}

/**
 * Returns the module of a file, given the file's path from the repository's root. Returns null if the file belongs to
 * no module (tests, configs).
 */
export function moduleOf(path) {
  const found = Object.entries(modules)
    .filter(([, module]) => path.startsWith(module.files))
    .sort(([, a], [, b]) => b.files.length - a.files.length)[0]
  if (!found) return null
  const [name, module] = found
  const rest = path.slice(module.files.length)
  return { name, rest, unit: module.each ? `${module.files}${rest.split('/')[0]}/` : module.files }
}

function resolveRelative(fromFile, specifier) {
  const parts = fromFile.split('/').slice(0, -1)
  for (const step of specifier.split('/')) {
    if (step === '..') parts.pop()
    else if (step !== '.') parts.push(step)
  }
  return parts.join('/')
}

function allows(list, target) {
  return list.some((entry) => {
    if (entry === target.name) return true
    return target.name === entry.split('/')[0] && `${target.name}/${target.rest}`.startsWith(entry)
  })
}

function judgePackage(module, name, specifier) {
  if (specifier.startsWith('node:'))
    return module.node ? null : `${name} may not use modules of Node: ${specifier}`
  const known = module.packages.some((entry) =>
    entry.endsWith('*') ? specifier.startsWith(entry.slice(0, -1)) : specifier === entry,
  )
  return known ? null : `${name} may not import the package ${specifier}`
}

/**
 * Returns why `fromFile` may not import `specifier`, or null if the import is allowed. `typeOnly`: whether the import
 * is an `import type`. Such an import does not exist in the running program, but the table must allow it too.
 */
export function judge(fromFile, specifier, typeOnly = false) {
  const from = moduleOf(fromFile)
  if (!from) return null
  const module = modules[from.name]
  if (specifier.startsWith('.')) {
    const path = resolveRelative(fromFile, specifier)
    if (path.startsWith(from.unit) && moduleOf(path)?.name === from.name) return null
    // modules in one outer folder, such as `middleware` and `middleware/data`, import each other by relative paths, if
    // the table `modules` allows the import
    const target = moduleOf(path)
    const sameOuter = target?.name.split('/')[0] === from.name.split('/')[0]
    if (target && sameOuter && target.name !== from.name && allows(module.may, target)) return null
    return `a relative import never leaves its module (${from.name}): ${specifier}`
  }
  if (!specifier.startsWith('#')) return judgePackage(module, from.name, specifier)
  if (specifier.startsWith('#resources/')) return null
  const owner = Object.values(modules).find((r) => r.alias && specifier.startsWith(r.alias))
  if (!owner) return `no module has the name ${specifier}`
  const target = moduleOf(
    owner.files.endsWith('/') ? owner.files + specifier.slice(owner.alias.length) : owner.files,
  )
  if (target && allows(module.may, target)) return null
  if (target && typeOnly && allows(module.mayTypes ?? [], target)) return null
  return `${from.name} may not import ${target?.name ?? specifier}${typeOnly ? ', not even its types' : ''}`
}

/**
 * Returns one import for each pair of an importing module and a module with an alias. A test checks which of these
 * imports the lint rule `modules/allowed-imports` refuses.
 */
export function possibleImports() {
  const targets = Object.values(modules).filter((module) => module.alias)
  return Object.entries(modules).flatMap(([from, module]) =>
    targets.map((target) => ({
      from,
      file: module.files.endsWith('/') ? `${module.files}${module.each ? 'one/' : ''}file.ts` : module.files,
      specifier: target.alias.endsWith('/')
        ? `${target.alias}${target.each ? 'two/' : ''}file.ts`
        : target.alias,
    })),
  )
}
