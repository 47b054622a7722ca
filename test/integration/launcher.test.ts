import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** A checkout with a space in its path, whose tools only log that they were called. */
let checkout: string

/** A tool that logs its start and, half a second later, its end. Fails if a file called `broken` exists. */
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
  write('package-lock.json', '{"packages":{}}')
  write('npm.js', tool('npm'))
  write('node_modules/electron-vite/bin/electron-vite.js', tool('bundler'))
  write('node_modules/@inlang/paraglide-js/bin/run.js', '')
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

/**
 * Runs a line of code that calls a function of the launcher, such as `build()`, in a new process. Resolves with the
 * exit code of the process.
 */
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

/** Ends the remaining processes of a group. A correct launcher leaves none. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // The signal cannot be sent if every process of the group has already ended.
  }
}

const log = (): string[] =>
  existsSync(join(checkout, 'log')) ? readFileSync(join(checkout, 'log'), 'utf8').trim().split('\n') : []
const once = (name: string): string[] => [`${name} begins`, `${name} ends`]

describe('the launcher', () => {
  it('builds the app once, and again only after a change of a source file', async () => {
    expect(await launch('build()')).toBe(0)
    expect(await launch('build()')).toBe(0)
    expect(log()).toEqual(once('bundler'))
    write('src/new.ts', '')
    expect(await launch('build()')).toBe(0)
    expect(log()).toEqual([...once('bundler'), ...once('bundler')])
  })

  it('builds the app again after a failed build', async () => {
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
  ])('runs the %s once if two launchers start at the same time', async (name, line) => {
    expect(await Promise.all([launch(line), launch(line)])).toEqual([0, 0])
    expect(log()).toEqual(once(name))
  })

  it('does not wait for the lock of a launcher that was killed', async () => {
    // A process id that no system assigns, because it is too high.
    write('out/.lock', '2147483646')
    expect(await launch('build()')).toBe(0)
    expect(existsSync(join(checkout, 'out/.lock'))).toBe(false)
  })

  // Skipped on Windows, which has no SIGHUP.
  it.skipIf(process.platform === 'win32')(
    'ends the app if SIGHUP ends npm but not the shell that npm started',
    async () => {
      write(
        'app.mjs',
        `import { appendFileSync } from 'node:fs'
        process.on('SIGTERM', () => { appendFileSync('log', 'app ends\\n'); process.exit() })
        appendFileSync('log', 'app begins\\n')
        setInterval(() => undefined, 1000)`,
      )
      write(
        'launcher.mjs',
        `import { run } from './electron/launch/run.mjs'
        await run(process.execPath, ['app.mjs'])`,
      )
      // npm runs a shell that waits for the script.
      write(
        'npm.mjs',
        `import { spawn } from 'node:child_process'
        spawn('sh', ['-c', '"$NODE" launcher.mjs; true'], { env: { ...process.env, NODE: process.execPath } })`,
      )
      const npm = spawn(process.execPath, ['npm.mjs'], { cwd: checkout, stdio: 'ignore', detached: true })
      try {
        await expect.poll(log, { timeout: 20_000 }).toEqual(['app begins'])
        npm.kill('SIGHUP')
        await expect.poll(log, { timeout: 20_000 }).toEqual(once('app'))
      } finally {
        endGroup(npm.pid)
      }
    },
  )
})

// The tests need an executable script and a display variable, but no display.
describe.skipIf(process.platform === 'win32')('npm start', () => {
  /** Starts the desk with a script in place of Electron. The script prints its arguments. Returns the whole output. */
  async function startWith(options: object, env: Record<string, string>): Promise<string> {
    write('node_modules/electron/package.json', '{"version":"45.4.1"}')
    write('node_modules/electron/path.txt', 'electron')
    write('node_modules/electron/dist/electron', '#!/bin/sh\necho "electron: $*"\n')
    chmodSync(join(checkout, 'node_modules/electron/dist/electron'), 0o755)
    const code = `
      const { start } = await import(process.cwd() + '/electron/launch/run-desk.mjs')
      await start(${JSON.stringify(options)})`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: checkout,
      env: { ...process.env, SCANDESK_ENGINE: '', ...env },
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += String(piece)))
    await new Promise((resolve) => child.once('close', resolve))
    return text
  }

  it('runs Electron if there is a display; for root it disables the Chromium sandbox and prints a message', async () => {
    const text = await startWith({ lang: 'nl' }, { DISPLAY: ':0' })
    const isRoot = process.getuid?.() === 0
    expect(text).toContain(`electron: ${isRoot ? '--no-sandbox ' : ''}${checkout} --lang=nl\n`)
    expect(text.includes('As root Electron runs with --no-sandbox')).toBe(isRoot)
  })
})

