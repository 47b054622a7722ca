import { join } from 'node:path'
import { say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const bin = (path) => join(root, 'node_modules', path)

// the native compiler; `typescript` itself stays at the newest version that svelte-check and eslint support
const tsc = bin('typescript-native/bin/tsc')

const oxlint = ['oxlint', bin('oxlint/bin/oxlint'), '--deny-warnings']
const eslint = ['eslint', bin('eslint/bin/eslint.js'), '--max-warnings', '0']
const compilers = ['electron', 'src/shared', 'test'].map((project) => [`tsc ${project}`, tsc, '-p', project])
const others = [
  ['knip', bin('knip/bin/knip.js')],
  ['prettier', bin('prettier/bin/prettier.cjs'), '--check', '.', '--log-level', 'warn'],
]
const components = [
  'svelte-check',
  bin('svelte-check/bin/svelte-check'),
  '--tsconfig',
  'src/tsconfig.json',
  '--output',
  'human',
  '--fail-on-warnings',
]
const cycles = [
  'dependency-cruiser',
  bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
  '--config',
  '.dependency-cruiser.cjs',
  'electron',
  'src',
  'test',
]

/**
 * Each group has two lanes of about the same length, for two cores. No caches, because the result of a rule that uses
 * types changes when another file does.
 */
const groups = {
  check: [
    [oxlint, ...compilers, ...others],
    [eslint, components, cycles],
  ],
  lint: [
    [oxlint, ...others],
    [eslint, cycles],
  ],
  typecheck: [compilers, [components]],
}

/**
 * Runs static checks: all of them, or those of `lint` or `typecheck`, which together are all. Stops with the output of
 * the failed ones. Returns the number that passed. `priority` is one of the operating system's, for checks that run
 * beside other work.
 */
export async function check(group = 'check', { priority } = {}) {
  const node = projectNode()
  const failures = []
  let passed = 0
  await Promise.all(
    groups[group].map(async (lane) => {
      for (const [name, ...args] of lane) {
        const { code, output } = await run(node, args, { quiet: true, priority })
        if (code === 0) passed++
        else failures.push(`--- ${name}\n${output}`)
        say(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`)
      }
    }),
  )
  if (failures.length > 0) throw new Stop(failures.join('\n'))
  return passed
}
