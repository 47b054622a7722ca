import { join } from 'node:path'
import { say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const bin = (path) => join(root, 'node_modules', path)

// no cache: a rule that looks at types is wrong about a file once another one has changed
const eslint = [bin('eslint/bin/eslint.js'), '--max-warnings', '0']

/** Two lanes of about the same length, for two cores: linting with types takes most of it, so that is cut in two. */
const lanes = [
  [
    ['eslint test', ...eslint, 'test'],
    [
      'dependency-cruiser',
      bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      'electron',
      'src',
      'test',
    ],
    ['knip', bin('knip/bin/knip.js')],
    ['prettier', bin('prettier/bin/prettier.cjs'), '--check', '.', '--log-level', 'warn'],
  ],
  [
    ['eslint product', ...eslint, '.', '--ignore-pattern', 'test/**'],
    ['tsc electron', bin('typescript/bin/tsc'), '-p', 'electron'],
    ['tsc shared', bin('typescript/bin/tsc'), '-p', 'src/shared'],
    ['tsc test', bin('typescript/bin/tsc'), '-p', 'test'],
    [
      'svelte-check',
      bin('svelte-check/bin/svelte-check'),
      '--tsconfig',
      'src/tsconfig.json',
      '--output',
      'human',
      '--fail-on-warnings',
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