describe('an install by the launcher', () => {
  const lock = (packages: object): string => JSON.stringify({ packages })
  const tool = { version: '1.0.0', integrity: 'sha512-tool' }
  const parent = { ...tool, optionalDependencies: { 'tool-linux': '1.0.0', 'tool-windows': '1.0.0' } }
  const binary = { version: '1.0.0', integrity: 'sha512-binary' }
  const all = { 'node_modules/tool': parent, 'node_modules/tool-linux': binary }
  const complete = { ...all, 'node_modules/tool/node_modules/tool-windows': binary }

  /**
   * Lets the launcher install the packages of the lockfile `locked`. A script in place of npm stores its arguments, and
   * reports the packages of `installed` as installed. Returns these arguments, and the exit code of the launcher: 0 if
   * it accepts the installed packages.
   */
  async function install(locked: object, installed: object): Promise<{ code: number | null; args: string }> {
    write('package-lock.json', lock(locked))
    write(
      'npm.js',
      `import { writeFileSync } from 'node:fs'
      writeFileSync('args', process.argv.slice(2).join(' '))
      writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(lock(installed))})`,
    )
    const code = await launch('ensureInstalled()')
    return { code, args: readFileSync(join(checkout, 'args'), 'utf8') }
  }
  const isStamped = (): boolean => existsSync(join(checkout, 'node_modules/.cache/scandesk/installed'))

  it('runs npm ci without install scripts if the lockfile names every package', async () => {
    const { code, args } = await install(complete, complete)
    expect(code).toBe(0)
    expect(args).toMatch(/^ci --ignore-scripts /)
    expect(isStamped()).toBe(true)
  })

  it('runs npm install without scripts and without saving if the lockfile lacks binaries of a platform', async () => {
    const { code, args } = await install(all, all)
    expect(code).toBe(0)
    expect(args).toMatch(/^install --no-save --ignore-scripts /)
  })

  it('succeeds and is recorded as done if npm added a binary that the lockfile lacks, in the version that its parent package names', async () => {
    expect((await install(all, { ...all, 'node_modules/tool-windows': binary })).code).toBe(0)
    expect(isStamped()).toBe(true)
  })

  it.each([
    ['a package that the lockfile does not name', { 'node_modules/other': binary }],
    ['another version of a package', { 'node_modules/tool': { ...tool, version: '1.0.1' } }],
    ['other content of a package', { 'node_modules/tool': { ...tool, integrity: 'sha512-other' } }],
    ['a package without its checksum', { 'node_modules/tool': { version: '1.0.0' } }],
    ['a new binary in another version', { 'node_modules/tool-windows': { ...binary, version: '1.0.1' } }],
  ])('fails and is not recorded as done if npm installed %s', async (_what, brought) => {
    expect((await install(all, { ...all, ...brought })).code).not.toBe(0)
    expect(isStamped()).toBe(false)
  })
})

describe('npm run package', () => {
  /** Runs the package step with an electron-builder that prints the given lines and fails. */
  async function packageWith(lines: readonly string[]): Promise<{ code: number | null; text: string }> {
    write('node_modules/electron/package.json', '{"version":"45.4.1"}')
    write(
      'node_modules/electron-builder/cli.js',
      `console.log(${JSON.stringify(lines.join('\n'))}); process.exitCode = 1`,
    )
    const code = `
      const { packageApp } = await import(process.cwd() + '/electron/launch/package.mjs')
      const { explain } = await import(process.cwd() + '/electron/launch/report.mjs')
      try { await packageApp([]) } catch (error) { process.exitCode = explain(error) }`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: checkout })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += String(piece)))
    return new Promise((resolve) => child.once('close', (exit) => resolve({ code: exit, text })))
  }
  const stack = '    at ClientRequest.<anonymous> (/x/node_modules/got/dist/source/core/index.js:970:111)'
  const failed = `  ⨯ getaddrinfo ENOTFOUND github.com  failedTask=build stackTrace=RequestError: getaddrinfo ENOTFOUND`

  it('explains, without a stack trace, that Electron cannot be downloaded and how to continue', async () => {
    const { code, text } = await packageWith(['  • packaging       electron=45.4.1', failed, stack])
    expect(code).toBe(1)
    expect(text).toContain('• packaging')
    expect(text).toContain('Electron 45.4.1 could not be downloaded (getaddrinfo ENOTFOUND github.com).')
    expect(text).toContain('ELECTRON_MIRROR=')
    expect(text).toContain(
      `-c.electronDist=/path/to/electron-v45.4.1-${process.platform}-${process.arch}.zip`,
    )
    expect(text).not.toMatch(/got\/dist|stackTrace|⨯/)
  })

  it('reports, if a download fails while the installer is built, that the tools for this build could not be downloaded', async () => {
    const { text } = await packageWith(['  • building        target=deb', failed, stack])
    expect(text).toContain('The tools that build the installer could not be downloaded')
    expect(text).toContain('ELECTRON_BUILDER_BINARIES_MIRROR=')
  })

  it('explains how to set the home page that a .deb package requires', async () => {
    const { code, text } = await packageWith([
      '  • building        target=deb',
      '  ⨯ Please specify project homepage, see https://www.electron.build/configuration#metadata  failedTask=build',
      '    at x.js:1',
    ])
    expect(code).toBe(1)
    expect(text).toContain('npm run package -- --linux deb -c.extraMetadata.homepage=https://')
    expect(text).not.toMatch(/at x\.js|⨯/)
  })

  it('shows the text of electron-builder for a failure for which the launcher has no explanation', async () => {
    const { code, text } = await packageWith(['  ⨯ Cannot read icon  failedTask=build', '    at x.js:1'])
    expect(code).toBe(1)
    expect(text).toContain('⨯ Cannot read icon')
    expect(text).toContain('at x.js:1')
  })
})
