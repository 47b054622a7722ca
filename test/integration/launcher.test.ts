import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** A checkout with a space in its path, whose tools only write down that they ran. */
let checkout: string

/** Notes its beginning and its end, half a second apart; fails where a file called `broken` lies. */
const tool = (name: string): string => `
  import { appendFileSync, existsSync } from 'node:fs'
  appendFileSync('log', '${name} begins\\n')
  await new Promise((resolve) => setTimeout(resolve, 500))
  appendFileSync('log', '${name} ends\\n')
  process.exitCode = existsSync('broken') ? 1 : 0
`

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true })
  writeFileSync(join(checkout, path), text)
}

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'scan desk '))
  cpSync('electron/launch', join(checkout, 'electron/launch'), { recursive: true })
  write('package.json', '{"type":"module"}')
  write('package-lock.json', '{}')
  write('npm.js', tool('npm'))
  write('node_modules/electron-vite/bin/electron-vite.js', tool('bundler'))
  write('node_modules/@inlang/paraglide-js/bin/run.js', '')
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

/** Runs one line of the launcher in a process of its own; resolves with its exit code. */
function launch(line: string): Promise<number | null> {
  const code = `
    const { build } = await import(process.cwd() + '/electron/launch/build.mjs')
    const { ensureInstalled } = await import(process.cwd() + '/electron/launch/install.mjs')
    await ${line}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: checkout,
    stdio: 'ignore',
    env: { ...process.env, npm_execpath: join(checkout, 'npm.js') },
  })
  return new Promise((resolve) => child.once('exit', resolve))
}

const log = (): string[] =>
  existsSync(join(checkout, 'log')) ? readFileSync(join(checkout, 'log'), 'utf8').trim().split('\n') : []
const once = (name: string): string[] => [`${name} begins`, `${name} ends`]

describe('the launcher', () => {
  it('builds once, and again when a source has changed', async () => {
    expect(await launch('build()')).toBe(0)
    expect(await launch('build()')).toBe(0)
    expect(log()).toEqual(once('bundler'))
    write('src/new.ts', '')
    expect(await launch('build()')).toBe(0)
    expect(log()).toEqual([...once('bundler'), ...once('bundler')])
  })

  it('takes no interrupted build for the one before it', async () => {
    await launch('build()')
    write('broken', '')
    expect(await launch('build({ force: true })')).not.toBe(0)
    rmSync(join(checkout, 'broken'))
    expect(await launch('build()')).toBe(0)
    expect(log()).toHaveLength(6)
  })

  it.each([
    ['bundler', 'build()'],
    ['npm', 'ensureInstalled()'],
  ])('lets two starts at once run the %s once', async (name, line) => {
    expect(await Promise.all([launch(line), launch(line)])).toEqual([0, 0])
    expect(log()).toEqual(once(name))
  })

  it('does not wait for a launcher that was killed', async () => {
    // no system gives out process ids this high
    write('out/.lock', '2147483646')
    expect(await launch('build()')).toBe(0)
    expect(existsSync(join(checkout, 'out/.lock'))).toBe(false)
  })
})
