import { join } from 'node:path'
import { say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const bin = (path) => join(root, 'node_modules', path)

// uses the native compiler; the package `typescript` stays at the newest version that svelte-check and eslint support
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
 * Each group has two lists of checks. The two lists run in parallel, to use two cores, and take about the same time.
 * The checks use no caches, because a change of one file may change the result of a rule for another file.
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
 * Runs all static checks, or only the checks of the group `lint` or `typecheck`. Stops with the output of the failed
 * checks. Returns the number of passed checks. `priority`: a process priority of the operating system, for checks that
 * run beside other work.
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
