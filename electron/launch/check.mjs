import { join } from 'node:path'
import { say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const bin = (path) => join(root, 'node_modules', path)

// the native compiler; `typescript` itself stays at the newest that svelte-check and eslint can use
const tsc = bin('typescript-native/bin/tsc')

/** Two lanes of about the same length, for two cores. No caches: a rule that looks at types is wrong about a file once another one has changed. */
const lanes = [
  [
    ['oxlint', bin('oxlint/bin/oxlint'), '--deny-warnings'],
    ['tsc electron', tsc, '-p', 'electron'],
    ['tsc shared', tsc, '-p', 'src/shared'],
    ['tsc test', tsc, '-p', 'test'],
    ['knip', bin('knip/bin/knip.js')],
    ['prettier', bin('prettier/bin/prettier.cjs'), '--check', '.', '--log-level', 'warn'],
  ],
  [
    ['eslint', bin('eslint/bin/eslint.js'), '--max-warnings', '0'],
    [
      'svelte-check',
      bin('svelte-check/bin/svelte-check'),
      '--tsconfig',
      'src/tsconfig.json',
      '--output',
      'human',
      '--fail-on-warnings',
    ],
    [
      'dependency-cruiser',
      bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      'electron',
      'src',
      'test',
    ],
  ],
]

/** Runs every static check; stops with the output of those that failed. Answers with how many passed. */
export async function check() {
  const node = projectNode()
  const failures = []
  let passed = 0
  await Promise.all(
    lanes.map(async (lane) => {
      for (const [name, ...args] of lane) {
        const { code, output } = await run(node, args, { quiet: true })
        if (code === 0) passed++
        else failures.push(`--- ${name}\n${output}`)
        say(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`)
      }
    }),
  )
  if (failures.length > 0) throw new Stop(failures.join('\n'))
  return passed
}
