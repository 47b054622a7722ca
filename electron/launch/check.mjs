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
 * The checks of each group run in two lanes of about the same duration, for two cores. The checks use no caches,
 * because a rule that uses types may have another result after a change of another file.
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
 * Runs static checks: all checks, or the group `lint` or `typecheck`; each check belongs to one of these groups. Stops
 * with the output of the failed checks. Returns the number of passed checks. `priority`: a process priority of the
 * operating system, for checks that run beside other work.
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
