/**
 * The house's rooms and who may import whom (ARCHITECTURE.md draws it). One table feeds the eslint rule, which refuses
 * every arrow that is not here, and test/unit/rooms.test.ts, which feeds each forbidden arrow to that rule.
 *
 * files     the folder or file that is the room
 * alias     its name in package.json `imports`; a room without one is imported by nobody
 * may       rooms it may import; `room/path` allows only what lies under that path
 * mayTypes  rooms of which it may import types only
 * packages  npm packages it may import; `*` at the end stands for any ending
 * node      whether it may import Node's own modules
 */
export const rooms = {
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
    files: 'electron/scanner/',
    alias: '#serial/',
    may: ['shared', 'kit', 'desk/ports/'],
    packages: ['serialport'],
    node: true,
  },
  'middleware/data': {
    files: 'electron/middleware/data/',
    may: ['shared', 'kit', 'middleware/warehouse/'],
    packages: ['better-sqlite3', 'kysely*', 'zod'],
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
  // a thread of its own: nobody imports it
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
    may: ['shared', 'kit', 'desk', 'remote', 'local', 'labels', 'printing', 'serial-scanner', 'compose-desk'],
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
  bridge: { files: 'src/bridge/', alias: '#bridge/', may: ['shared'], packages: [], node: false },
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
    may: ['ui', 'bridge', 'scanner', 'shared', 'messages'],
    packages: ['svelte', 'svelte/*', '@lucide/svelte/*'],
    node: false,
  },
  features: {
    files: 'src/features/',
    alias: '#features/',
    // each feature is a room of its own: none imports another
    each: true,
    may: ['place', 'ui', 'bridge', 'scanner', 'shared', 'messages'],
    packages: ['svelte', 'svelte/*', '@lucide/svelte/*'],
    node: false,
  },
  app: {
    files: 'src/app/',
    may: ['features', 'place', 'ui', 'bridge', 'scanner', 'shared', 'messages'],
    packages: ['svelte', 'svelte/*', '@lucide/svelte/*', '@fontsource/*', 'zod'],
    node: false,
  },
}

/** The room of a file given by its path from the repository's root, or null outside the house (tests, configs). */
export function roomOf(path) {
  const found = Object.entries(rooms)
    .filter(([, room]) => path.startsWith(room.files))
    .sort(([, a], [, b]) => b.files.length - a.files.length)[0]
  if (!found) return null
  const [name, room] = found
  const rest = path.slice(room.files.length)
  return { name, rest, unit: room.each ? `${room.files}${rest.split('/')[0]}/` : room.files }
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

function judgePackage(room, name, specifier) {
  if (specifier.startsWith('node:')) return room.node ? null : `${name} does no IO of its own: ${specifier}`
  const known = room.packages.some((entry) =>
    entry.endsWith('*') ? specifier.startsWith(entry.slice(0, -1)) : specifier === entry,
  )
  return known ? null : `${name} may not import the package ${specifier}`
}

/**
 * Why `fromFile` may not import `specifier`, or null where it may. `typeOnly`: an `import type`, which leaves no
 * arrow in the running program but still needs its place in the table.
 */
export function judge(fromFile, specifier, typeOnly = false) {
  const from = roomOf(fromFile)
  if (!from) return null
  const room = rooms[from.name]
  if (specifier.startsWith('.')) {
    const path = resolveRelative(fromFile, specifier)
    if (path.startsWith(from.unit) && roomOf(path)?.name === from.name) return null
    // a room inside a room is reached by relative paths, but by its own line of the table
    const target = roomOf(path)
    const sameHouse = target?.name.split('/')[0] === from.name.split('/')[0]
    if (target && sameHouse && target.name !== from.name && allows(room.may, target)) return null
    return `a relative import never leaves its room (${from.name}): ${specifier}`
  }
  if (!specifier.startsWith('#')) return judgePackage(room, from.name, specifier)
  if (specifier.startsWith('#resources/')) return null
  const owner = Object.values(rooms).find((r) => r.alias && specifier.startsWith(r.alias))
  if (!owner) return `no room is called ${specifier}`
  const target = roomOf(
    owner.files.endsWith('/') ? owner.files + specifier.slice(owner.alias.length) : owner.files,
  )
  if (target && allows(room.may, target)) return null
  if (target && typeOnly && allows(room.mayTypes ?? [], target)) return null
  return `${from.name} may not import ${target?.name ?? specifier}${typeOnly ? ', not even its types' : ''}`
}

/** Import specifiers that name each room, for the test that feeds forbidden arrows to the rule. */
export function arrows() {
  const targets = Object.values(rooms).filter((room) => room.alias)
  return Object.entries(rooms).flatMap(([from, room]) =>
    targets.map((target) => ({
      from,
      file: room.files.endsWith('/') ? `${room.files}${room.each ? 'one/' : ''}file.ts` : room.files,
      specifier: target.alias.endsWith('/')
        ? `${target.alias}${target.each ? 'two/' : ''}file.ts`
        : target.alias,
    })),
  )
}
